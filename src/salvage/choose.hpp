// Which blocks of a heap are the net's, and in what order they run.
#pragma once

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "net/net.hpp"
#include "order/walk.hpp"

namespace humpty::salvager {

struct Chosen {
  order::Order order;  // blocks of the net in the order in which they run
  double error = 0;    // on the rows of the batch
};

// The best selection found. `floor`: an error that leaves nothing to find.
Chosen choose(const net::Net& net, const net::Batch& batch, double floor, Threads& threads,
              Watch& watch);

}  // namespace humpty::salvager
