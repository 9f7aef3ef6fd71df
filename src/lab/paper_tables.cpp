// Sections 4 and 5 of the paper: its three routes to the order with its own protocol (see
// solve/paper.cpp), the Bradley–Terry ranking between them, and what each route costs.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "lab/paper.hpp"

namespace humpty::lab {
namespace {

struct Route {
  const char *id, *what;
  Seed seed;
  bool bradley_terry;
  strategy::Way way = {};
  order::Order reached = {};
  order::Ranking ranking = {};

  std::size_t swaps() const {
    std::size_t sum = 0;
    for (const Round& round : way.rounds) sum += round.swaps;
    return sum;
  }
  double start_mse() const { return bradley_terry ? way.bradley_terry->mse : way.seed_mse; }
  // Forward passes over the deciding rows: the seed, the comparisons, a sweep's adjacent swaps.
  double evaluations(std::size_t n) const {
    const double blocks = static_cast<double>(n), sweeps = static_cast<double>(way.rounds.size());
    return 1 + sweeps * (blocks - 1) + (bradley_terry ? 1 + blocks * (blocks - 1) / 2 : 0);
  }
};

// What a route ends with.
struct Last : strategy::Listener {
  bool accept(const strategy::Job&, const order::Order& reached,
              const strategy::Way& taken) override {
    order = reached;
    way = taken;
    return true;
  }
  order::Order order;
  strategy::Way way;
};

void run(Route& route, Study& study) {
  SolveOptions options;
  options.seed = route.seed;
  options.bradley_terry = route.bradley_terry;
  Last last;
  route.ranking = strategy::solve_as_paper(study.job, options, last);
  route.reached = std::move(last.order);
  route.way = std::move(last.way);
}

void add_table(const Route& route, Study& study) {
  const std::string id = fmt::format("table.{}", route.id);
  double total = 0;
  study.add(id + ".0", fmt::format("{}, the start: error on all rows", route.what),
            route.start_mse());
  for (std::size_t i = 0; i < route.way.rounds.size(); ++i) {
    const Round& round = route.way.rounds[i];
    total += static_cast<double>(round.swaps);
    study.add(
        fmt::format("{}.{}", id, i + 1),
        fmt::format("{}, round {}: swaps, error on all rows, swaps so far", route.what, i + 1),
        std::vector<double>{static_cast<double>(round.swaps), round.mse, total});
  }
}

void add_cost(const Route& route, Study& study) {
  const std::string id = fmt::format("route.{}", route.id);
  study.add(id + ".rounds", fmt::format("{}: rounds", route.what),
            static_cast<double>(route.way.rounds.size()));
  study.add(id + ".swaps", fmt::format("{}: swaps", route.what),
            static_cast<double>(route.swaps()));
  study.add(id + ".evaluations",
            fmt::format("{}: forward passes over the deciding rows", route.what),
            route.evaluations(study.blocks()));
  study.add(id + ".inversions",
            fmt::format("{}: pairs of blocks still to be exchanged when it ends", route.what),
            static_cast<double>(inversions(route.reached)));
}

// Block numbers, which are places, of expand ids.
order::Order places(const std::vector<int>& ids, const Study& study) {
  order::Order order;
  for (int id : ids)
    for (std::size_t k = 0; k < study.blocks(); ++k)
      if (study.job.expand[k]->id == id) order.push_back(k);
  return order;
}

void add_iterations(const order::Ranking& ranking, Study& study) {
  study.add("bt.iterations", "MM iterations until the strengths stand still, or given up",
            static_cast<double>(ranking.iterations));
  study.add("bt.last_change", "largest relative change of a strength in the last of them",
            ranking.last_change);
  constexpr std::size_t kPrinted = 280;
  if (ranking.changes.size() >= kPrinted)
    study.add("bt.change_at_280", "largest relative change of a strength in iteration 280",
              ranking.changes[kPrinted - 1]);
  study.add("bt.settled", "iteration since which the order it gives has stayed the same",
            static_cast<double>(ranking.settled));
}

void add_cycles(const BradleyTerry& bt, Study& study) {
  const double cycles = static_cast<double>(bt.cycles.size());
  study.add("bt.triples", "triples of blocks", static_cast<double>(bt.triples));
  study.add("bt.cycles", "3-cycles among them", cycles);
  study.add("bt.violations", "violations of transitivity, three to a cycle", 3 * cycles);
  if (bt.triples > 0)
    study.add("bt.violations_percent", "the same in percent of the triples",
              100 * 3 * cycles / static_cast<double>(bt.triples));
  study.add("bt.median_margin", "median |change of the error| over all comparisons",
            bt.median_margin);
  if (bt.cycles.empty()) return;
  std::vector<double> weakest, spans;
  std::set<int> blocks;
  for (const Cycle& cycle : bt.cycles) {
    weakest.push_back(cycle.weakest_margin);
    spans.push_back(static_cast<double>(cycle.span));
    blocks.insert(cycle.blocks.begin(), cycle.blocks.end());
  }
  study.add("bt.cycle_margin", "median over the cycles of their weakest margin", median(weakest));
  study.add("bt.cycle_span", "longest cycle, in places of the recovered order", range(spans)[1]);
  std::sort(spans.begin(), spans.end());
  study.add("bt.cycle_spans", "all of them, sorted", spans);
  study.add("bt.cycle_blocks", "how many blocks the cycles are made of",
            static_cast<double>(blocks.size()));
  study.add("bt.cycle_block_ids", "which blocks (ids of their W_in)",
            std::vector<double>(blocks.begin(), blocks.end()));
}

void add_bradley_terry(const Route& route, Study& study) {
  const BradleyTerry& bt = *route.way.bradley_terry;
  const double n = static_cast<double>(study.blocks());
  study.add("bt.comparisons", "pairwise comparisons, a forward pass each", n * (n - 1) / 2);
  study.add("bt.mse", "error of the Bradley–Terry order on all rows", bt.mse);
  study.add("bt.improvement", "times better than its seed", route.way.seed_mse / bt.mse);
  study.add("bt.inversions", "pairs that its order has the wrong way round: no fewer swaps can do",
            static_cast<double>(inversions(places(bt.order, study))));
  add_iterations(route.ranking, study);
  add_cycles(bt, study);
}

std::vector<double> heights(const order::Order& order) {
  std::vector<double> values;
  for (std::size_t place : order) values.push_back(static_cast<double>(place + 1));
  return values;
}

}  // namespace

void study_tables(Study& study) {
  Route delta{"delta", "hill-climb from delta-norm", Seed::delta, false},
      wout{"wout", "hill-climb from ‖W_out‖_F", Seed::wout, false},
      bt{"bt", "repair of the Bradley–Terry order", Seed::delta, true};
  for (Route* route : {&delta, &wout, &bt}) {
    run(*route, study);
    if (study.job.watch.stopped()) return;
  }
  study.add("seed.delta", "error of the delta-norm seed on all rows", delta.way.seed_mse);
  study.add("seed.wout", "error of the ‖W_out‖_F seed on all rows", wout.way.seed_mse);
  add_bradley_terry(bt, study);
  add_table(bt, study);
  study.section = "5 Analysis";
  for (const Route* route : {&delta, &wout}) add_table(*route, study);
  for (const Route* route : {&delta, &wout, &bt}) add_cost(*route, study);
  const auto ratio = [](std::size_t a, std::size_t b) {
    return static_cast<double>(a) / static_cast<double>(std::max<std::size_t>(b, 1));
  };
  study.add("route.fewer_rounds", "rounds from delta-norm over rounds from ‖W_out‖_F",
            ratio(delta.way.rounds.size(), wout.way.rounds.size()));
  study.add("route.fewer_swaps", "swaps from delta-norm over swaps from ‖W_out‖_F",
            ratio(delta.swaps(), wout.swaps()));
  study.plot("progression", {"delta-norm", "Bradley–Terry", "‖W_out‖_F", "solved"},
             {heights(places(delta.way.seed_order, study)),
              heights(places(bt.way.bradley_terry->order, study)),
              heights(places(wout.way.seed_order, study)), heights(bt.reached)});
}

}  // namespace humpty::lab
