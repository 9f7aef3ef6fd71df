// The independent check, and the certificate.
//
// Is the error at the floor of float32 arithmetic? The target was computed in float32 by somebody
// else's program; ours recomputes it in float64. What separates the two, if the permutation is
// right, is that program's rounding. How large rounding is depends on the net, so it is measured,
// not guessed: the same chain is run once more in plain float32, and the difference from float64 is
// one sample of such rounding, on these very rows. Another program sums in another order, hence the
// factors kRmsFactor and kMaxFactor. A sample of the rows is enough for the mean, and the rows with
// the largest errors are in it for the largest. Both the mean square and the largest error must be
// within their floors: a wrong order can hide in the mean if it matters on few rows only.
//
// Is every rival worse? Exchanging two neighbouring blocks is the least change there is. A rival is
// refuted as soon as its error, summed over the rows seen so far, is beyond what the floor allows
// for all rows together: sums only grow. On most nets a few dozen rows refute every rival.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "verify/chain.hpp"

namespace humpty {
namespace {

using verifier::Chain;
using verifier::kRows;

constexpr double kRmsFactor = 4, kMaxFactor = 8;
constexpr double kUlp = 0x1p-23;
constexpr std::size_t kSliceRows = 128;    // rows that one job takes through the chain
constexpr std::size_t kSampleRows = 1024;  // at least this many rows for the measure of rounding
constexpr std::size_t kRivalRows = 16, kRivalSlices = 2;  // between two looks at who is left

void check_permutation(const Puzzle& puzzle, const std::vector<int>& permutation) {
  if (permutation.size() != puzzle.pieces.size())
    throw Error(ErrorCode::usage, fmt::format("the order names {} pieces, the puzzle has {}",
                                              permutation.size(), puzzle.pieces.size()));
  std::set<int> seen;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    const Piece& piece = puzzle.piece(permutation[i]);
    if (!seen.insert(piece.id).second)
      throw Error(ErrorCode::usage, fmt::format("the order names piece {} twice", piece.id));
    const Role wanted = i + 1 == permutation.size() ? Role::head
                        : i % 2                     ? Role::contract
                                                    : Role::expand;
    if (piece.role != wanted)
      throw Error(ErrorCode::usage,
                  fmt::format("place {} of the order needs an {} piece, and piece {} is {} ({}×{})",
                              i + 1, name(wanted), piece.id, name(piece.role), piece.weight.rows,
                              piece.weight.cols));
    if (wanted == Role::contract &&
        puzzle.piece(permutation[i - 1]).weight.rows != piece.weight.cols)
      throw Error(ErrorCode::usage,
                  fmt::format("pieces {} and {} cannot be a block: {} hidden units against {}",
                              permutation[i - 1], piece.id,
                              puzzle.piece(permutation[i - 1]).weight.rows, piece.weight.cols));
  }
}

// Squared errors of some rows: their sum and the largest single error.
struct Errors {
  double square_sum = 0, largest = 0;
  void add(double error) {
    square_sum += error * error;
    // A NaN must stay visible: it fails every comparison that would accept it.
    if (!(std::abs(error) <= largest)) largest = std::abs(error);
  }
  void add(const Errors& other) {
    square_sum += other.square_sum;
    if (!(other.largest <= largest)) largest = other.largest;
  }
};

struct Slice {
  std::size_t first, rows;
  std::size_t groups() const { return (rows + kRows - 1) / kRows; }
};

std::vector<Slice> slices(std::size_t all, std::size_t rows) {
  std::vector<Slice> result;
  for (std::size_t first = 0; first < all; first += rows)
    result.push_back({first, std::min(rows, all - first)});
  return result;
}

// The rows, and what a chain makes of some of them.
class Check {
 public:
  Check(const Puzzle& puzzle, const std::vector<int>& permutation)
      : rows_(puzzle.rows), wide_(puzzle, permutation), narrow_(puzzle, permutation) {}

  std::size_t blocks() const { return wide_.blocks(); }
  std::size_t rows() const { return rows_.features.rows; }
  double count() const { return static_cast<double>(rows_.target.values.size()); }

  // The answers for a slice, row by row, in float64 and in float32: (rows, o).
  std::vector<double> wide(const Slice& slice) const { return answers(wide_, slice); }
  std::vector<float> narrow(const Slice& slice) const { return answers(narrow_, slice); }

  Errors against_target(const Slice& slice, const std::vector<double>& answer) const {
    Errors errors;
    const float* target = rows_.target.row(slice.first);
    for (std::size_t i = 0; i < answer.size(); ++i) errors.add(answer[i] - double{target[i]});
    return errors;
  }

  // Errors of every living rival k: blocks k and k + 1 exchanged.
  std::vector<Errors> rivals(const Slice& slice, const std::vector<char>& alive) const {
    std::vector<Errors> errors(alive.size());
    std::vector<double> x = load<double>(slice);
    for (std::size_t k = 0; k < alive.size(); ++k) {
      if (alive[k]) {
        std::vector<double> other = x;
        wide_.step(k + 1, other.data(), slice.groups());
        wide_.step(k, other.data(), slice.groups());
        errors[k] = against_target(slice, finish(wide_, slice, std::move(other), k + 2));
      }
      wide_.step(k, x.data(), slice.groups());
    }
    return errors;
  }

 private:
  // (groups, d, kRows); lanes beyond the last row stay zero.
  template <typename Real>
  std::vector<Real> load(const Slice& slice) const {
    const std::size_t d = wide_.d();
    std::vector<Real> x(slice.groups() * d * kRows);
    for (std::size_t r = 0; r < slice.rows; ++r)
      for (std::size_t f = 0; f < d; ++f)
        x[(r / kRows * d + f) * kRows + r % kRows] = rows_.features.row(slice.first + r)[f];
    return x;
  }

  // Runs the blocks from `block` on, and the head.
  template <typename Real>
  std::vector<Real> finish(const Chain<Real>& chain, const Slice& slice, std::vector<Real> x,
                           std::size_t block) const {
    for (; block < blocks(); ++block) chain.step(block, x.data(), slice.groups());
    const std::size_t o = chain.o();
    std::vector<Real> y(slice.groups() * o * kRows), by_row(slice.rows * o);
    chain.head(x.data(), y.data(), slice.groups());
    for (std::size_t r = 0; r < slice.rows; ++r)
      for (std::size_t k = 0; k < o; ++k)
        by_row[r * o + k] = y[(r / kRows * o + k) * kRows + r % kRows];
    return by_row;
  }

  template <typename Real>
  std::vector<Real> answers(const Chain<Real>& chain, const Slice& slice) const {
    return finish(chain, slice, load<Real>(slice), 0);
  }

  const Rows& rows_;
  Chain<double> wide_;
  Chain<float> narrow_;
};

// What all rows say: the answers in float64, and their errors, slice by slice.
struct Measured {
  std::vector<Slice> slices;
  std::vector<std::vector<double>> answers;
  std::vector<Errors> errors;
};

Measured measure(const Check& check, Threads& threads, Watch& watch) {
  constexpr std::size_t kSlicesPerReport = 64;
  Measured m{slices(check.rows(), kSliceRows), {}, {}};
  m.answers.resize(m.slices.size());
  m.errors.resize(m.slices.size());
  for (std::size_t first = 0; first < m.slices.size(); first += kSlicesPerReport) {
    const std::size_t some = std::min(kSlicesPerReport, m.slices.size() - first);
    threads.run(some, [&](std::size_t i, unsigned) {
      m.answers[first + i] = check.wide(m.slices[first + i]);
      m.errors[first + i] = check.against_target(m.slices[first + i], m.answers[first + i]);
    });
    if (!watch.go_on("verify", static_cast<double>(first) / static_cast<double>(m.slices.size()),
                     "all rows in float64"))
      break;
  }
  return m;
}

// Slices for the measure of rounding: evenly spread ones, and those with the largest errors.
std::vector<std::size_t> sample(const Measured& m) {
  const std::size_t wanted = kSampleRows / kSliceRows,
                    stride = std::max<std::size_t>(1, m.slices.size() / wanted);
  std::vector<std::size_t> chosen, by_error(m.slices.size());
  for (std::size_t i = 0; i < m.slices.size(); i += stride) chosen.push_back(i);
  std::iota(by_error.begin(), by_error.end(), std::size_t{0});
  std::partial_sort(
      by_error.begin(), by_error.begin() + std::min<std::ptrdiff_t>(2, std::ssize(by_error)),
      by_error.end(),
      [&](std::size_t a, std::size_t b) { return m.errors[a].largest > m.errors[b].largest; });
  for (std::size_t i = 0; i < std::min<std::size_t>(2, by_error.size()); ++i)
    if (by_error[i] % stride != 0) chosen.push_back(by_error[i]);
  return chosen;
}

void set_error_and_floor(const Puzzle& puzzle, const Check& check, const Measured& m,
                         Threads& threads, Certificate& certificate) {
  const std::vector<std::size_t> chosen = sample(m);
  std::vector<Errors> parts(chosen.size());
  threads.run(chosen.size(), [&](std::size_t i, unsigned) {
    const std::vector<float> narrow = check.narrow(m.slices[chosen[i]]);
    const std::vector<double>& wide = m.answers[chosen[i]];
    for (std::size_t k = 0; k < wide.size(); ++k) parts[i].add(double{narrow[k]} - wide[k]);
  });
  Errors rounding, target;
  double sampled = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    rounding.add(parts[i]);
    sampled += static_cast<double>(m.answers[chosen[i]].size());
  }
  for (float y : puzzle.rows.target.values) target.add(double{y});
  Errors own;
  for (const Errors& part : m.errors) own.add(part);
  certificate.mse = own.square_sum / check.count();
  certificate.max_abs_error = own.largest;
  certificate.floor_mse = kRmsFactor * kRmsFactor * rounding.square_sum / sampled +
                          kUlp * kUlp * target.square_sum / check.count();
  certificate.floor_max_abs_error = kMaxFactor * rounding.largest + 2 * kUlp * target.largest;
}

bool within_floor(const Certificate& certificate) {
  return certificate.mse <= certificate.floor_mse &&
         certificate.max_abs_error <= certificate.floor_max_abs_error;
}

// Runs the rivals over the rows, a few slices at a time, and drops those that are refuted (none are
// dropped if `full`).
void refute(const Check& check, bool full, Threads& threads, Watch& watch,
            Certificate& certificate) {
  const std::size_t rivals = check.blocks() - 1;
  const std::vector<Slice> all = slices(check.rows(), full ? kSliceRows : kRivalRows);
  std::vector<Errors> errors(rivals);
  std::vector<char> alive(rivals, 1), refuted(rivals, 0);
  std::size_t seen = 0;
  while (seen < all.size() && std::count(alive.begin(), alive.end(), 1) > 0) {
    const std::size_t some = std::min(kRivalSlices, all.size() - seen);
    std::vector<std::vector<Errors>> parts(some);
    threads.run(some,
                [&](std::size_t i, unsigned) { parts[i] = check.rivals(all[seen + i], alive); });
    for (std::size_t k = 0; k < rivals; ++k) {
      for (const auto& part : parts) errors[k].add(part[k]);
      refuted[k] = !(errors[k].square_sum <= certificate.floor_mse * check.count() &&
                     errors[k].largest <= certificate.floor_max_abs_error);
      alive[k] = full || !refuted[k];
    }
    seen += some;
    if (!watch.go_on("verify", static_cast<double>(seen) / static_cast<double>(all.size()),
                     "refuting rivals"))
      break;
  }
  certificate.rivals = rivals;
  certificate.refuted = static_cast<std::size_t>(std::count(refuted.begin(), refuted.end(), 1));
  const auto nearest = std::min_element(
      errors.begin(), errors.end(),
      [](const Errors& a, const Errors& b) { return a.square_sum < b.square_sum; });
  certificate.rival_mse = nearest->square_sum / check.count();
  certificate.rival_position = static_cast<std::size_t>(nearest - errors.begin());
  certificate.rival_is_bound = seen < all.size() || !full;
}

void conclude(bool stopped, Certificate& certificate) {
  const std::size_t left = certificate.rivals - certificate.refuted;
  if (stopped)
    certificate.why = "stopped before the check was complete";
  else if (!within_floor(certificate))
    certificate.why = "the error is above what float32 rounding explains";
  else if (left > 0)
    certificate.why =
        fmt::format("{} of {} exchanges of neighbouring blocks explain the rows equally well", left,
                    certificate.rivals);
  else {
    certificate.verdict = Verdict::exact;
    certificate.why =
        "the error on all rows is at the floor of float32 arithmetic and every exchange of "
        "neighbouring blocks is worse";
  }
}

}  // namespace

Certificate verify(const Puzzle& puzzle, const std::vector<int>& permutation,
                   const VerifyOptions& options) {
  check_permutation(puzzle, permutation);
  const Check check(puzzle, permutation);
  Threads threads(options.threads);
  Watch watch(options.progress);
  Certificate certificate;
  certificate.rows = puzzle.rows.features.rows;
  const Measured measured = measure(check, threads, watch);
  if (!watch.stopped()) set_error_and_floor(puzzle, check, measured, threads, certificate);
  if (check.blocks() > 1 && !watch.stopped() && (options.full || within_floor(certificate)))
    refute(check, options.full, threads, watch, certificate);
  conclude(watch.stopped(), certificate);
  return certificate;
}

}  // namespace humpty
