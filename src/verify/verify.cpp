// The independent check, and the certificate.
//
// Is the error at the floor of float32 arithmetic? The target was computed in float32 by somebody
// else's program; ours recomputes it in float64. What separates the two, if the permutation is
// right, is that program's rounding. How large rounding is depends on the net, so it is measured,
// not guessed: the same chain is run once more in plain float32, and the difference from float64 is
// one sample of such rounding, on these very rows. Another program sums in another order, hence the
// factors kRmsFactor and kMaxFactor. Both the mean square and the largest error must be within
// their floors: a wrong order can hide in the mean if it matters on few rows only.
//
// Is every rival worse? Exchanging two neighbouring blocks is the least change there is. A rival is
// refuted as soon as its error, summed over the rows seen so far, is beyond what the floor allows
// for all rows together: sums only grow. On most nets a few dozen rows refute every rival.
#include <algorithm>
#include <cmath>
#include <limits>
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
constexpr std::size_t kGroupsAtOnce = 4;  // between two looks at which rivals are still alive

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

// The rows, kRows at a time, and what the chain makes of them.
class Check {
 public:
  Check(const Puzzle& puzzle, const std::vector<int>& permutation)
      : rows_(puzzle.rows), wide_(puzzle, permutation), narrow_(puzzle, permutation) {}

  std::size_t blocks() const { return wide_.blocks(); }
  std::size_t groups() const { return (rows_.features.rows + kRows - 1) / kRows; }
  double count() const { return static_cast<double>(rows_.target.values.size()); }

  // The permutation's own errors against the target, and float32's against float64.
  struct Own {
    Errors error, rounding, target;
  };
  Own own(std::size_t group) const {
    const std::vector<double> wide = answer(wide_, group);
    const std::vector<float> narrow = answer(narrow_, group);
    Own result;
    for_each_target(group, [&](double target, std::size_t at) {
      result.error.add(wide[at] - target);
      result.rounding.add(double{narrow[at]} - wide[at]);
      result.target.add(target);
    });
    return result;
  }

  // Errors of every living rival k: blocks k and k + 1 exchanged.
  std::vector<Errors> rivals(std::size_t group, const std::vector<char>& alive) const {
    std::vector<Errors> errors(alive.size());
    std::vector<double> x = load<double>(group), y(wide_.o() * kRows);
    for (std::size_t k = 0; k < alive.size(); ++k) {
      if (alive[k]) {
        std::vector<double> other = x;
        wide_.step(k + 1, other.data());
        wide_.step(k, other.data());
        for (std::size_t rest = k + 2; rest < blocks(); ++rest) wide_.step(rest, other.data());
        wide_.head(other.data(), y.data());
        for_each_target(group,
                        [&](double target, std::size_t at) { errors[k].add(y[at] - target); });
      }
      wide_.step(k, x.data());
    }
    return errors;
  }

 private:
  template <typename Real>
  std::vector<Real> load(std::size_t group) const {
    std::vector<Real> x(wide_.d() * kRows);
    for (std::size_t r = 0; r < rows_in(group); ++r)
      for (std::size_t f = 0; f < wide_.d(); ++f)
        x[f * kRows + r] = rows_.features.row(group * kRows + r)[f];
    return x;
  }

  template <typename Real>
  std::vector<Real> answer(const Chain<Real>& chain, std::size_t group) const {
    std::vector<Real> x = load<Real>(group), y(chain.o() * kRows);
    for (std::size_t block = 0; block < chain.blocks(); ++block) chain.step(block, x.data());
    chain.head(x.data(), y.data());
    return y;
  }

  std::size_t rows_in(std::size_t group) const {
    return std::min(kRows, rows_.features.rows - group * kRows);
  }

  template <typename Visit>
  void for_each_target(std::size_t group, Visit visit) const {
    for (std::size_t r = 0; r < rows_in(group); ++r)
      for (std::size_t o = 0; o < wide_.o(); ++o)
        visit(rows_.target.row(group * kRows + r)[o], o * kRows + r);
  }

  const Rows& rows_;
  Chain<double> wide_;
  Chain<float> narrow_;
};

Check::Own measure(const Check& check, Threads& threads, Watch& watch) {
  constexpr std::size_t kGroupsPerReport = 256;
  std::vector<Check::Own> parts(check.groups());
  for (std::size_t first = 0; first < parts.size(); first += kGroupsPerReport) {
    const std::size_t some = std::min(kGroupsPerReport, parts.size() - first);
    threads.run(some, [&](std::size_t i, unsigned) { parts[first + i] = check.own(first + i); });
    watch.go_on("verify", static_cast<double>(first) / static_cast<double>(parts.size()),
                "all rows in float64");
  }
  Check::Own total;
  for (const Check::Own& part : parts) {
    total.error.add(part.error);
    total.rounding.add(part.rounding);
    total.target.add(part.target);
  }
  return total;
}

void set_floor(const Check::Own& own, double count, Certificate& certificate) {
  certificate.mse = own.error.square_sum / count;
  certificate.max_abs_error = own.error.largest;
  certificate.floor_mse = kRmsFactor * kRmsFactor * own.rounding.square_sum / count +
                          kUlp * kUlp * own.target.square_sum / count;
  certificate.floor_max_abs_error =
      kMaxFactor * own.rounding.largest + 2 * kUlp * own.target.largest;
}

bool within_floor(const Certificate& certificate) {
  return certificate.mse <= certificate.floor_mse &&
         certificate.max_abs_error <= certificate.floor_max_abs_error;
}

// Runs the rivals over the rows, a few groups at a time, and drops those that are refuted (none are
// dropped if `full`).
void refute(const Check& check, bool full, Threads& threads, Watch& watch,
            Certificate& certificate) {
  const std::size_t rivals = check.blocks() - 1;
  std::vector<Errors> errors(rivals);
  std::vector<char> alive(rivals, 1), refuted(rivals, 0);
  std::size_t group = 0;
  while (group < check.groups() && std::count(alive.begin(), alive.end(), 1) > 0) {
    const std::size_t some = std::min(kGroupsAtOnce, check.groups() - group);
    std::vector<std::vector<Errors>> parts(some);
    threads.run(some, [&](std::size_t i, unsigned) { parts[i] = check.rivals(group + i, alive); });
    for (std::size_t k = 0; k < rivals; ++k) {
      for (const auto& part : parts) errors[k].add(part[k]);
      refuted[k] = !(errors[k].square_sum <= certificate.floor_mse * check.count() &&
                     errors[k].largest <= certificate.floor_max_abs_error);
      alive[k] = full || !refuted[k];
    }
    group += some;
    if (!watch.go_on("verify", static_cast<double>(group) / static_cast<double>(check.groups()),
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
  certificate.rival_is_bound = group < check.groups() || !full;
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
  set_floor(measure(check, threads, watch), check.count(), certificate);
  if (check.blocks() > 1 && !watch.stopped() && (options.full || within_floor(certificate)))
    refute(check, options.full, threads, watch, certificate);
  conclude(watch.stopped(), certificate);
  return certificate;
}

}  // namespace humpty
