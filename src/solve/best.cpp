// The default strategy. Every seed is cheap next to the search, none is right on every net, and
// their directions are no law (Kendall's tau of ‖W_out‖_F ran from −0.96 to 0.95 on trained nets):
// so all of them are tried, in both directions, and the search starts from those with the least
// error. It alternates bubble sweeps, cheap and enough near the goal, with insertion sweeps, which
// get out of most places where bubbles stick. Few rows decide at first; an order that they cannot
// improve is looked at with more, because few rows overfit.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "order/seeds.hpp"
#include "solve/job.hpp"

namespace humpty::strategy {
namespace {

using order::Order;
using order::Standing;

constexpr std::size_t kSeedRows = 256;
constexpr std::size_t kFirstRows = 512, kMoreRows = 4;  // 512, 2,048, 8,192, … all
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Start {
  std::string name;
  Order order;
  double error = 0;
};

std::vector<Start> starts(Job& job) {
  const net::Batch some(job.puzzle.rows, 0, std::min(kSeedRows, job.all_rows.rows()));
  std::vector<Start> all{
      {"greedy least movement", order::seed_greedy(job.net, some, job.threads, job.watch)},
      {"delta-norm", order::seed_delta(job.net, some, job.threads)},
      {"‖W_out‖_F", order::seed_wout(job.contract)}};
  for (std::size_t i = 0; i < 3; ++i) {
    Start reversed{all[i].name + ", descending", {all[i].order.rbegin(), all[i].order.rend()}};
    all.push_back(std::move(reversed));
  }
  for (Start& start : all) start.error = order::error_of(job.net, some, job.threads, start.order);
  std::stable_sort(all.begin(), all.end(),
                   [](const Start& a, const Start& b) { return a.error < b.error; });
  return all;
}

// Bubble sweeps until they stick, then an insertion sweep, until neither helps on these rows.
void climb(Job& job, order::Walk& walk, Standing& standing, Solution& solution) {
  while (standing.error > job.floor() && !job.watch.stopped()) {
    std::size_t moves = order::bubble_sweep(walk, standing, job.watch);
    if (moves == 0) moves = order::insertion_sweep(walk, standing, job.watch);
    if (moves == 0) return;
    solution.rounds.push_back({moves, job.mse(standing.order)});
  }
}

Standing search(Job& job, const Order& start, Solution& solution) {
  const std::size_t all = job.all_rows.rows();
  Standing standing{start, 0};
  for (std::size_t rows = std::min(kFirstRows, all);; rows = std::min(rows * kMoreRows, all)) {
    const net::Batch deciding(job.puzzle.rows, 0, rows);
    order::Walk walk(job.net, deciding, job.threads);
    standing.error = walk.error(standing.order, kInfinity);
    climb(job, walk, standing, solution);
    if (rows == all || job.watch.stopped()) break;
    const double mse = job.mse(standing.order);
    if (mse <= job.floor()) break;
  }
  standing.error = job.mse(standing.order);
  return standing;
}

}  // namespace

Order solve_best(Job& job, Solution& solution) {
  Standing best{{}, kInfinity};
  for (const Start& start : starts(job)) {
    Solution attempt;
    attempt.seed = start.name;
    attempt.seed_order = job.expand_ids(start.order);
    attempt.seed_mse = job.mse(start.order);
    const Standing found = search(job, start.order, attempt);
    if (best.order.empty() || found.error < best.error) {
      best = found;
      solution.seed = attempt.seed;
      solution.seed_order = attempt.seed_order;
      solution.seed_mse = attempt.seed_mse;
      solution.rounds = attempt.rounds;
    }
    if (best.error <= job.floor() || job.watch.stopped()) break;
  }
  return best.order;
}

}  // namespace humpty::strategy
