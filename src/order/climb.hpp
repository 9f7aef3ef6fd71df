// Hill climbing on the error, by adjacent swaps and by insertions.
#pragma once

#include "base/watch.hpp"
#include "order/walk.hpp"

namespace humpty::order {

// An order with its error on the rows that decide.
struct Standing {
  Order order;
  double error;
};

// One sweep over the adjacent pairs: a swap is kept if the error gets strictly smaller, and the
// sweep goes on from the changed order. Gives the number of swaps.
std::size_t bubble_sweep(Walk& walk, Standing& standing, Watch& watch);

// One sweep over the blocks: each is taken out and put where the error is least. Gives the number
// of blocks moved.
std::size_t insertion_sweep(Walk& walk, Standing& standing, Watch& watch);

}  // namespace humpty::order
