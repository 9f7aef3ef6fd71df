// What a solution says of its permutation.
#pragma once

#include "humpty/humpty.hpp"
#include "solve/way.hpp"

namespace humpty {

// The permutation, and with it blocks (scored by the solution's pairing), stem and head.
void set_permutation(std::vector<int> permutation, Solution& solution);

// How the search came to it.
void set_way(const strategy::Way& way, Solution& solution);

// A pairing in which every piece takes the first partner of its width: what there is before
// anything was scored.
Pairing unscored_pairing(const Puzzle& puzzle);

// Expand pieces of the pairs that stand out by their weights alone.
std::vector<int> firm_pairs(const Solution& solution);

}  // namespace humpty
