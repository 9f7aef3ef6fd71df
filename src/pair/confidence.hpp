// How much of a pairing to believe.
#pragma once

#include "pair/sides.hpp"

namespace humpty::pair {

struct Belief {
  bool signal = false;                               // false: no better than chance
  std::vector<double> confidence;                    // per expand piece: that its match is right
  std::vector<std::vector<std::size_t>> candidates;  // per expand piece, likeliest first
};

// `excess`: the pairing's separation less what chance reaches on these pieces, in chance's spreads.
Belief believe(const Pairing& pairing, double excess, const Sides& sides);

}  // namespace humpty::pair
