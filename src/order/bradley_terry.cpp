// Margin-weighted Bradley–Terry ranking: "I Dropped a Neural Net", section 4.3. Blocks nearly
// commute, so single comparisons are noisy and not quite transitive; a strength per block is fitted
// to all of them at once. Each comparison is a soft win p = 1 / (1 + exp(−gap / T)). The maximum
// likelihood is found by the MM iteration of Hunter, "MM algorithms for generalized Bradley–Terry
// models" (2004): every step raises the likelihood, no step size to choose. With T far below the
// gaps most wins are whole, the likelihood has its maximum far out and the strengths drift slowly;
// the order they give settles long before they do (on the published puzzle after one iteration).
#include "order/bradley_terry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "order/seeds.hpp"

namespace humpty::order {
namespace {

constexpr std::size_t kMaxIterations = 10'000;
constexpr double kTolerance = 1e-8;

std::vector<double> soft_wins(const Gaps& gaps, double temperature) {
  std::vector<double> win(gaps.n * gaps.n);
  for (std::size_t a = 0; a < gaps.n; ++a)
    for (std::size_t b = 0; b < gaps.n; ++b)
      if (a != b) win[a * gaps.n + b] = 1 / (1 + std::exp(-gaps.before(a, b) / temperature));
  return win;
}

// One MM step; w_ab + w_ba = 1 for every pair.
std::vector<double> mm_step(const std::vector<double>& win, const std::vector<double>& s) {
  const std::size_t n = s.size();
  std::vector<double> next(n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double wins = 0, weight = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      wins += win[i * n + j];
      weight += 1 / (s[i] + s[j]);
    }
    next[i] = std::max(wins / weight, std::numeric_limits<double>::min());
    total += next[i];
  }
  for (double& strength : next) strength *= static_cast<double>(n) / total;
  return next;
}

}  // namespace

double Gaps::before(std::size_t a, std::size_t b) const {
  return a < b ? gap[a * n + b] : -gap[b * n + a];
}

Gaps compare_all(Walk& walk, const Order& seed, Watch& watch) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t n = seed.size();
  Gaps gaps{n, std::vector<double>(n * n)};
  walk.restart();
  const double error = walk.error(seed, kInfinity);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      Order swapped = seed;
      std::swap(swapped[a], swapped[b]);
      gaps.gap[a * n + b] = walk.error(std::span(swapped).subspan(a), kInfinity) - error;
      if (!watch.go_on("order", static_cast<double>(a) / static_cast<double>(n),
                       "comparing all pairs of blocks"))
        return gaps;
    }
    walk.pass(seed[a]);
  }
  return gaps;
}

Ranking rank(const Gaps& gaps, double temperature) {
  const std::vector<double> win = soft_wins(gaps, temperature);
  Ranking ranking;
  ranking.strength.assign(gaps.n, 1);
  Order order = ascending(ranking.strength);
  while (!ranking.converged && gaps.n > 1 && ranking.iterations < kMaxIterations) {
    const std::vector<double> next = mm_step(win, ranking.strength);
    ranking.last_change = 0;
    for (std::size_t i = 0; i < gaps.n; ++i)
      ranking.last_change =
          std::max(ranking.last_change, std::abs(next[i] / ranking.strength[i] - 1));
    ranking.strength = next;
    ranking.changes.push_back(ranking.last_change);
    ++ranking.iterations;
    if (Order now = ascending(next); now != order) {
      order = std::move(now);
      ranking.settled = ranking.iterations;
    }
    ranking.converged = ranking.last_change <= kTolerance;
  }
  return ranking;
}

std::vector<std::vector<std::size_t>> three_cycles(const Gaps& gaps) {
  std::vector<std::vector<std::size_t>> cycles;
  for (std::size_t a = 0; a < gaps.n; ++a)
    for (std::size_t b = a + 1; b < gaps.n; ++b)
      for (std::size_t c = b + 1; c < gaps.n; ++c) {
        const double ab = gaps.before(a, b), bc = gaps.before(b, c), ca = gaps.before(c, a);
        if (ab > 0 && bc > 0 && ca > 0) cycles.push_back({a, b, c});
        if (ab < 0 && bc < 0 && ca < 0) cycles.push_back({a, c, b});
      }
  return cycles;
}

}  // namespace humpty::order
