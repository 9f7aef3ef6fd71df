// The public face of pairing: one signal or all, with ids instead of places.
#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "pair/ensemble.hpp"
#include "pair/ratio.hpp"
#include "pair/signals.hpp"
#include "puzzle/pieces.hpp"
#include "puzzle/roles.hpp"

namespace humpty {
namespace {

std::vector<int> ids(const std::vector<std::size_t>& places, const Pairing& pairing) {
  std::vector<int> found;
  for (std::size_t place : places) found.push_back(pairing.contract[place]);
  return found;
}

PairReport pair_sides(const pair::Sides& sides, double roles_confidence,
                      const PairOptions& options) {
  Threads threads(options.threads, options.cancel);
  Watch watch(options.progress);
  pair::Ensemble found =
      pair::pair_by(options.signal, sides, roles_confidence, threads, watch, options.rng);
  PairReport report;
  report.pairing = std::move(found.best);
  if (options.signal != PairSignal::ensemble && options.signal != PairSignal::bilinear)
    report.pairing.scores = pair::plain_table(options.signal, sides, threads);
  for (std::size_t i = 0; i < report.pairing.expand.size(); ++i) {
    report.margins.push_back(pair::margin(report.pairing, i));
    report.candidates.push_back(ids(found.candidates[i], report.pairing));
  }
  for (const auto& match : found.alternatives)
    report.alternatives.push_back(ids(match, report.pairing));
  report.confidence = std::move(found.confidence);
  report.trace = found.signal;
  report.separation = found.separation;
  report.chance = found.chance;
  for (const pair::Signal& signal : found.signals)
    report.signals.emplace_back(signal.name, signal.separation);
  return report;
}

}  // namespace

PairReport pair_pieces(const Puzzle& puzzle, const PairOptions& options) {
  return pair_sides(pair::Sides(puzzle), puzzle.roles_confidence, options);
}

PairReport pair_pieces(const std::vector<Piece>& expand, const std::vector<Piece>& contract,
                       const Piece* head, const PairOptions& options) {
  std::vector<Piece> pieces;
  for (const auto& [side, role] : {std::pair{&expand, Role::expand}, {&contract, Role::contract}})
    for (std::size_t i = 0; i < side->size(); ++i) {
      pieces.push_back((*side)[i]);
      pieces.back().id = static_cast<int>(i);
      pieces.back().role = role;
      puzzle::check_finite(pieces.back());
    }
  if (pieces.empty()) throw Error(ErrorCode::usage, "there are no pieces to pair");
  const std::size_t d = expand.empty() ? contract[0].weight.rows : expand[0].weight.cols;
  puzzle::check_sides(pieces, d);
  if (head && head->weight.cols != d)
    throw Error(ErrorCode::bad_shape,
                fmt::format("the head takes {} inputs, the stream has {}", head->weight.cols, d));
  std::vector<const Piece*> in, out;
  for (const Piece& piece : pieces) (piece.role == Role::expand ? in : out).push_back(&piece);
  return pair_sides(pair::Sides(in, out, head), 1, options);
}

}  // namespace humpty
