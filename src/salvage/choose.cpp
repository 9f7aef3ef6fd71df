// Pieces of two nets in one heap pair up among themselves, so scores do not tell the nets apart;
// the rows do. Put the blocks in the order of least movement of the current state: blocks of one
// net move the rows by like amounts and so come together (with half of another net added to the
// published puzzle the strangers were one run of 24, or two). Hence the first guesses: everything,
// every run of that order alone, and everything but one run. The least error wins, and is improved
// by what one block can do: leave, join at its best place, change its place. A stranger's leaving
// lowers the error; so does joining of a block left out by mistake. (Clustering the weights' norms
// was tried: perfect on seven of nine nets, of no use on the other two.)
#include "salvage/choose.hpp"

#include <algorithm>
#include <limits>

#include "order/seeds.hpp"

namespace humpty::salvager {
namespace {

using order::Order;
using order::Standing;
using order::Walk;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kWorthLeaving = 0.9;  // a block leaves if the error falls below this part of it

double error_of(Walk& walk, const Order& order, double limit) {
  walk.restart();
  return walk.error(order, limit);
}

// Sweeps of neighbours, then of insertions, until neither helps.
void climb(Walk& walk, Standing& chosen, double floor, Watch& watch) {
  while (chosen.error > floor && !watch.stopped()) {
    walk.restart();
    if (order::bubble_sweep(walk, chosen, watch) == 0 &&
        order::insertion_sweep(walk, chosen, watch) == 0)
      break;
  }
}

bool let_one_leave(Walk& walk, Standing& chosen) {
  Standing best{{}, chosen.error * kWorthLeaving};
  for (std::size_t place = 0; chosen.order.size() > 1 && place < chosen.order.size(); ++place) {
    Order without = chosen.order;
    without.erase(without.begin() + std::ptrdiff_t(place));
    if (const double error = error_of(walk, without, best.error); error < best.error)
      best = {without, error};
  }
  if (best.order.empty()) return false;
  chosen = best;
  return true;
}

bool let_one_join(Walk& walk, Standing& chosen, std::size_t blocks) {
  Standing best{{}, chosen.error};
  for (std::size_t block = 0; block < blocks; ++block) {
    if (std::find(chosen.order.begin(), chosen.order.end(), block) != chosen.order.end()) continue;
    for (std::size_t place = 0; place <= chosen.order.size(); ++place) {
      Order with = chosen.order;
      with.insert(with.begin() + std::ptrdiff_t(place), block);
      if (const double error = error_of(walk, with, best.error); error < best.error)
        best = {with, error};
    }
  }
  if (best.order.empty()) return false;
  chosen = best;
  return true;
}

}  // namespace

void choose(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch,
            Standing& chosen) {
  const Order all = order::seed_greedy(net, batch, threads, watch);
  Walk walk(net, batch, threads);
  chosen = {all, error_of(walk, all, kInfinity)};
  const auto consider = [&](const Order& order) {
    if (order.empty()) return;
    if (const double error = error_of(walk, order, chosen.error); error < chosen.error)
      chosen = {order, error};
  };
  for (std::size_t from = 0; from < all.size(); ++from)
    for (std::size_t to = from + 1; to <= all.size(); ++to) {
      const auto at = [&](std::size_t place) { return all.begin() + std::ptrdiff_t(place); };
      Order rest(all.begin(), at(from));
      rest.insert(rest.end(), at(to), all.end());
      consider(rest);
      consider(Order(at(from), at(to)));
    }
}

void improve(const net::Net& net, const net::Batch& batch, double floor, Threads& threads,
             Watch& watch, Standing& chosen) {
  Walk walk(net, batch, threads);
  chosen.error = error_of(walk, chosen.order, kInfinity);
  while (chosen.error > floor && watch.go_on("order", -1, "which blocks belong together")) {
    const double before = chosen.error;
    while (chosen.error > floor && let_one_leave(walk, chosen)) {
    }
    climb(walk, chosen, floor, watch);
    if (chosen.error > floor && chosen.error == before) let_one_join(walk, chosen, net.blocks());
    if (!(chosen.error < before)) break;
  }
}

void sort_neighbours(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch,
                     Standing& chosen) {
  Walk walk(net, batch, threads);
  chosen.error = error_of(walk, chosen.order, kInfinity);
  do walk.restart();
  while (order::bubble_sweep(walk, chosen, watch) > 0 && !watch.stopped());
}

}  // namespace humpty::salvager
