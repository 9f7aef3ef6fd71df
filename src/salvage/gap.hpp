// Where in an order a block is missing.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "humpty/humpty.hpp"

namespace humpty::salvager {

struct Gap {
  std::size_t place = 0;  // the missing block runs before the block at this place
  double left = 0;        // share of the error that filling it there leaves, on rows not fitted
};

// All places, the likeliest first. `half`: the half of the block that is there, or null.
std::vector<Gap> find_gap(const Puzzle& puzzle, const std::vector<int>& permutation,
                          const Piece* half, Threads& threads, Watch& watch);

}  // namespace humpty::salvager
