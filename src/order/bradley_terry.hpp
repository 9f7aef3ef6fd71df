// Re-ranking a seed by all pairwise swaps.
#pragma once

#include "base/watch.hpp"
#include "order/walk.hpp"

namespace humpty::order {

// gap[a * n + b], a < b: how much the error grows if the blocks at places a and b of the seed
// change places. Positive: the block at a should stay before the one at b.
struct Gaps {
  std::size_t n = 0;
  std::vector<double> gap;
  double before(std::size_t a, std::size_t b) const;  // > 0: a before b; antisymmetric
};

Gaps compare_all(Walk& walk, const Order& seed, Watch& watch);

struct Ranking {
  std::vector<double> strength;  // per place of the seed; stronger runs earlier
  std::size_t iterations = 0;
  double last_change = 0;
  bool converged = false;
  std::vector<double> changes;  // largest relative change of a strength, per iteration
  std::size_t settled = 0;      // the iteration since which the order has not changed
};

Ranking rank(const Gaps& gaps, double temperature);

// Triples of places a → b → c → a, each `before` the next.
std::vector<std::vector<std::size_t>> three_cycles(const Gaps& gaps);

}  // namespace humpty::order
