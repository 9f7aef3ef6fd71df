// A trained block is quiet at its own place: of all places in the net it is there that the fewest
// of its hidden units are active. Anywhere else the stream has not yet, or no longer, the form that
// the block was trained on, and it answers loudly. On js48-2 and js48-5 of the zoo, whose error
// explodes in any wrong order, the place of least activity along the true way is mostly within one
// of a block's own (tau 0.99 and 0.98), and no output of the net is needed to see it.
//
// The way itself depends on the order, so the two are found in turn: run the blocks in some order,
// note every block's activity at every place, move each towards the places where it was quiet, run
// again. The first order is greedy: next comes the least active block. A block goes to the mean of
// the places, weighted by how near each comes to its least activity, halfway from where it was. An
// assignment of blocks to places jumped to and fro on js48-2, and took 30 rounds on js48-9 where
// this takes 9; insertion sweeps that make the sum of all activities least stick far off on js48-2
// (tau 0.2).
//
// Where a block's activity says nothing of its place, as after training from the usual
// initialisation by small steps (js48-paper), the orders are no better than others.
#include "order/quiet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "order/seeds.hpp"

namespace humpty::order {
namespace {

constexpr std::size_t kRounds = 40;
constexpr double kSharpness = 0.15;  // of a block's spread of activities: as good as the least
constexpr double kStay = 0.5;        // how much of the place so far counts

// One row per block: its activity before each place of the order.
struct Profiles {
  std::vector<std::vector<double>> activity;
  double total = 0;  // over the blocks, each where it stands
};

Profiles profiles(Walk& walk, const Order& order) {
  const std::size_t n = order.size();
  const Order all = ascending(std::vector<double>(n));
  Profiles found{std::vector<std::vector<double>>(n, std::vector<double>(n)), 0};
  walk.restart();
  for (std::size_t place = 0; place < n; ++place) {
    const std::vector<double> now = walk.activities(all);
    for (std::size_t block = 0; block < n; ++block) found.activity[block][place] = now[block];
    found.total += now[order[place]];
    walk.pass(order[place]);
  }
  return found;
}

// The mean of the places, the quiet ones counting most.
double quiet_place(const std::vector<double>& activity) {
  const double n = static_cast<double>(activity.size());
  const double least = *std::min_element(activity.begin(), activity.end());
  const double mean = std::accumulate(activity.begin(), activity.end(), 0.0) / n;
  double square = 0;
  for (double value : activity) square += (value - mean) * (value - mean);
  const double scale = kSharpness * std::sqrt(square / n) + 1e-9;
  double sum = 0, weights = 0;
  for (std::size_t place = 0; place < activity.size(); ++place) {
    const double weight = std::exp((least - activity[place]) / scale);
    sum += weight * static_cast<double>(place);
    weights += weight;
  }
  return sum / weights;
}

// The blocks' places, halfway from the last ones, if there were any.
std::vector<double> moved(const std::vector<double>& last, const Profiles& now) {
  std::vector<double> place;
  for (const std::vector<double>& activity : now.activity) place.push_back(quiet_place(activity));
  for (std::size_t b = 0; b < last.size(); ++b) place[b] += kStay * (last[b] - place[b]);
  return place;
}

}  // namespace

std::vector<Order> way_to_quiet(const net::Net& net, const net::Batch& batch, Threads& threads,
                                Watch& watch) {
  Walk walk(net, batch, threads);
  std::vector<Order> way{least_first(walk, &Walk::activities, watch)};
  std::vector<double> place;
  double least = std::numeric_limits<double>::infinity();
  std::size_t quietest = 0;
  while (way.size() < kRounds && watch.go_on("order", -1, "quiet order")) {
    const Profiles now = profiles(walk, way.back());
    if (now.total < least) {
      quietest = way.size() - 1;
      least = now.total;
    }
    place = moved(place, now);
    Order next = ascending(place);
    if (next == way.back()) break;
    way.push_back(std::move(next));
  }
  way.resize(quietest + 1);
  return way;
}

}  // namespace humpty::order
