// Which blocks of a heap are the net's, and in what order they run.
#pragma once

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "net/net.hpp"
#include "order/climb.hpp"

namespace humpty::salvager {

// Each takes and gives the blocks chosen so far in the order in which they run, with their error on
// the rows of the batch. `chosen` is whole at any time, so whoever is stopped keeps the best.

// A first selection; it begins with all blocks.
void choose(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch,
            order::Standing& chosen);

// A better one, as these rows see it. `floor`: an error that leaves nothing to find.
void improve(const net::Net& net, const net::Batch& batch, double floor, Threads& threads,
             Watch& watch, order::Standing& chosen);

// The same blocks, neighbours exchanged as long as that helps: cheap, so that many rows can decide.
void sort_neighbours(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch,
                     order::Standing& chosen);

}  // namespace humpty::salvager
