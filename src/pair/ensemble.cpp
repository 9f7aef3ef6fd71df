// The sum of the signals, each weighted by how well it separates.
//
// No signal wins everywhere, and none tells by itself whether it is right. But if true pairs stand
// μ deviations above strangers in a standardised table, then μ · z is the log-likelihood ratio of a
// pair up to a constant; so the sum of the tables weighted by their separations is the natural one,
// and a table that says nothing gets no weight. The separations need the pairing and the pairing
// the separations: a few turns settle both. The best of many strangers stands out by chance too,
// by one or two deviations; kChance is taken off each weight.
#include "pair/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pair/assignment.hpp"
#include "pair/ratio.hpp"
#include "pair/signals.hpp"

namespace humpty::pair {
namespace {

constexpr double kChance = 1;
constexpr int kTurns = 6;

std::vector<Signal> all_signals(const Sides& sides, const Table& ratio, Threads& threads,
                                Watch& watch) {
  std::vector<Signal> signals{{"ratio", ratio},
                              {"norms", norm_balance(sides)},
                              {"whitened", whitened_norm(sides, threads)}};
  for (Signal& signal : signals) standardise(signal.table, sides);
  Table start = signals[1].table;
  for (std::size_t at = 0; at < start.size(); ++at) start[at] += signals[2].table[at];
  signals.push_back({"bilinear", bilinear(sides, start, threads, watch)});
  return signals;
}

Table weighted_sum(const std::vector<Signal>& signals, const std::vector<double>& weight) {
  Table sum(signals[0].table.size());
  for (std::size_t s = 0; s < signals.size(); ++s)
    for (std::size_t at = 0; at < sum.size(); ++at)
      sum[at] += std::isfinite(signals[s].table[at]) ? weight[s] * signals[s].table[at]
                                                     : signals[s].table[at];
  return sum;
}

Table combine(std::vector<Signal>& signals, std::size_t n) {
  std::vector<double> weight{0, 1, 1, 1};
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::vector<std::size_t> match = assign(weighted_sum(signals, weight), n);
    for (std::size_t s = 0; s < signals.size(); ++s) {
      signals[s].separation = separation(signals[s].table, match);
      weight[s] = std::max(0.0, signals[s].separation - kChance);
    }
  }
  return weighted_sum(signals, weight);
}

}  // namespace

Ensemble pair_by_ensemble(const Puzzle& puzzle, Threads& threads, Watch& watch, std::uint64_t) {
  const Sides sides(puzzle);
  const Pairing ratio = pair_by_ratio(sides, threads);
  Ensemble result;
  result.signals = all_signals(sides, ratio.scores, threads, watch);
  result.best = pairing_by(sides, combine(result.signals, sides.size()), ratio.traces);
  return result;
}

}  // namespace humpty::pair
