// Hill climbing on the error, by adjacent swaps, by insertions and by exchanges of W_out.
#pragma once

#include <functional>

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

// One sweep over the blocks: each, with the `length` − 1 that follow it, is taken out and put where
// the error is least. Gives the number of moves.
std::size_t insertion_sweep(Walk& walk, Standing& standing, Watch& watch, std::size_t length = 1);

// Of all insertions of single blocks the one that helps most; false: none helps.
bool best_insertion(Walk& walk, Standing& standing, Watch& watch);

// One sweep over all pairs of blocks: a swap is kept if the error gets strictly smaller. Gives the
// number of swaps.
std::size_t swap_sweep(Walk& walk, Standing& standing, Watch& watch);

// The same, but only the places that the adjoint recommends are tried. `batch` is the walk's; its
// net must have been packed for both passes.
std::size_t screened_sweep(Walk& walk, const net::Batch& batch, Standing& standing,
                           Threads& threads, Watch& watch);

// Makes two blocks of the walk's net trade their contract pieces; false: their widths differ. Done
// twice it is undone.
using Exchange = std::function<bool(std::size_t, std::size_t)>;

// One sweep over all pairs of blocks: an exchange is kept if the error gets strictly smaller. Gives
// the number of exchanges.
std::size_t exchange_sweep(Walk& walk, Standing& standing, const Exchange& exchange, Watch& watch);

}  // namespace humpty::order
