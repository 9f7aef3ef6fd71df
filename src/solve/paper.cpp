// The paper's method with the paper's protocol: a seed, Bradley–Terry if asked for, bubble repair.
// The first `rows` rows (2,000 in the paper) make every decision; all rows give every error that is
// reported. Nothing here is improved on purpose: it reproduces the tables of "I Dropped a Neural
// Net" swap for swap, and is the yardstick for the rest.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "order/bradley_terry.hpp"
#include "order/seeds.hpp"
#include "solve/job.hpp"

namespace humpty::strategy {
namespace {

using order::Order;
using order::Standing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Order sorted_seed(const Job& job, const net::Batch& deciding, Seed seed) {
  if (seed == Seed::wout) return order::seed_wout(job.contract);
  if (seed == Seed::greedy) return order::seed_greedy(job.net, deciding, job.threads, job.watch);
  return order::seed_delta(job.net, deciding, job.threads);
}

Order seed_order(const Job& job, const net::Batch& deciding, const SolveOptions& options) {
  if (const auto start = stated_start(job, options)) return *start;
  Order seed = sorted_seed(job, deciding, options.seed);
  if (options.descending) std::reverse(seed.begin(), seed.end());
  return seed;
}

std::string seed_name(const SolveOptions& options) {
  if (!options.start.empty()) return kGivenOrder;
  return fmt::format("{}{}",
                     options.seed == Seed::wout     ? kByWout
                     : options.seed == Seed::greedy ? kByGreedy
                                                    : kByDelta,
                     options.descending ? ", descending" : "");
}

BradleyTerry summary(const order::Gaps& gaps, const order::Ranking& ranking,
                     const std::vector<int>& ids) {
  const std::size_t n = gaps.n;
  BradleyTerry result;
  result.iterations = ranking.iterations;
  result.last_change = ranking.last_change;
  result.converged = ranking.converged;
  result.strength = ranking.strength;
  result.triples = n < 3 ? 0 : n * (n - 1) * (n - 2) / 6;
  for (const auto& cycle : order::three_cycles(gaps)) {
    const std::size_t a = cycle[0], b = cycle[1], c = cycle[2];
    const double weakest = std::min({gaps.before(a, b), gaps.before(b, c), gaps.before(c, a)});
    result.cycles.push_back({{ids[a], ids[b], ids[c]}, weakest, 0});
  }
  std::vector<double> margins;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) margins.push_back(std::abs(gaps.before(a, b)));
  result.median_margin = median(std::move(margins));
  return result;
}

// The error on all rows, of an order whose error on the deciding rows is known: those need not run
// again.
class AllRows {
 public:
  AllRows(const Job& job, std::size_t deciding)
      : deciding_(static_cast<double>(deciding)),
        others_(job.puzzle.rows, deciding, job.puzzle.rows.features.rows - deciding),
        walk_(job.net, others_, job.threads) {}

  double error(const Standing& standing) const {
    if (others_.rows() == 0) return standing.error;
    const double others = static_cast<double>(others_.rows());
    return (standing.error * deciding_ + walk_.error(standing.order, kInfinity) * others) /
           (deciding_ + others);
  }

 private:
  double deciding_;
  net::Batch others_;
  order::Walk walk_;
};

Standing standing_at_the_start(order::Walk& walk, Order order) {
  walk.restart();
  const double error = walk.error(order, kInfinity);
  return {std::move(order), error};
}

Order rerank(Job& job, order::Walk& walk, const Order& seed, double temperature, Way& way,
             order::Ranking& ranking) {
  const order::Gaps gaps = order::compare_all(walk, seed, job.watch);
  ranking = order::rank(gaps, temperature);
  std::vector<double> weakness;
  for (double strength : ranking.strength) weakness.push_back(-strength);
  Order ranked;
  for (std::size_t place : order::ascending(weakness)) ranked.push_back(seed[place]);
  way.bradley_terry = summary(gaps, ranking, job.expand_ids(seed));
  return ranked;
}

void set_spans(const std::vector<int>& final_ids, std::vector<Cycle>& cycles) {
  for (Cycle& cycle : cycles) {
    std::vector<std::ptrdiff_t> places;
    for (int id : cycle.blocks)
      places.push_back(std::find(final_ids.begin(), final_ids.end(), id) - final_ids.begin());
    const auto [first, last] = std::minmax_element(places.begin(), places.end());
    cycle.span = static_cast<std::size_t>(*last - *first);
  }
}

// Bubble sweeps until none helps.
void repair(Job& job, order::Walk& walk, const AllRows& all, Listener& listener, Standing& standing,
            Way& way) {
  while (standing.error > job.floor && !job.watch.stopped()) {
    const std::size_t swaps = order::bubble_sweep(walk, standing, job.watch);
    if (swaps == 0) break;
    way.rounds.push_back({swaps, all.error(standing), job.puzzle.rows.features.rows,
                          job.expand_ids(standing.order)});
    listener.went(way);
  }
}

}  // namespace

order::Ranking solve_as_paper(Job& job, const SolveOptions& options, Listener& listener) {
  order::Ranking ranking;
  const net::Batch deciding = job.rows(options.rows);
  const AllRows all(job, deciding.rows());
  order::Walk walk(job.net, deciding, job.threads);

  Standing standing = standing_at_the_start(walk, seed_order(job, deciding, options));
  Way way{seed_name(options), all.error(standing), job.expand_ids(standing.order)};
  job.clock.lap("seed");
  listener.went(way);
  listener.keeping(job, standing, way, [&] {
    if (options.bradley_terry) {
      standing = standing_at_the_start(
          walk, rerank(job, walk, standing.order, options.temperature, way, ranking));
      way.bradley_terry->mse = all.error(standing);
      way.bradley_terry->order = job.expand_ids(standing.order);
    }
    repair(job, walk, all, listener, standing, way);
  });
  if (way.bradley_terry) set_spans(job.expand_ids(standing.order), way.bradley_terry->cycles);
  listener.accept(job, standing.order, way);
  return ranking;
}

}  // namespace humpty::strategy
