// The public face of pairing: one signal or all, with ids instead of places.
#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "pair/ensemble.hpp"
#include "pair/ratio.hpp"
#include "pair/signals.hpp"

namespace humpty {
namespace {

std::vector<int> ids(const std::vector<std::size_t>& places, const Pairing& pairing) {
  std::vector<int> found;
  for (std::size_t place : places) found.push_back(pairing.contract[place]);
  return found;
}

}  // namespace

PairReport pair_pieces(const Puzzle& puzzle, const PairOptions& options) {
  Threads threads(options.threads);
  Watch watch(options.progress);
  pair::Ensemble found = pair::pair_by(options.signal, puzzle, threads, watch, options.rng);
  PairReport report;
  report.pairing = std::move(found.best);
  if (options.signal != PairSignal::ensemble && options.signal != PairSignal::bilinear)
    report.pairing.scores = pair::plain_table(options.signal, pair::Sides(puzzle), threads);
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

}  // namespace humpty
