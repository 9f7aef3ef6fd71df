// Rivals: every arrangement one change away. A wrong order that explains the rows is either such a
// change, or a chain of them each of which does no harm, or a coincidence, or a larger change made
// of harmful ones. The first two are ruled out here, the third by counting (see verify.cpp). Of the
// larger ones there is no end; looked at are those that nets can be made to have, and that a few
// neighbours can make up: runs of blocks reversed (symmetric blocks whose product is symmetric),
// every order of four neighbouring blocks, every arrangement of the pieces of three, and the
// changes of three places of larger.cpp. Where the blocks are few every arrangement is tried
// instead (exhaust.cpp).
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

#include "verify/exhaust.hpp"
#include "verify/larger.hpp"

namespace humpty::verifier {
namespace {

using Kind = Rival::Kind;

constexpr std::size_t kTellingRows = 16;  // candidates for the rows that tell most
constexpr std::size_t kMoreRows = 8;      // 1, 8, 64, 512, … all
constexpr std::array<std::size_t, 5> kNearest = {0, 64, 16, 4, 1};  // kept, round by round
constexpr std::size_t kBoundRows = 64;
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

// Runs of two and three blocks are exchanges.
void add_reversals(std::size_t n, std::vector<Rival>& rivals) {
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 3; b < n; ++b) rivals.push_back({Kind::reversal, a, b});
}

// Every change of another kind that so few blocks allow.
std::set<Arrangement> other_kinds(std::size_t blocks) {
  std::vector<Rival> rivals;
  for (std::size_t a = 0; a < blocks; ++a)
    for (std::size_t b = 0; b < blocks; ++b)
      for (Kind kind : {Kind::swap, Kind::insertion, Kind::exchange_in, Kind::exchange_out})
        rivals.push_back({kind, a, b});
  add_reversals(blocks, rivals);
  std::set<Arrangement> known{Arrangement(blocks)};
  for (const Rival& rival : rivals) known.emplace(rival, blocks);
  each_larger(
      blocks, [](std::size_t, std::size_t) { return true; },
      [&](const Rival& rival) { known.emplace(rival, blocks); });
  return known;
}

// Arrangements of so many neighbouring blocks that are no change of another kind and that move
// something at either end (else fewer blocks would do).
std::vector<Rival> windows(std::size_t blocks, bool whole_blocks) {
  const std::set<Arrangement> known = other_kinds(blocks);
  std::vector<Rival> found;
  Arrangement arrangement(blocks);
  do {
    do {
      if (whole_blocks && arrangement.in != arrangement.out) continue;
      const Rival rival = arrangement.as_window();
      if (rival.expand.size() == blocks && !known.contains(arrangement)) found.push_back(rival);
    } while (std::next_permutation(arrangement.out.begin(), arrangement.out.end()));
  } while (std::next_permutation(arrangement.in.begin(), arrangement.in.end()));
  return found;
}

void add_windows(const std::vector<const Piece*>& expand, std::vector<Rival> patterns,
                 std::vector<Rival>& rivals) {
  for (Rival& rival : patterns)
    for (std::size_t first = 0; first + rival.expand.size() <= expand.size(); ++first) {
      const auto width = [&](std::size_t i) { return expand[first + i]->weight.rows; };
      bool runs = true;
      for (std::size_t i = 0; i < rival.expand.size(); ++i)
        runs = runs && width(rival.expand[i]) == width(rival.contract[i]);
      rival.a = first, rival.b = first + rival.expand.size() - 1;
      if (runs) rivals.push_back(rival);
    }
}

double estimate(const Errors& errors, std::size_t values) {
  const double mse = errors.square_sum / static_cast<double>(std::max<std::size_t>(1, values));
  return std::isnan(mse) ? std::numeric_limits<double>::infinity() : mse;
}

bool is_adjacent(const Rival& rival) { return rival.kind == Kind::swap && rival.b == rival.a + 1; }

}  // namespace

Trial::Trial(Field& field, const Floor& floor, Whole whole, Watch& watch)
    : field_(field),
      floor_(floor),
      whole_(whole),
      watch_(watch),
      count_(double(field.rows() * field.outputs())) {}

void Trial::add(std::vector<Rival> rivals) {
  for (Rival& rival : rivals) found_.rivals.push_back(std::move(rival));
  found_.refuted.resize(found_.rivals.size());
  errors_.resize(found_.rivals.size());
  seen_.resize(found_.rivals.size());
  if (!order_.empty()) return;
  first_added_ = found_.rivals.size();
  choose_rows();
}

// Neighbours first, on rows spread evenly; then the rows in the order of how much they told.
void Trial::choose_rows() {
  const std::size_t all = field_.rows(), some = std::min(all, kTellingRows);
  std::vector<std::size_t> neighbours;
  for (std::size_t i = 0; i < found_.rivals.size(); ++i)
    if (is_adjacent(found_.rivals[i])) neighbours.push_back(i);
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
    found_.typical_error = sizes[sizes.size() / 2];
  }
  sort_rows(telling);
}

// Those that were tried, the most telling first; then the others.
void Trial::sort_rows(const std::vector<double>& telling) {
  std::vector<std::size_t> by_telling(telling.size());
  std::iota(by_telling.begin(), by_telling.end(), std::size_t{0});
  std::stable_sort(by_telling.begin(), by_telling.end(),
                   [&](std::size_t a, std::size_t b) { return telling[a] > telling[b]; });
  const std::set<std::size_t> tried(order_.begin(), order_.end());
  Field::Places sorted;
  for (std::size_t i : by_telling) sorted.push_back(order_[i]);
  for (std::size_t row = 0; row < field_.rows(); ++row)
    if (!tried.contains(row)) sorted.push_back(row);
  order_ = std::move(sorted);
}

void Trial::run() {
  if (found_.rivals.empty()) return;
  const std::size_t all = field_.rows();
  // Those added later stay in only until they are refuted.
  const bool first_run = found_.rivals.size() == first_added_;
  std::vector<std::size_t> kept;
  if (first_run) kept = everybody();
  // What was left by a look at the first row would not be refuted by it now.
  std::size_t rows = whole_ == Whole::every ? all : std::min<std::size_t>(first_run ? 1 : 2, all);
  for (std::size_t round = 0;; ++round, rows = std::min(rows * kMoreRows, all)) {
    if (round > 0) kept = nearest(kept, kNearest[std::min(round, kNearest.size() - 1)]);
    const std::vector<std::size_t> in = and_unrefuted(kept);
    if (round == 1) spent_ = field_.passes();
    found_.complete = whole_ == Whole::every || round == 0 || affordable(in, rows);
    if (!found_.complete) break;
    look(in, rows);
    if (rows == all || ((rows >= kBoundRows || !first_run) && all_refuted())) break;
    if (!watch_.go_on("verify", double(rows) / double(all), "refuting rivals")) break;
  }
  // Larger changes, added later, are run or estimated, as time allows; so that the nearest is the
  // same one either way they do not compete unless they survive.
  const std::vector<std::size_t> unrefuted = and_unrefuted({});
  if (!unrefuted.empty() || first_run)
    found_.nearest = nearest(unrefuted.empty() ? kept : unrefuted, 1).front();
  if (whole_ == Whole::nearest && !watch_.stopped()) look({found_.nearest}, all);
  write_errors();
}

void Trial::write_errors() {
  for (std::size_t i = 0; i < found_.rivals.size(); ++i) {
    Rival& rival = found_.rivals[i];
    rival.rows = seen_[i];
    rival.is_bound = seen_[i] < field_.rows();
    rival.mse = errors_[i].square_sum / count_;
  }
}

bool Trial::all_refuted() const {
  return std::all_of(found_.refuted.begin(), found_.refuted.end(), [](char each) { return each; });
}

std::vector<std::size_t> Trial::everybody() const {
  std::vector<std::size_t> all(found_.rivals.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// The `count` with the least error on the rows that they have seen.
std::vector<std::size_t> Trial::nearest(std::vector<std::size_t> from, std::size_t count) const {
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

std::vector<std::size_t> Trial::and_unrefuted(const std::vector<std::size_t>& kept) const {
  std::set<std::size_t> in(kept.begin(), kept.end());
  for (std::size_t i = 0; i < errors_.size(); ++i)
    if (!found_.refuted[i]) in.insert(i);
  return {in.begin(), in.end()};
}

// Rivals that nothing refutes would see all rows; there may be too many of them.
bool Trial::affordable(const std::vector<std::size_t>& in, std::size_t rows) const {
  double more = (field_.passes() - spent_) * double(field_.rows());
  for (std::size_t i : in) more += double(rows - std::min(rows, seen_[i]));
  return more <= kMostPasses * double(field_.rows()) ||
         more * field_.chain().flops_per_row() <= kCheapFlops;
}

// Shows each of them the rows up to `rows` that it has not seen.
void Trial::look(const std::vector<std::size_t>& in, std::size_t rows) {
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
std::vector<std::vector<Errors>> Trial::measure(const std::vector<std::size_t>& which,
                                                const Field::Places& rows,
                                                std::size_t rows_at_a_time) {
  if (whole_ != Whole::none) return field_.run(arrangements(which), rows, rows_at_a_time);
  auto errors = field_.run(arrangements(which), rows, rows_at_a_time, Precision::quick);
  std::vector<std::size_t> near, places;
  for (std::size_t k = 0; k < which.size(); ++k) {
    Errors sum;
    for (const std::vector<Errors>& part : errors) sum.add(part[k]);
    if (!floor_.is_far(sum)) near.push_back(which[k]), places.push_back(k);
  }
  if (near.empty()) return errors;
  const auto again = field_.run(arrangements(near), rows, rows_at_a_time);
  for (std::size_t part = 0; part < errors.size(); ++part)
    for (std::size_t k = 0; k < near.size(); ++k) errors[part][places[k]] = again[part][k];
  return errors;
}

void Trial::settle(std::size_t i, std::size_t rows) {
  seen_[i] = rows;
  found_.refuted[i] = !floor_.holds(errors_[i], count_);
}

std::vector<Arrangement> Trial::arrangements(const std::vector<std::size_t>& which) const {
  std::vector<Arrangement> result;
  for (std::size_t i : which) result.emplace_back(found_.rivals[i], field_.blocks());
  return result;
}

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
  if (scope == Scope::adjacent) {
    add_look_alikes(expand, Kind::exchange_in, rivals);
    add_look_alikes(contract, Kind::exchange_out, rivals);
  } else {
    add_all(expand, rivals);
    add_reversals(expand.size(), rivals);
    add_windows(expand, windows(4, true), rivals);
    add_windows(expand, windows(3, false), rivals);
  }
  return rivals;
}

Scope settle(Scope scope, const Field& field) {
  if (scope != Scope::automatic) return scope;
  if (can_exhaust(field)) return Scope::all;
  // About 3 n² rivals, each two thirds of the blocks for one row, and as much again for the rest.
  const double n = double(field.blocks()), rows = 2 * 3 * n * n * 2 / 3;
  const bool cheap = rows <= kCheapPasses * double(field.rows()) ||
                     rows * field.chain().flops_per_row() <= kCheapFlops;
  return cheap ? Scope::full : Scope::adjacent;
}

}  // namespace humpty::verifier
