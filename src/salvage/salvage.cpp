// Damaged sets: sort the heap, put together what the data says belongs together, name the rest.
//
// Decoys and copies are out after sorting (sort.cpp). Of the blocks that remain the rows choose
// those of the net (choose.cpp): all, or without those of another net. If the error is then at the
// floor, that is all. If it is small, a block is missing, whole or in half, and its place is looked
// for (gap.cpp). If it is large, the search has failed, and the solver gets its chance.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "net/stem.hpp"
#include "salvage/choose.hpp"
#include "salvage/gap.hpp"
#include "salvage/sort.hpp"
#include "solve/answer.hpp"

namespace humpty {
namespace salvager {
namespace {

constexpr std::array<std::size_t, 2> kRows = {96, 384};  // that choose, until one will do
constexpr std::size_t kManyRows = 4096;                  // for the last word on neighbours
constexpr double kSmall = 0.05;  // part of the target's variance that a missing block may explain

Puzzle puzzle_of(const Puzzle& heap, const Sorted& sorted, const order::Order& blocks,
                 const Piece& head) {
  Puzzle puzzle{{}, heap.rows, heap.activation, heap.target};
  for (std::size_t b : blocks) {
    puzzle.pieces.push_back(sorted.expand[b]);
    puzzle.pieces.push_back(sorted.contract[b]);
  }
  puzzle.pieces.push_back(head);
  std::stable_sort(puzzle.pieces.begin(), puzzle.pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.id < b.id; });
  return puzzle;
}

std::vector<int> permutation_of(const Sorted& sorted, const order::Order& blocks,
                                const Piece& head) {
  std::vector<int> ids;
  for (std::size_t b : blocks) ids.insert(ids.end(), {sorted.expand[b].id, sorted.contract[b].id});
  ids.push_back(head.id);
  return ids;
}

order::Order all_blocks(const Sorted& sorted) {
  order::Order all(sorted.expand.size());
  for (std::size_t b = 0; b < all.size(); ++b) all[b] = b;
  return all;
}

// Far below any error of a wrong order, far above float32's.
double search_floor(const Matrix& target) { return 1e-10 * (1e-10 + net::variance(target)); }

bool better(const Certificate& a, const Certificate& b) {
  return a.verdict != b.verdict ? a.verdict < b.verdict : a.mse < b.mse;
}

// One salvage from start to end: the time limit and a wish to stop hold for all of it, as they do
// for a solve. A stop is an exception (base/watch.hpp), caught in put_together(), which knows the
// best choice so far; the verifier looks at that for kGrace seconds more.
struct Run {
  const SolveOptions& options;
  Threads threads;
  Watch watch;

  explicit Run(const SolveOptions& given)
      : options(given),
        threads(given.threads, given.cancel),
        watch(given.progress, given.time_limit) {
    threads.heed(watch);
  }

  VerifyOptions checking(Scope scope) const {
    constexpr double kGrace = 0.3;
    const bool asked = watch.why() == Stop::asked;
    return {.scope = scope,
            .noise = options.noise,
            .threads = options.threads,
            .time_limit = asked ? kGrace : std::max(watch.seconds_left(), 0.0) + kGrace,
            .progress = asked ? nullptr : options.progress,
            .cancel = options.cancel};
  }
  // Where the verifier or the solver was stopped, so is all the rest.
  void stopped_within() { watch.stop(watch.seconds_left() > 0 ? Stop::asked : Stop::out_of_time); }
};

Certificate certificate_of(const Puzzle& puzzle, const std::vector<int>& permutation, Run& run) {
  Certificate certificate = verify(puzzle, permutation, run.checking(run.options.certificate));
  if (!certificate.complete) run.stopped_within();
  return certificate;
}

// Takes the choice if it is better than what there is.
void keep_better(const Puzzle& heap, const Sorted& sorted, const order::Order& chosen,
                 const Piece& head, Run& run, Salvaged& salvaged) {
  Puzzle puzzle = puzzle_of(heap, sorted, chosen, head);
  const std::vector<int> permutation = permutation_of(sorted, chosen, head);
  const Certificate certificate = certificate_of(puzzle, permutation, run);
  if (!salvaged.solution.permutation.empty() && !better(certificate, salvaged.solution.certificate))
    return;
  Solution solution;
  solution.pairing = scored_or_not(puzzle, run.threads);
  set_permutation(permutation, solution);
  solution.firm_pairs = firm_pairs(solution);
  solution.activation = puzzle.activation;
  solution.seed = "the choice of blocks";
  solution.certificate = certificate;
  solution.verdict = certificate.verdict;
  salvaged.solution = std::move(solution);
  salvaged.puzzle = std::move(puzzle);
}

// In the time that is left.
void try_all(const Puzzle& heap, const Sorted& sorted, Run& run, Salvaged& salvaged) {
  SolveOptions options = run.options;
  for (const Piece& head : sorted.heads) {
    if (options.time_limit > 0) options.time_limit = run.watch.seconds_left();
    if (run.watch.stopped() || options.time_limit < 0) return;
    const Puzzle puzzle = puzzle_of(heap, sorted, all_blocks(sorted), head);
    Solution solution = solve(puzzle, options);
    if (!solution.stopped.empty()) run.stopped_within();
    if (!salvaged.solution.permutation.empty() &&
        !better(solution.certificate, salvaged.solution.certificate))
      continue;
    salvaged.solution = std::move(solution);
    salvaged.puzzle = puzzle;
  }
}

// With one head. `chosen` is the best choice so far wherever a stop ends this.
void choose_blocks(const Puzzle& heap, const Sorted& sorted, const Piece& head, Run& run,
                   order::Standing& chosen, Salvaged& salvaged) {
  const std::size_t all = heap.rows.features.rows;
  const double floor = search_floor(heap.rows.target);
  std::vector<net::Net::Pair> blocks;
  for (std::size_t b = 0; b < sorted.expand.size(); ++b)
    blocks.push_back({&sorted.expand[b], &sorted.contract[b]});
  const net::Net net(blocks, head, heap.activation);
  choose(net, net::Batch(heap.rows, 0, std::min(kRows[0], all)), run.threads, run.watch, chosen);
  for (std::size_t rows : kRows) {
    if (salvaged.solution.verdict != Verdict::unsolved) break;
    improve(net, net::Batch(heap.rows, 0, std::min(rows, all)), floor, run.threads, run.watch,
            chosen);
    keep_better(heap, sorted, chosen.order, head, run, salvaged);
  }
  if (salvaged.solution.verdict != Verdict::unsolved) return;
  sort_neighbours(net, net::Batch(heap.rows, 0, std::min(kManyRows, all)), run.threads, run.watch,
                  chosen);
  keep_better(heap, sorted, chosen.order, head, run, salvaged);
}

void try_choosing(const Puzzle& heap, const Sorted& sorted, Run& run, Salvaged& salvaged) {
  for (const Piece& head : sorted.heads) {
    order::Standing chosen{all_blocks(sorted), HUGE_VAL};
    try {
      if (!run.watch.stopped()) choose_blocks(heap, sorted, head, run, chosen, salvaged);
    } catch (const Stopped&) {
    }
    if (!run.watch.stopped()) continue;
    return keep_better(heap, sorted, chosen.order, head, run, salvaged);
  }
}

// Whatever is not in the answer, and what may be thought of it.
void name_the_rest(const Sorted& sorted, Salvaged& salvaged) {
  salvaged.left_out = sorted.left_out;
  const auto used = [&](int id) {
    const auto& ids = salvaged.solution.permutation;
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  const bool complete = salvaged.solution.verdict != Verdict::unsolved;
  for (const Piece& piece : sorted.lone)
    salvaged.left_out.push_back(
        {piece.id, fmt::format("{}{} piece without a partner", complete ? "a decoy: " : "",
                               piece.role == Role::expand ? "an expand" : "a contract")});
  for (std::size_t b = 0; b < sorted.expand.size(); ++b)
    if (!used(sorted.expand[b].id))
      for (const auto& [own, other] : {std::pair{&sorted.expand[b], &sorted.contract[b]},
                                       {&sorted.contract[b], &sorted.expand[b]}})
        salvaged.left_out.push_back(
            {own->id, fmt::format("a block with piece {}, {}", other->id,
                                  complete ? "but of another net"
                                           : "without which the rows are explained better")});
  for (const Piece& head : sorted.heads)
    if (!used(head.id))
      salvaged.left_out.push_back({head.id, complete ? "the head of another net"
                                                     : "a head that explains the rows less well"});
  std::sort(salvaged.left_out.begin(), salvaged.left_out.end(),
            [](const auto& a, const auto& b) { return a.piece < b.piece; });
}

// Only if exactly one half is left can it be the missing block's.
void look_for_gap(const Sorted& sorted, Run& run, Salvaged& salvaged) {
  const Piece* half = sorted.lone.size() == 1 ? &sorted.lone[0] : nullptr;
  const std::vector<Gap> gaps =
      find_gap(salvaged.puzzle, salvaged.solution.permutation, half, run.threads, run.watch);
  salvaged.gap = gaps[0].place;
  for (std::size_t i = 1; i < std::min<std::size_t>(4, gaps.size()); ++i)
    salvaged.or_here.push_back(gaps[i].place);
  salvaged.remarks.push_back(fmt::format(
      "a block is missing{}: most likely before the block at place {} of the order (a layer there "
      "explains {:.0f} % of the error), else before {}, {} or {}",
      half ? fmt::format(", of which piece {} is one half", half->id) : "", gaps[0].place + 1,
      100 * (1 - gaps[0].left), gaps[std::min<std::size_t>(1, gaps.size() - 1)].place + 1,
      gaps[std::min<std::size_t>(2, gaps.size() - 1)].place + 1,
      gaps[std::min<std::size_t>(3, gaps.size() - 1)].place + 1));
}

Salvaged put_together(const Puzzle& heap, const Sorted& sorted, Run& run) {
  if (sorted.expand.empty())
    throw Error(ErrorCode::bad_shape, "no two pieces of this heap belong together");
  Salvaged salvaged;
  try_choosing(heap, sorted, run, salvaged);
  const Certificate& found = salvaged.solution.certificate;
  if (found.verdict == Verdict::unsolved && found.mse > kSmall * net::variance(heap.rows.target))
    try_all(heap, sorted, run, salvaged);
  name_the_rest(sorted, salvaged);
  try {
    if (salvaged.solution.verdict == Verdict::unsolved && !run.watch.stopped())
      look_for_gap(sorted, run, salvaged);
  } catch (const Stopped&) {
    salvaged.remarks.push_back("stopped before the place of a missing block was found");
  }
  return salvaged;
}

Salvaged sort_out(const Puzzle& heap, Run& run) {
  const Sorted likely = sort_heap(heap, Pairs::that_stand_out, run.threads);
  if (likely.expand.empty())
    return put_together(heap, sort_heap(heap, Pairs::all, run.threads), run);
  Salvaged salvaged = put_together(heap, likely, run);
  if (salvaged.solution.verdict != Verdict::unsolved || run.watch.stopped()) return salvaged;
  const Sorted all = sort_heap(heap, Pairs::all, run.threads);
  if (likely.expand.size() == all.expand.size()) return salvaged;
  Salvaged other = put_together(heap, all, run);
  return other.solution.verdict != Verdict::unsolved ? other : salvaged;
}

// Where no head takes the features themselves, a stem does, and gives what a head takes.
std::vector<Piece> possible_stems(const Puzzle& heap) {
  const auto has = [&](std::size_t rows, std::size_t cols) {
    return std::any_of(heap.pieces.begin(), heap.pieces.end(), [&](const Piece& piece) {
      return piece.weight.rows == rows && piece.weight.cols == cols;
    });
  };
  const std::size_t features = heap.rows.features.cols, outputs = heap.rows.target.cols;
  std::vector<Piece> stems;
  if (has(outputs, features)) return stems;
  for (const Piece& piece : heap.pieces)
    if (piece.weight.cols == features && has(outputs, piece.weight.rows)) stems.push_back(piece);
  for (Piece& stem : stems) stem.role = Role::stem;
  return stems;
}

// What lies behind a stem is a heap without one.
Salvaged sort_out_behind(const Piece& stem, const Puzzle& heap, Run& run) {
  Puzzle inner = heap;
  std::erase_if(inner.pieces, [&](const Piece& piece) { return same(piece, stem); });
  Threads threads(run.options.threads, run.options.cancel);  // one layer: no stop is needed
  inner.rows.features = net::after_stem(stem, heap.rows.features, threads);
  Salvaged salvaged = sort_out(inner, run);
  Solution& solution = salvaged.solution;
  std::vector<int> permutation = solution.permutation;
  permutation.insert(permutation.begin(), stem.id);
  set_permutation(std::move(permutation), solution);
  for (const Piece& piece : heap.pieces)
    if (piece.id != stem.id && same(piece, stem))
      salvaged.left_out.push_back({piece.id, fmt::format("a copy of piece {}", stem.id)});
  salvaged.puzzle.rows = heap.rows;
  auto& pieces = salvaged.puzzle.pieces;
  pieces.insert(std::find_if(pieces.begin(), pieces.end(),
                             [&](const Piece& piece) { return piece.id > stem.id; }),
                stem);
  solution.certificate = certificate_of(salvaged.puzzle, solution.permutation, run);
  solution.verdict = solution.certificate.verdict;
  return salvaged;
}

Salvaged sort_out_all(const Puzzle& heap, Run& run) {
  const std::vector<Piece> stems = possible_stems(heap);
  if (stems.empty()) return sort_out(heap, run);
  Salvaged best = sort_out_behind(stems[0], heap, run);
  for (std::size_t i = 1; i < stems.size(); ++i) {
    if (best.solution.verdict != Verdict::unsolved || run.watch.stopped()) break;
    Salvaged found = sort_out_behind(stems[i], heap, run);
    if (better(found.solution.certificate, best.solution.certificate)) best = std::move(found);
  }
  return best;
}

// The error of what was found under every activation, the least first; none once stopped.
std::vector<std::pair<double, Activation>> errors_by_activation(const Salvaged& found, Run& run) {
  std::vector<std::pair<double, Activation>> errors;
  Puzzle puzzle = found.puzzle;
  for (Activation each : all_activations()) {
    if (run.watch.stopped()) return {};
    puzzle.activation = each;
    VerifyOptions options = run.checking(Scope::floor);
    options.advise = false;
    const Certificate certificate = verify(puzzle, found.solution.permutation, options);
    if (!certificate.complete) run.stopped_within();
    errors.emplace_back(std::isfinite(certificate.mse) ? certificate.mse : HUGE_VAL, each);
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

// Where no activation is given the heap is sorted for the first guess at it, then for the others,
// beginning with the one that explains the rows best with what was found, until one explains them
// all. Where little is left to explain, another must do so clearly better with the same order: relu
// and leaky are too much alike for less.
Salvaged sort_out_any(Puzzle heap, Run& run) {
  constexpr double kClearly = 0.5;
  const double small = kSmall * net::variance(heap.rows.target);
  Salvaged best = sort_out_all(heap, run);
  const Activation first = heap.activation;
  for (const auto& [error, activation] : errors_by_activation(best, run)) {
    const Certificate& so_far = best.solution.certificate;
    const bool little = so_far.mse < small && error > kClearly * so_far.mse;
    if (so_far.verdict != Verdict::unsolved || little || run.watch.stopped()) break;
    if (activation == first) continue;
    heap.activation = activation;
    Salvaged found = sort_out_all(heap, run);
    if (better(found.solution.certificate, so_far)) best = std::move(found);
  }
  best.remarks.insert(best.remarks.begin(),
                      fmt::format("no activation was given; by the rows it is taken to be {}",
                                  name(best.puzzle.activation)));
  return best;
}

}  // namespace
}  // namespace salvager

Salvaged salvage(const Puzzle& heap, const SolveOptions& options) {
  if (heap.rows.features.rows == 0)
    throw Error(ErrorCode::usage, "--salvage needs data: rows decide what belongs together");
  salvager::Run run(options);
  Salvaged salvaged =
      heap.activation_known ? salvager::sort_out_all(heap, run) : salvager::sort_out_any(heap, run);
  if (run.watch.stopped())
    salvaged.solution.stopped = run.watch.why() == Stop::asked ? "asked to" : "time limit";
  return salvaged;
}

}  // namespace humpty
