// Rivals: every arrangement one change away. A wrong order that explains the rows is either such a
// change, or a chain of them each of which does no harm, or a coincidence; the first two are ruled
// out here, the third by counting (see verify.cpp).
//
// Few rows refute. Squared errors only add up, so a rival is refuted as soon as its sum over the
// rows seen so far is beyond what the floor allows for all rows together, or one value is off by
// more than the floor allows for any. Rows differ in what they tell: exchanging neighbours is tried
// first, on rows spread over the data, and the rows on which these exchanges matter most come first
// for everybody. One row then refutes nearly all; who is left sees eight times as many in each
// round. So that the nearest rival can be named and measured, the least bad ones stay in for as
// long as they are among the kNearest of their round, and the very nearest sees all rows, which is
// a whole pass; or, where that is not wanted, kBoundRows, which bound its error from below. Then
// float32 will do, at half the price: what it finds kFar times beyond the floor, which is itself
// several times the rounding of float32, no rounding explains; anything nearer is done again in
// float64.
#include "verify/rivals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace humpty::verifier {
namespace {

using Kind = Rival::Kind;

constexpr std::size_t kTellingRows = 16;  // candidates for the rows that tell most
constexpr std::size_t kMoreRows = 8;      // 1, 8, 64, 512, … all
constexpr std::array<std::size_t, 5> kNearest = {0, 64, 16, 4, 1};  // kept, round by round
constexpr std::size_t kBoundRows = 64;
constexpr double kFar = 100;
constexpr std::size_t kTogether = 64;  // rows of one job
constexpr double kMostPasses = 40;     // after the first round, for rivals that nothing refutes
constexpr double kCheapPasses = 3, kCheapFlops = 1e11;

// What W_in (or W_out) of two places differ by, relative to their size.
double distance(const Piece& a, const Piece& b) {
  double difference = 0, size = 0;
  const auto add = [&](std::span<const float> x, std::span<const float> y) {
    for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
      const double p = i < x.size() ? double{x[i]} : 0, q = i < y.size() ? double{y[i]} : 0;
      difference += (p - q) * (p - q), size += p * p + q * q;
    }
  };
  add(a.weight.values, b.weight.values);
  add(a.bias, b.bias);
  return size > 0 ? difference / size : 0;
}

bool same_shape(const Piece& a, const Piece& b) {
  return a.weight.rows == b.weight.rows && a.weight.cols == b.weight.cols;
}

// Each place with the one whose piece is most like its own: twins and copies may be far apart.
void add_look_alikes(const std::vector<const Piece*>& pieces, Kind exchange,
                     std::vector<Rival>& rivals) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < pieces.size(); ++a) {
    std::size_t twin = a;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < pieces.size(); ++b) {
      if (a == b || !same_shape(*pieces[a], *pieces[b])) continue;
      if (const double other = distance(*pieces[a], *pieces[b]); other < least)
        least = other, twin = b;
    }
    if (twin != a) pairs.insert(std::minmax(a, twin));
  }
  for (const auto& [a, b] : pairs) rivals.push_back({exchange, a, b});
}

void add_all(const std::vector<const Piece*>& expand, std::vector<Rival>& rivals) {
  const std::size_t n = expand.size();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      if (b > a + 1) {
        rivals.push_back({Kind::swap, a, b});
        rivals.push_back({Kind::insertion, a, b});
        rivals.push_back({Kind::insertion, b, a});
      }
      if (!same_shape(*expand[a], *expand[b])) continue;
      rivals.push_back({Kind::exchange_out, a, b});
      rivals.push_back({Kind::exchange_in, a, b});
    }
}

double estimate(const Errors& errors, std::size_t values) {
  const double mse = errors.square_sum / static_cast<double>(std::max<std::size_t>(1, values));
  return std::isnan(mse) ? std::numeric_limits<double>::infinity() : mse;
}

class Arena {
 public:
  Arena(Field& field, const Floor& floor, std::vector<Rival> rivals, Whole whole, Watch& watch)
      : field_(field),
        floor_(floor),
        whole_(whole),
        watch_(watch),
        count_(double(field.rows() * field.outputs())) {
    result_.rivals = std::move(rivals);
    result_.refuted.assign(result_.rivals.size(), 0);
    errors_.resize(result_.rivals.size());
    seen_.resize(result_.rivals.size());
  }

  // Neighbours first, on rows spread evenly; then the rows in the order of how much they told.
  void choose_rows() {
    const std::size_t all = field_.rows(), some = std::min(all, kTellingRows);
    std::vector<std::size_t> neighbours, rest;
    for (std::size_t i = 0; i < result_.rivals.size(); ++i)
      if (is_adjacent(result_.rivals[i])) neighbours.push_back(i);
    for (std::size_t i = 0; i < some; ++i) order_.push_back(i * all / some);
    const auto errors = measure(neighbours, order_, 1);
    std::vector<double> telling(some);
    std::vector<double> sizes;
    for (std::size_t r = 0; r < some; ++r)
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const double size = std::sqrt(errors[r][i].square_sum / double(field_.outputs()));
        sizes.push_back(std::isnan(size) ? std::numeric_limits<double>::infinity() : size);
        telling[r] += std::log(std::clamp(sizes.back(), 1e-30, 1e30));
        errors_[neighbours[i]].add(errors[r][i]);
      }
    for (std::size_t i : neighbours) settle(i, some);
    if (!sizes.empty()) {
      std::nth_element(sizes.begin(), sizes.begin() + std::ssize(sizes) / 2, sizes.end());
      result_.typical_error = sizes[sizes.size() / 2];
    }
    std::vector<std::size_t> by_telling(some);
    std::iota(by_telling.begin(), by_telling.end(), std::size_t{0});
    std::stable_sort(by_telling.begin(), by_telling.end(),
                     [&](std::size_t a, std::size_t b) { return telling[a] > telling[b]; });
    const std::set<std::size_t> chosen(order_.begin(), order_.end());
    std::vector<std::size_t> ordered;
    for (std::size_t i : by_telling) ordered.push_back(order_[i]);
    for (std::size_t row = 0; row < all; ++row)
      if (!chosen.contains(row)) ordered.push_back(row);
    order_ = std::move(ordered);
  }

  void fight() {
    const std::size_t all = field_.rows();
    std::vector<std::size_t> kept = everybody();
    std::size_t rows = whole_ == Whole::every ? all : 1;
    for (std::size_t round = 0;; ++round, rows = std::min(rows * kMoreRows, all)) {
      if (round > 0) kept = nearest(kept, kNearest[std::min(round, kNearest.size() - 1)]);
      const std::vector<std::size_t> in = and_unrefuted(kept);
      if (round == 1) spent_ = field_.passes();
      result_.complete = whole_ == Whole::every || round == 0 || affordable(in, rows);
      if (!result_.complete) break;
      look(in, rows);
      if (rows == all || (whole_ == Whole::none && rows >= kBoundRows && all_refuted())) break;
      if (!watch_.go_on("verify", double(rows) / double(all), "refuting rivals")) break;
    }
    // Those not refuted have seen as many rows as those kept, and may be nearer.
    result_.nearest = nearest(and_unrefuted(kept), 1).front();
  }

  Contest take() {
    for (std::size_t i = 0; i < result_.rivals.size(); ++i) {
      Rival& rival = result_.rivals[i];
      rival.rows = seen_[i];
      rival.is_bound = seen_[i] < field_.rows();
      rival.mse = errors_[i].square_sum / count_;
    }
    return std::move(result_);
  }

 private:
  static bool is_adjacent(const Rival& rival) {
    return rival.kind == Kind::swap && rival.b == rival.a + 1;
  }

  std::vector<std::size_t> everybody() const {
    std::vector<std::size_t> all(result_.rivals.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  // The `count` with the least error on the rows that they have seen.
  std::vector<std::size_t> nearest(std::vector<std::size_t> from, std::size_t count) const {
    std::vector<double> mse;
    for (std::size_t i = 0; i < errors_.size(); ++i)
      mse.push_back(estimate(errors_[i], seen_[i] * field_.outputs()));
    count = std::min(count, from.size());
    std::partial_sort(
        from.begin(), from.begin() + std::ptrdiff_t(count), from.end(),
        [&](std::size_t a, std::size_t b) { return std::pair(mse[a], a) < std::pair(mse[b], b); });
    from.resize(count);
    return from;
  }

  std::vector<std::size_t> and_unrefuted(const std::vector<std::size_t>& kept) const {
    std::set<std::size_t> in(kept.begin(), kept.end());
    for (std::size_t i = 0; i < errors_.size(); ++i)
      if (!result_.refuted[i]) in.insert(i);
    return {in.begin(), in.end()};
  }

  bool all_refuted() const { return result_.refuted_count() == result_.rivals.size(); }

  bool affordable(const std::vector<std::size_t>& in, std::size_t rows) const {
    double more = (field_.passes() - spent_) * double(field_.rows());
    for (std::size_t i : in) more += double(rows - std::min(rows, seen_[i]));
    return more <= kMostPasses * double(field_.rows()) ||
           more * field_.chain().flops_per_row() <= kCheapFlops;
  }

  // Shows each of them the rows up to `rows` that it has not seen.
  void look(const std::vector<std::size_t>& in, std::size_t rows) {
    std::map<std::size_t, std::vector<std::size_t>> by_seen;
    for (std::size_t i : in)
      if (seen_[i] < rows) by_seen[seen_[i]].push_back(i);
    for (const auto& [seen, some] : by_seen) {
      const Field::Places fresh(order_.begin() + std::ptrdiff_t(seen),
                                order_.begin() + std::ptrdiff_t(rows));
      for (const std::vector<Errors>& part : measure(some, fresh, std::min(kTogether, rows - seen)))
        for (std::size_t k = 0; k < some.size(); ++k) errors_[some[k]].add(part[k]);
      for (std::size_t i : some) settle(i, rows);
    }
  }

  // Errors of some of the rivals: [part of the rows][rival].
  std::vector<std::vector<Errors>> measure(const std::vector<std::size_t>& which,
                                           const Field::Places& rows, std::size_t rows_at_a_time) {
    if (whole_ != Whole::none) return field_.run(arrangements(which), rows, rows_at_a_time);
    auto errors = field_.run(arrangements(which), rows, rows_at_a_time, Precision::quick);
    std::vector<std::size_t> near, places;
    for (std::size_t k = 0; k < which.size(); ++k)
      if (!is_far(errors, k)) near.push_back(which[k]), places.push_back(k);
    if (near.empty()) return errors;
    const auto again = field_.run(arrangements(near), rows, rows_at_a_time);
    for (std::size_t part = 0; part < errors.size(); ++part)
      for (std::size_t k = 0; k < near.size(); ++k) errors[part][places[k]] = again[part][k];
    return errors;
  }

  // One value too far off for rounding to be the reason. What overflowed is not trusted.
  bool is_far(const std::vector<std::vector<Errors>>& errors, std::size_t k) const {
    Errors sum;
    for (const std::vector<Errors>& part : errors) sum.add(part[k]);
    return std::isfinite(sum.square_sum) && sum.largest > kFar * floor_.max_abs_error;
  }

  void settle(std::size_t i, std::size_t rows) {
    seen_[i] = rows;
    result_.refuted[i] = !floor_.holds(errors_[i], count_);
  }

  std::vector<Arrangement> arrangements(const std::vector<std::size_t>& which) const {
    std::vector<Arrangement> result;
    for (std::size_t i : which) result.emplace_back(result_.rivals[i], field_.blocks());
    return result;
  }

  Field& field_;
  const Floor& floor_;
  Whole whole_;
  Watch& watch_;
  double count_;
  Contest result_;
  std::vector<Errors> errors_;
  std::vector<std::size_t> seen_;  // rows, of `order_`
  double spent_ = 0;               // on the first round, in passes
  Field::Places order_;
};

}  // namespace

std::vector<Rival> rivals_of(const Puzzle& puzzle, const std::vector<int>& permutation,
                             Scope scope) {
  std::vector<const Piece*> expand, contract;
  for (std::size_t i = 0; i + 1 < permutation.size(); i += 2) {
    expand.push_back(&puzzle.piece(permutation[i]));
    contract.push_back(&puzzle.piece(permutation[i + 1]));
  }
  std::vector<Rival> rivals;
  if (scope == Scope::floor) return rivals;
  for (std::size_t a = 0; a + 1 < expand.size(); ++a) rivals.push_back({Kind::swap, a, a + 1});
  if (scope == Scope::full) {
    add_all(expand, rivals);
  } else {
    add_look_alikes(expand, Kind::exchange_in, rivals);
    add_look_alikes(contract, Kind::exchange_out, rivals);
  }
  return rivals;
}

Scope settle(Scope scope, const Field& field) {
  if (scope != Scope::automatic) return scope;
  // About 5/2 n² rivals, each two thirds of the blocks for one row, and as much again for the rest.
  const double n = double(field.blocks()), rows = 2 * 2.5 * n * n * 2 / 3;
  const bool cheap = rows <= kCheapPasses * double(field.rows()) ||
                     rows * field.chain().flops_per_row() <= kCheapFlops;
  return cheap ? Scope::full : Scope::adjacent;
}

std::size_t Contest::refuted_count() const {
  return std::size_t(std::count(refuted.begin(), refuted.end(), 1));
}

Contest contest(Field& field, const Floor& floor, std::vector<Rival> rivals, Whole whole,
                Watch& watch) {
  if (rivals.empty()) return {};
  Arena arena(field, floor, std::move(rivals), whole, watch);
  arena.choose_rows();
  arena.fight();
  return arena.take();
}

}  // namespace humpty::verifier
