// The order in which every block is least active where it stands.
#pragma once

#include "base/watch.hpp"
#include "order/walk.hpp"

namespace humpty::order {

// The way to it: the orders tried, from the greedy one to the quietest found. The targets are not
// looked at.
std::vector<Order> way_to_quiet(const net::Net& net, const net::Batch& batch, Threads& threads,
                                Watch& watch);

}  // namespace humpty::order
