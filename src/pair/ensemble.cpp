// The sum of the signals, each weighted by how well it separates.
//
// No signal wins everywhere. But if true pairs stand μ deviations above strangers in a standardised
// table, then μ · z is the log-likelihood ratio of a pair up to a constant; so the sum of the
// tables weighted by their separations is the natural one, and a table that says nothing gets no
// weight. The separations need the pairing and the pairing the separations: a few turns settle
// both. The best of many strangers stands out by chance too: kChance is taken off each weight.
//
// Is it the truth, or the best that chance can do? The net itself tells: with the hidden units of
// every contract piece shuffled no unit lines up with any other, whatever the pieces look like, and
// what the same method still finds is chance. Dead units or few pieces can make that large: the
// separation alone tells nothing (untrained nets reach 2.5, some right pairings 1.8).
#include "pair/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "pair/assignment.hpp"
#include "pair/confidence.hpp"
#include "pair/ratio.hpp"
#include "pair/signals.hpp"
#include "pair/square.hpp"

namespace humpty::pair {
namespace {

constexpr double kChance = 1, kLeastWeight = 0.05;
constexpr int kTurns = 6;
constexpr double kClearSeparation = 4.5;
constexpr double kSureRoles = 0.95, kLearntRoles = 0.9;

// Means over many pieces hardly vary: large nets, where each costs minutes, need fewer shuffles and
// fewer first guesses.
std::size_t shuffles(const Sides& sides) {
  return sides.size() < 24 ? 8 : sides.size() < 100 ? 4 : 1;
}
std::size_t most_attempts(const Sides& sides) { return sides.size() < 256 ? 4 : 2; }

Table weighted_sum(const std::vector<Signal>& signals, const std::vector<double>& weight) {
  Table sum = signals[0].table;
  for (std::size_t at = 0; at < sum.size(); ++at) {
    if (!std::isfinite(sum[at])) continue;
    sum[at] = 0;
    for (std::size_t s = 0; s < signals.size(); ++s)
      if (weight[s] != 0) sum[at] += weight[s] * signals[s].table[at];
  }
  return sum;
}

// The log-likelihood ratios of all pairs, as far as they can be had.
Table combine(std::vector<Signal>& signals, std::size_t n) {
  std::vector<double> weight(signals.size());
  weight.back() = 1;  // the learnt form has the first word: its own first guess used the others
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::vector<std::size_t> match = assign(weighted_sum(signals, weight), n);
    for (std::size_t s = 0; s < signals.size(); ++s) {
      signals[s].separation = separation(signals[s].table, match);
      weight[s] = std::max(kLeastWeight, signals[s].separation - kChance);
    }
  }
  return weighted_sum(signals, weight);
}

double separation_of(const Pairing& pairing, const Sides& sides) {
  Table table = pairing.scores;
  standardise(table, sides);
  return separation(table, pairing.match);
}

// What needs no learning, standardised.
std::vector<Signal> plain_signals(const Sides& sides, Threads& threads) {
  std::vector<Signal> signals{{PairSignal::ratio, ratio_table(sides, threads)},
                              {PairSignal::norms, norm_balance(sides)},
                              {PairSignal::whitened, whitened_norm(sides, threads)}};
  for (Signal& signal : signals) standardise(signal.table, sides);
  return signals;
}

// First guesses for the learnt form: what the plain signals say, also with norms the other way
// round (as they are where somebody has rescaled the units), then anything.
Table first_guess(const std::vector<Signal>& plain, std::size_t attempt, const Sides& sides,
                  Random& random) {
  if (attempt == 0) return weighted_sum(plain, {0, 1, 1});
  if (attempt == 1) return weighted_sum(plain, {0, -1, 1});
  if (attempt == 2) return weighted_sum(plain, {1, 1, 1});
  Table guess = forbidden_table(sides);
  for (const Width& width : sides.widths)
    for (std::size_t i : width.expand)
      for (std::size_t j : width.contract) guess[i * sides.size() + j] = random.normal();
  return guess;
}

struct Attempts {
  std::size_t most, made = 0;
  double enough;  // a separation at which no further attempt is made
};

void keep_better(std::vector<Signal> signals, const Sides& sides, Ensemble& best) {
  Pairing pairing = pairing_by(sides, combine(signals, sides.size()), {});
  const double reached = separation_of(pairing, sides);
  if (!best.signals.empty() && reached <= best.separation) return;
  best.best = std::move(pairing);
  best.signals = std::move(signals);
  best.separation = reached;
}

// Learns the form from several first guesses and keeps what separates best: alone, or with the
// plain signals' help.
Ensemble pair_learning(const Sides& sides, bool alone, Attempts& attempts, Threads& threads,
                       Watch& watch, Random& random) {
  const std::vector<Signal> plain = plain_signals(sides, threads);
  std::vector<const Table*> help;
  for (const Signal& signal : plain)
    if (!alone) help.push_back(&signal.table);
  Ensemble best;
  for (attempts.made = 0; attempts.made < attempts.most;) {
    const Table guess = first_guess(plain, attempts.made++, sides, random);
    std::vector<Signal> signals = alone ? std::vector<Signal>{} : plain;
    signals.push_back({PairSignal::bilinear, bilinear(sides, guess, help, threads, watch)});
    keep_better(std::move(signals), sides, best);
    if (best.separation >= attempts.enough || watch.stopped()) break;
  }
  return best;
}

Ensemble pair_sides(PairSignal signal, const Sides& sides, Attempts& attempts, Threads& threads,
                    Watch& watch, Random& random) {
  if (signal == PairSignal::ensemble || signal == PairSignal::bilinear)
    return pair_learning(sides, signal == PairSignal::bilinear, attempts, threads, watch, random);
  Ensemble only;
  Table table = plain_table(signal, sides, threads);
  standardise(table, sides);
  keep_better({{signal, std::move(table)}}, sides, only);
  return only;
}

Piece shuffle_units(const Piece& contract, Random& random) {
  std::vector<std::size_t> from(contract.weight.cols);
  std::iota(from.begin(), from.end(), std::size_t{0});
  random.shuffle(from);
  Piece shuffled = contract;
  for (std::size_t r = 0; r < contract.weight.rows; ++r)
    for (std::size_t k = 0; k < from.size(); ++k)
      shuffled.weight.row(r)[k] = contract.weight.row(r)[from[k]];
  return shuffled;
}

struct Chance {
  double mean = 0, spread = 0;
};

// Mean and deviation; few numbers say little of the latter, so it leans on what is usual:
// separations are means over n pairs.
Chance summary(const std::vector<double>& reached, std::size_t n) {
  constexpr double kUsual = 1.2, kWeight = 4;
  const double count = static_cast<double>(reached.size());
  const double mean = std::accumulate(reached.begin(), reached.end(), 0.0) / count;
  double square = kWeight * kUsual * kUsual / static_cast<double>(n);
  for (double value : reached) square += (value - mean) * (value - mean);
  return {mean, std::sqrt(square / (count - 1 + kWeight))};
}

// The separations that the same pieces reach when their units do not line up.
Chance chance_separation(PairSignal signal, const Sides& sides, Attempts attempts, Threads& threads,
                         Watch& watch, Random& random) {
  std::vector<double> reached;
  for (std::size_t k = 0; k < shuffles(sides); ++k) {
    std::vector<Piece> shuffled;
    std::vector<const Piece*> contract;
    for (const Piece* piece : sides.contract) shuffled.push_back(shuffle_units(*piece, random));
    for (const Piece& piece : shuffled) contract.push_back(&piece);
    const Sides strangers(sides.expand, contract, sides.head);
    reached.push_back(pair_sides(signal, strangers, attempts, threads, watch, random).separation);
  }
  return summary(reached, sides.size());
}

double total(const Pairing& pairing, const std::vector<std::size_t>& match) {
  double sum = 0;
  for (std::size_t i = 0; i < match.size(); ++i) sum += pairing.scores[i * match.size() + match[i]];
  return sum;
}

struct Found {
  Sides sides;
  Ensemble ensemble;
  double sure_of_roles;
};

// Where the roles of square pieces are in doubt: learns with them on both sides, and keeps the
// roles that follow if their pairs separate better.
void try_other_roles(Found& found, Attempts attempts, Threads& threads, Watch& watch,
                     Random& random) {
  constexpr PairSignal kAll = PairSignal::ensemble;
  const Sides both = doubled(found.sides);
  const Ensemble learnt = pair_sides(kAll, both, attempts, threads, watch, random);
  const Sides sides = oriented(found.sides, learnt.best.scores);
  Ensemble ensemble = pair_sides(kAll, sides, attempts, threads, watch, random);
  if (ensemble.separation > found.ensemble.separation)
    found = {sides, std::move(ensemble), kLearntRoles};
}

// What the single signals would say, and each together with the learnt form.
std::vector<std::vector<std::size_t>> other_pairings(const Ensemble& ensemble) {
  const std::size_t n = ensemble.best.match.size(), signals = ensemble.signals.size();
  std::set<std::vector<std::size_t>> distinct;
  for (std::size_t s = 0; s < signals; ++s) {
    std::vector<double> weight(signals);
    weight[s] = 1;
    distinct.insert(assign(weighted_sum(ensemble.signals, weight), n));
    weight.back() = 1;
    distinct.insert(assign(weighted_sum(ensemble.signals, weight), n));
  }
  distinct.erase(ensemble.best.match);
  std::vector<std::vector<std::size_t>> found(distinct.begin(), distinct.end());
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    return total(ensemble.best, a) > total(ensemble.best, b);
  });
  return found;
}

}  // namespace

Table plain_table(PairSignal signal, const Sides& sides, Threads& threads) {
  if (signal == PairSignal::ratio) return ratio_table(sides, threads);
  if (signal == PairSignal::norms) return norm_balance(sides);
  return whitened_norm(sides, threads);
}

Ensemble pair_by(PairSignal signal, const Puzzle& puzzle, Threads& threads, Watch& watch,
                 std::uint64_t rng) {
  return pair_by(signal, Sides(puzzle), puzzle.roles_confidence, threads, watch, rng);
}

Ensemble pair_by(PairSignal signal, const Sides& sides, double roles_confidence, Threads& threads,
                 Watch& watch, std::uint64_t rng) {
  Random random(rng);
  Found found{sides, {}, roles_confidence};
  Attempts attempts{most_attempts(found.sides), 0, kClearSeparation};
  found.ensemble = pair_sides(signal, found.sides, attempts, threads, watch, random);
  if (found.sure_of_roles < kSureRoles && signal == PairSignal::ensemble)
    try_other_roles(found, attempts, threads, watch, random);
  attempts.most = attempts.made;
  Ensemble result = std::move(found.ensemble);
  result.best.signal = signal;
  const Chance chance = chance_separation(signal, found.sides, attempts, threads, watch, random);
  result.chance = chance.mean;
  result.chance_spread = chance.spread;
  Belief belief =
      believe(result.best, (result.separation - chance.mean) / chance.spread, found.sides);
  for (std::size_t i = 0; i < found.sides.size(); ++i)  // whose roles shapes do not tell
    if (found.sides.expand[i]->weight.rows == found.sides.d())
      belief.confidence[i] *= found.sure_of_roles;
  result.signal = belief.signal;
  result.confidence = std::move(belief.confidence);
  result.candidates = std::move(belief.candidates);
  result.alternatives = other_pairings(result);
  return result;
}

Ensemble pair_by_ensemble(const Puzzle& puzzle, Threads& threads, Watch& watch, std::uint64_t rng) {
  return pair_by(PairSignal::ensemble, puzzle, threads, watch, rng);
}

}  // namespace humpty::pair
