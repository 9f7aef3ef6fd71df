// The default strategy. The order is often written in the weights (order/signals.hpp): the shortest
// paths through the blocks cost next to nothing, and where one of them explains the first rows,
// only its verification is left.
//
// Otherwise: every seed is cheap next to the search, none is right on every net, and
// their directions are no law (Kendall's tau of ‖W_out‖_F ran from −0.96 to 0.95 on trained nets):
// so all of them are tried, in both directions, and the search starts from those with the least
// error. It alternates bubble sweeps, cheap and enough near the goal, with insertion sweeps, which
// get out of most places where bubbles stick. Few rows decide at first: near the goal one tile of
// rows refutes a wrong move, and an order that explains even a hundred rows to the last bit is
// almost surely right. Almost: the verifier looks at all rows, and where it disagrees, or the
// search is stuck, four times as many rows decide.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "order/seeds.hpp"
#include "order/signals.hpp"
#include "solve/job.hpp"

namespace humpty::strategy {
namespace {

using order::Order;
using order::Standing;

constexpr std::size_t kSeedRows = 64;
constexpr std::size_t kFirstRows = 128, kMoreRows = 4;  // 128, 512, 2,048, … all
constexpr std::size_t kStuckRows = 512;  // stuck on these: something stronger is needed
constexpr std::size_t kStarts = 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Start {
  std::string name;
  Order order;
  double error = 0;
};

std::vector<Start> seeds(Job& job, const net::Batch& some, Seed wanted) {
  const auto asked = [wanted](Seed seed) { return wanted == Seed::automatic || wanted == seed; };
  std::vector<Start> all;
  if (asked(Seed::greedy))
    all.push_back({kByGreedy, order::seed_greedy(job.net, some, job.threads, job.watch)});
  if (asked(Seed::delta)) all.push_back({kByDelta, order::seed_delta(job.net, some, job.threads)});
  if (asked(Seed::wout)) all.push_back({kByWout, order::seed_wout(job.contract)});
  for (std::size_t i = 0, n = all.size(); i < n; ++i) {
    Start reversed{all[i].name + ", descending", {all[i].order.rbegin(), all[i].order.rend()}};
    all.push_back(std::move(reversed));
  }
  return all;
}

// Moments cost d² · h a block and the greedy seed 64 rows of all blocks at every place; where
// blocks are few and wide the former would be dear.
constexpr std::size_t kWidest = 4;  // d for each block

// The shortest paths through the blocks, either way round; one alone if it explains these rows.
std::vector<Start> paths(Job& job, const net::Batch& some) {
  const bool wide = job.net.d() > kWidest * job.net.blocks();
  std::vector<Start> all;
  for (const order::Signal& signal : order::kSignals) {
    if (wide && signal.distances != order::by_bias) continue;
    const order::Distances distances =
        signal.distances({job.expand, job.contract, job.puzzle.activation}, job.threads);
    if (distances.empty()) continue;
    const Order path = order::shortest_path(distances, job.threads).order;
    for (const Order& way : {path, Order(path.rbegin(), path.rend())}) {
      all.push_back({signal.name, way, order::error_of(job.net, some, job.threads, way)});
      if (all.back().error <= job.floor) return {all.back()};
    }
  }
  return all;
}

std::vector<Start> starts(Job& job, const net::Batch& some, const SolveOptions& options) {
  const std::optional<Order> stated = stated_start(job, options);
  std::vector<Start> all;
  if (!stated && options.seed == Seed::automatic) all = paths(job, some);
  if (all.empty() || all[0].error > job.floor) {
    std::vector<Start> others =
        stated ? std::vector<Start>{{kGivenOrder, *stated}} : seeds(job, some, options.seed);
    for (Start& start : others) {
      start.error = order::error_of(job.net, some, job.threads, start.order);
      all.push_back(std::move(start));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Start& a, const Start& b) { return a.error < b.error; });
  job.clock.lap("seed");
  all.resize(std::min(kStarts, all.size()));
  return all;
}

// Bubble sweeps until they stick, then an insertion sweep, until neither helps on these rows.
void climb(Job& job, order::Walk& walk, std::size_t rows, Listener& listener, Standing& standing,
           Way& way) {
  while (standing.error > job.floor && !job.watch.stopped()) {
    std::size_t moves = order::bubble_sweep(walk, standing, job.watch);
    if (moves == 0) moves = order::insertion_sweep(walk, standing, job.watch);
    if (moves == 0) return;
    way.rounds.push_back({moves, standing.error, rows, job.expand_ids(standing.order)});
    listener.went(way);
  }
}

// From one start: more and more rows decide. True if a proposal was accepted.
bool search(Job& job, Listener& listener, Standing& standing, Way& way) {
  const std::size_t all = job.puzzle.rows.features.rows;
  for (std::size_t rows = std::min(kFirstRows, all);; rows = std::min(rows * kMoreRows, all)) {
    const net::Batch deciding = job.rows(rows);
    order::Walk walk(job.net, deciding, job.threads);
    standing.error = walk.error(standing.order, kInfinity);
    climb(job, walk, rows, listener, standing, way);
    if (standing.error <= job.floor && listener.accept(job, standing.order, way)) return true;
    const bool stuck = standing.error > job.floor && rows >= kStuckRows;
    if (stuck || rows == all || job.watch.stopped()) return false;
  }
}

}  // namespace

bool solve_quickly(Job& job, const SolveOptions& options, Listener& listener) {
  const net::Batch some = job.rows(kSeedRows);
  Standing best{{}, kInfinity};
  Way best_way;
  for (const Start& start : starts(job, some, options)) {
    Way way{start.name, start.error, job.expand_ids(start.order)};
    listener.went(way);
    Standing standing{start.order, start.error};
    bool accepted = false;
    listener.keeping(job, standing, way, [&] { accepted = search(job, listener, standing, way); });
    if (accepted) return true;
    listener.reached(job, standing, way);
    if (standing.error < best.error || best.order.empty()) {
      best = std::move(standing);
      best_way = std::move(way);
    }
    if (job.watch.stopped()) break;
  }
  return listener.accept(job, best.order, best_way);
}

}  // namespace humpty::strategy
