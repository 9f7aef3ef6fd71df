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
#include <map>
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
#include "verify/field.hpp"
#include "verify/floor.hpp"
#include "verify/freedom.hpp"
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

// log2 of how many arrangements of the pieces can be run: orders times pairings, width by width.
double log2_arrangements(const Field& field) {
  std::map<std::size_t, std::size_t> widths;
  for (std::size_t b = 0; b < field.blocks(); ++b) ++widths[field.chain().hidden(b)];
  double sum = std::lgamma(double(field.blocks()) + 1);
  for (const auto& [width, count] : widths) sum += std::lgamma(double(count) + 1);
  return sum / std::log(2);
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
  const double bits_needed = log2_arrangements(field);
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
  return c.scope == Scope::full
             ? "every exchange of two blocks, of two W_in or W_out and every insertion is worse"
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

void set_contest(const Contest& found, Certificate& c) {
  c.rivals = found.rivals.size();
  c.refuted = found.refuted_count();
  if (c.rivals > 0) c.nearest = found.rivals[found.nearest];
  for (std::size_t i = 0; i < found.rivals.size(); ++i)
    if (!found.refuted[i]) c.survivors.push_back(found.rivals[i]);
}

// The error is at the floor: is this the only order there?
void conclude(const Puzzle& puzzle, const Contest& found, Certificate& c) {
  const std::size_t rows = distinct_rows(puzzle.rows.features);
  if (!c.survivors.empty()) {
    c.verdict = Verdict::ambiguous;
    c.why = fmt::format("{} of {} rivals explain the rows{} equally well", c.survivors.size(),
                        c.rivals, found.complete ? "" : " that they were shown");
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
}

// Rivals, freedom and verdict of an order whose error is at the floor.
void certify(const Puzzle& puzzle, const std::vector<int>& permutation, const Floor& floor,
             const VerifyOptions& options, Field& field, Watch& watch, Certificate& c) {
  const Whole whole = options.every_row       ? Whole::every
                      : options.whole_nearest ? Whole::nearest
                                              : Whole::none;
  c.why = fmt::format("the error on all rows is at the floor of {}, but {} before {}", floor.kind,
                      kStopped, c.scope == Scope::floor ? "the end" : "every rival was refuted");
  const Contest found =
      contest(field, floor, rivals_of(puzzle, permutation, c.scope), whole, watch);
  set_contest(found, c);
  if (watch.stopped()) throw Stopped{};
  if (c.scope == Scope::floor && field.blocks() > 1) {
    c.verdict = Verdict::ambiguous;
    c.why = fmt::format("the error is at the floor of {}; no rival was looked at", floor.kind);
    return;
  }
  c.rows_needed = rows_needed(field, floor, found.typical_error);
  conclude(puzzle, found, c);
  if (!c.survivors.empty())
    c.freedom = find_freedom(field, floor, permutation, found, c.scope, watch);
}

// Everything, with what is known so far in the certificate at any time.
void check_all(const Puzzle& puzzle, const std::vector<int>& permutation,
               const VerifyOptions& options, Threads& threads, Watch& watch, Certificate& c) {
  c.why = fmt::format("not verified: {} before all rows were run", kStopped);
  Field field(puzzle, permutation, threads);
  c.scope = settle(options.scope, field);
  const std::vector<double> wide = answers(field.chain(), puzzle.rows.features, threads, &watch);
  if (watch.stopped()) throw Stopped{};
  c.rows = field.rows();

  const Errors own = errors_of(puzzle, wide);
  const double count = double(wide.size());
  c.mse = own.square_sum / count;
  c.max_abs_error = own.largest;
  c.why = fmt::format("not verified: {} before the floor was known", kStopped);
  const Floor floor = find_floor(puzzle, permutation, wide, options.noise, threads);
  set_floor(floor, c);
  if (floor.holds(own, count)) {
    certify(puzzle, permutation, floor, options, field, watch, c);
  } else {
    c.scope = Scope::floor;
    c.why = fmt::format("the error is above what {} explains", floor.kind);
    if (options.advise) advise(puzzle, wide, field, c);
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
  c.noise = options.noise;
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

std::string text(const Rival& rival) {
  const std::size_t a = rival.a + 1, b = rival.b + 1;
  switch (rival.kind) {
    case Rival::Kind::swap:
      return fmt::format("exchanging blocks {} and {}", a, b);
    case Rival::Kind::insertion:
      return fmt::format("moving block {} to place {}", a, b);
    case Rival::Kind::exchange_out:
      return fmt::format("exchanging W_out of blocks {} and {}", a, b);
    case Rival::Kind::exchange_in:
      return fmt::format("exchanging W_in of blocks {} and {}", a, b);
  }
  return "?";
}

std::vector<int> after(const Rival& rival, std::vector<int> permutation) {
  const std::size_t first = first_block(permutation.size()), blocks = (permutation.size() - 1) / 2;
  if (rival.a >= blocks || rival.b >= blocks)
    throw Error(ErrorCode::usage, fmt::format("there are only {} blocks", blocks));
  const Arrangement arrangement(rival, blocks);
  const std::vector<int> before = permutation;
  for (std::size_t place = 0; place < blocks; ++place) {
    permutation[first + 2 * place] = before[first + 2 * arrangement.in[place]];
    permutation[first + 2 * place + 1] = before[first + 2 * arrangement.out[place] + 1];
  }
  return permutation;
}

}  // namespace humpty
