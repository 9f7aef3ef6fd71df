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

// A first selection.
Chosen choose(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch);

// A better one, as these rows see it. `floor`: an error that leaves nothing to find.
void improve(const net::Net& net, const net::Batch& batch, double floor, Threads& threads,
             Watch& watch, Chosen& chosen);

// The same blocks, neighbours exchanged as long as that helps: cheap, so that many rows can decide.
void sort_neighbours(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch,
                     Chosen& chosen);

}  // namespace humpty::salvager
