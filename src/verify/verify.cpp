// The independent check, and the certificate.
//
// An order is exact if three things hold. Its error on all rows is at the floor of the arithmetic
// that made the target (floor.cpp). Every rival, an arrangement one change away, is beyond that
// floor (rivals.cpp). And the rows say more than chance can: a wrong arrangement that has nothing
// to do with the right one explains a value with a probability of about floor / (2 · typical
// error), all values with that to the power of their number; there are n! orders of n blocks and as
// many pairings; so enough values make even one such coincidence among all of them unlikely, and
// how many are enough can be said. Where the error is at the floor and one of the other two fails,
// the order is one of several: ambiguous.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <span>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/sha256.hpp"
#include "base/watch.hpp"
#include "verify/advice.hpp"
#include "verify/answers.hpp"
#include "verify/exhaust.hpp"
#include "verify/field.hpp"
#include "verify/floor.hpp"
#include "verify/freedom.hpp"
#include "verify/larger.hpp"
#include "verify/rivals.hpp"

namespace humpty {
namespace {

using namespace verifier;

constexpr std::size_t kNoNumberIsEnough = 1'000'000'000;
constexpr double kMarginBits = 30;  // a coincidence is believed in once in 10⁹
constexpr const char* kStopped = "the check was stopped";

void check_permutation(const Puzzle& puzzle, const std::vector<int>& permutation) {
  if (permutation.size() != puzzle.pieces.size())
    throw Error(ErrorCode::usage, fmt::format("the order names {} pieces, the puzzle has {}",
                                              permutation.size(), puzzle.pieces.size()));
  std::set<int> seen;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    const Piece& piece = puzzle.piece(permutation[i]);
    if (!seen.insert(piece.id).second)
      throw Error(ErrorCode::usage, fmt::format("the order names piece {} twice", piece.id));
    const Role wanted = role_at(i, permutation.size());
    // Where h = d the shapes leave the roles open, and the order may say otherwise.
    const auto in_block = [](Role role) { return role == Role::expand || role == Role::contract; };
    const bool either = puzzle.roles_confidence < 1 && in_block(wanted) && in_block(piece.role) &&
                        piece.weight.rows == piece.weight.cols;
    if (piece.role != wanted && !either)
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

Errors errors_of(const Puzzle& puzzle, const std::vector<double>& answers) {
  Errors errors;
  for (std::size_t i = 0; i < answers.size(); ++i)
    errors.add(answers[i] - double{puzzle.rows.target.values[i]});
  return errors;
}

// Rows said twice say nothing new.
std::size_t distinct_rows(const Matrix& features) {
  std::unordered_set<std::string_view> distinct;
  for (std::size_t r = 0; r < features.rows; ++r)
    distinct.emplace(reinterpret_cast<const char*>(features.row(r)), features.cols * sizeof(float));
  return distinct.size();
}

// How many rows are needed at least before chance is ruled out; none where nothing can be mistaken.
std::size_t rows_needed(const Field& field, const Floor& floor, double typical_error) {
  const double bits_needed = log_arrangements(field.chain()) / std::log(2);
  if (bits_needed == 0) return 0;
  if (typical_error == 0) return kNoNumberIsEnough;
  constexpr double kLeastChance = 0x1p-24;  // no float32 says more than 24 bits
  const double chance = std::clamp(floor.max_abs_error / (2 * typical_error), kLeastChance, 1.0),
               bits_per_row =
                   -std::log2(chance) * double(std::min(field.outputs(), field.chain().d()));
  if (bits_per_row == 0) return kNoNumberIsEnough;
  return std::size_t(std::ceil((bits_needed + kMarginBits) / bits_per_row));
}

std::string rivals_text(const Certificate& c) {
  if (c.scope == Scope::all) return "every other arrangement of the pieces is worse";
  return c.scope == Scope::full
             ? "every exchange of blocks, of runs of blocks, of two or three W_in or W_out and "
               "every "
               "insertion is worse"
             : "every exchange of neighbouring blocks and of the pieces most alike is worse";
}

void add(std::span<const float> values, const Threads& threads, Sha256& hash) {
  constexpr std::size_t kAtATime = std::size_t{1} << 18;  // values between two looks at the flag
  for (; !values.empty(); values = values.subspan(std::min(kAtATime, values.size()))) {
    threads.check();
    const auto some = values.first(std::min(kAtATime, values.size()));
    hash.add({reinterpret_cast<const char*>(some.data()), some.size_bytes()});
  }
}

std::string fingerprint(const std::vector<Piece>& pieces, const Threads& threads) {
  Sha256 hash;
  for (const Piece& piece : pieces) {
    hash.add(fmt::format("{} {} {} {}\n", piece.id, piece.weight.rows, piece.weight.cols,
                         piece.bias.size()));
    add(piece.weight.values, threads, hash);
    add(piece.bias, threads, hash);
  }
  return hash.hex();
}

std::string fingerprint(const Rows& rows, const Threads& threads) {
  Sha256 hash;
  hash.add(fmt::format("{} {} {}\n", rows.features.rows, rows.features.cols, rows.target.cols));
  add(rows.features.values, threads, hash);
  add(rows.target.values, threads, hash);
  return hash.hex();
}

// Of what was read, whatever the files were called.
void set_fingerprints(const Puzzle& puzzle, Threads& threads, Certificate& c) {
  threads.run(2, [&](std::size_t i, unsigned) {
    if (i == 0)
      c.pieces_sha256 = fingerprint(puzzle.pieces, threads);
    else
      c.rows_sha256 = fingerprint(puzzle.rows, threads);
  });
}

void set_rivals(const Trial::Found& found, const Larger& larger, Certificate& c) {
  c.survivors.clear();
  for (std::size_t i = 0; i < found.rivals.size(); ++i)
    if (!found.refuted[i]) c.survivors.push_back(found.rivals[i]);
  // What the first look refuted is not among those found.
  c.rivals = found.rivals.size() + larger.count - larger.left.size();
  c.refuted = c.rivals - c.survivors.size();
  c.screened = larger.screened;
  if (!found.rivals.empty()) c.nearest = found.rivals[found.nearest];
}

// The error is at the floor: is this the only order there?
void conclude(const Puzzle& puzzle, bool complete, Certificate& c) {
  const std::size_t rows = distinct_rows(puzzle.rows.features);
  if (c.refuted < c.rivals) {
    c.verdict = Verdict::ambiguous;
    c.why = fmt::format("{} of {} rivals explain the rows{} equally well", c.rivals - c.refuted,
                        c.rivals, complete ? "" : " that they were shown");
  } else if (!complete) {
    c.verdict = Verdict::ambiguous;
    c.why = "every rival is worse that was looked at, but not all could be";
  } else if (rows < c.rows_needed) {
    c.verdict = Verdict::ambiguous;
    c.why = fmt::format(
        "every rival is worse, but {} distinct rows are too few to rule out an unrelated "
        "arrangement; at least {} are needed",
        rows, c.rows_needed);
    c.hints.push_back(fmt::format("{} rows or more", c.rows_needed));
  } else {
    c.verdict = Verdict::exact;
    c.why = fmt::format("the error on all rows is at the floor of {}{}", c.floor,
                        c.rivals ? " and " + rivals_text(c) : "");
  }
}

void set_floor(const Floor& floor, Certificate& c) {
  c.floor_mse = floor.mse;
  c.floor_max_abs_error = floor.max_abs_error;
  c.floor = floor.kind;
  c.noise = floor.noise;
}

// Rivals, freedom and verdict of an order whose error is at the floor.
class Certifier {
 public:
  Certifier(const Puzzle& puzzle, const std::vector<int>& permutation, const Floor& floor,
            const VerifyOptions& options, Field& field, Watch& watch, Certificate& c)
      : puzzle_(puzzle),
        permutation_(permutation),
        floor_(floor.for_rivals()),
        quick_(options.quick),
        field_(field),
        watch_(watch),
        c_(c),
        trial_(field, floor_,
               options.every_row ? Whole::every
               : options.quick   ? Whole::none
                                 : Whole::nearest,
               watch) {}

  void run() {
    c_.why =
        fmt::format("the error on all rows is at the floor of {}, but {} before {}", floor_.kind,
                    kStopped, c_.scope == Scope::floor ? "the end" : "every rival was refuted");
    if (c_.scope == Scope::floor && field_.blocks() > 1) {
      c_.verdict = Verdict::ambiguous;
      c_.why = fmt::format("the error is at the floor of {}; no rival was looked at", floor_.kind);
      return;
    }
    if (const auto rivals = rivals_of(puzzle_, permutation_, c_.scope); !rivals.empty()) {
      trial_.add(rivals);
      trial_.run();
      set_rivals(trial_.found(), larger_, c_);
    }
    if (watch_.stopped()) throw Stopped{};
    const bool tried_all = c_.scope == Scope::all && field_.blocks() > 1 && try_all();
    if (c_.scope == Scope::all && !tried_all && field_.blocks() > 1) c_.scope = Scope::full;
    if (c_.scope == Scope::full) look_further();
    if (watch_.stopped()) throw Stopped{};
    c_.rows_needed = rows_needed(field_, floor_, trial_.found().typical_error);
    conclude(puzzle_, tried_all || (trial_.found().complete && larger_.complete), c_);
    if (!c_.survivors.empty() && !c_.freedom)
      c_.freedom = find_freedom(field_, floor_, permutation_, trial_.found(), larger_, watch_);
    if (tried_all) count_exactly();
  }

 private:
  // False where so many are left by the first rows that there is no trying them on all.
  bool try_all() {
    exhausted_ = exhaust(field_, floor_, trial_.rows(), watch_);
    if (!exhausted_.complete) return false;
    c_.rivals = exhausted_.others;
    c_.refuted = exhausted_.others - exhausted_.explaining;
    c_.survivors = exhausted_.survivors;
    c_.nearest = exhausted_.nearest;
    return true;
  }

  // Nothing is inferred here.
  void count_exactly() {
    if (!c_.freedom) return;
    c_.freedom->at_least = false;
    set_count(std::log(double(exhausted_.explaining) + 1), *c_.freedom);
  }

  // Changes of three places. Where smaller ones survive already, those that follow from them are
  // no news.
  void look_further() {
    if (field_.blocks() < 3) return;
    larger_ = look_at_larger(field_, floor_, trial_.rows(), quick_, watch_);
    if (!trial_.all_refuted()) {
      const std::size_t left = larger_.left.size();
      c_.freedom = find_freedom(field_, floor_, permutation_, trial_.found(), larger_, watch_);
      larger_.count -= left - larger_.left.size();
    }
    if (watch_.stopped()) throw Stopped{};
    trial_.add(larger_.left);
    trial_.run();
    set_rivals(trial_.found(), larger_, c_);
  }

  const Puzzle& puzzle_;
  const std::vector<int>& permutation_;
  const Floor floor_;  // for rivals
  bool quick_;
  Field& field_;
  Watch& watch_;
  Certificate& c_;
  Trial trial_;
  Larger larger_;
  Exhausted exhausted_;
};

// Rows whose answers dwarf all others. What float32 does to such a row is more than any rival does
// to the others, so one of them, an outlier or a unit mixed up, would hide every difference.
std::vector<std::size_t> dwarfing_rows(const std::vector<double>& wide, std::size_t outputs) {
  constexpr double kTimes = 1e3;
  constexpr std::size_t kOneIn = 50;
  std::vector<double> size(wide.size() / outputs);
  for (std::size_t i = 0; i < wide.size(); ++i)
    size[i / outputs] = std::max(size[i / outputs], std::abs(wide[i]));
  std::vector<double> sorted = size;
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < size.size(); ++r)
    if (size[r] > kTimes * *middle) rows.push_back(r);
  if (rows.size() * kOneIn > size.size()) rows.clear();
  return rows;
}

Rows without(const Rows& rows, const std::vector<std::size_t>& left_out) {
  Rows rest = rows;
  rest.features = {0, rows.features.cols, {}};
  rest.target = {0, rows.target.cols, {}};
  for (std::size_t r = 0; r < rows.features.rows; ++r) {
    if (std::binary_search(left_out.begin(), left_out.end(), r)) continue;
    for (auto [from, to] :
         {std::pair{&rows.features, &rest.features}, {&rows.target, &rest.target}})
      to->values.append(from->row(r), from->row(r) + from->cols), ++to->rows;
  }
  return rest;
}

void check_all(const Puzzle& puzzle, const std::vector<int>& permutation,
               const VerifyOptions& options, Threads& threads, Watch& watch, Certificate& c);

// The other rows decide; these have to agree as far as their size lets one tell.
void check_without(const std::vector<std::size_t>& rows, const std::vector<double>& wide,
                   const Puzzle& puzzle, const std::vector<int>& permutation,
                   const VerifyOptions& options, Threads& threads, Watch& watch, Certificate& c) {
  constexpr double kAgrees = 1e-4;
  Puzzle rest = puzzle;
  rest.rows = without(puzzle.rows, rows);
  c.set_aside = rows;
  check_all(rest, permutation, options, threads, watch, c);
  const std::size_t o = puzzle.rows.target.cols;
  for (std::size_t k = 0; k < wide.size(); ++k) {
    const double error = std::abs(wide[k] - double{puzzle.rows.target.values[k]});
    if (!std::binary_search(rows.begin(), rows.end(), k / o)) continue;
    if (error <= kAgrees * std::abs(wide[k])) continue;
    c.verdict = Verdict::unsolved;
    c.why = fmt::format("row {} disagrees, whose answer dwarfs all others", k / o + 1);
  }
  if (!c.rows_sha256.empty()) set_fingerprints(puzzle, threads, c);
}

// Everything, with what is known so far in the certificate at any time.
void check_all(const Puzzle& puzzle, const std::vector<int>& permutation,
               const VerifyOptions& options, Threads& threads, Watch& watch, Certificate& c) {
  c.why = fmt::format("not verified: {} before all rows were run", kStopped);
  Field field(puzzle, permutation, threads);
  c.scope = settle(options.scope, field);
  const std::vector<double> wide = answers(field.chain(), puzzle.rows.features, threads, &watch);
  if (watch.stopped()) throw Stopped{};
  if (const auto rows = dwarfing_rows(wide, field.outputs()); !rows.empty() && c.set_aside.empty())
    return check_without(rows, wide, puzzle, permutation, options, threads, watch, c);
  c.rows = field.rows();

  const Errors own = errors_of(puzzle, wide);
  const double count = double(wide.size());
  c.mse = own.square_sum / count;
  c.max_abs_error = own.largest;
  c.why = fmt::format("not verified: {} before the floor was known", kStopped);
  const Floor floor = find_floor(puzzle, permutation, wide, options.noise, threads);
  set_floor(floor, c);
  if (floor.holds(own, count)) {
    Certifier(puzzle, permutation, floor, options, field, watch, c).run();
  } else {
    c.scope = Scope::floor;
    c.why = fmt::format("the error is above what {} explains", floor.kind);
    if (options.advise) advise(puzzle, wide, floor, field, c);
  }
  if (puzzle.target == Target::truth) {
    c.verdict = Verdict::unsolved;
    c.why = "a best guess: the target is the truth, which the net only approximates";
  }
  if (c.verdict != Verdict::unsolved || options.advise) set_fingerprints(puzzle, threads, c);
  c.passes = 1 + field.passes() + double(floor.rows_run) / double(field.rows());
}

}  // namespace

Certificate verify(const Puzzle& puzzle, const std::vector<int>& applied,
                   const VerifyOptions& options) {
  check_permutation(puzzle, applied);
  // Nobody doubts where the stem goes.
  const std::vector<int> permutation(applied.begin() + std::ptrdiff_t(first_block(applied.size())),
                                     applied.end());
  if (puzzle.rows.features.rows == 0)
    throw Error(ErrorCode::usage, "nothing to verify with: there are no rows");
  Threads threads(options.threads, options.cancel);
  Watch watch(options.progress, options.time_limit);
  threads.heed(watch);
  Certificate c;
  c.permutation = applied;
  c.activation = puzzle.activation;
  c.quick = options.quick;
  c.every_row = options.every_row;
  try {
    check_all(puzzle, permutation, options, threads, watch, c);
  } catch (const Stopped&) {
    c.complete = false;
    if (c.verdict == Verdict::ambiguous) c.why += "; what remains open was not counted";
    if (c.verdict == Verdict::exact) c.why = fmt::format("not verified: {}", kStopped);
    if (c.verdict == Verdict::exact) c.verdict = Verdict::unsolved;
  }
  return c;
}

}  // namespace humpty
