// What a solution says of its permutation.
#pragma once

#include "humpty/humpty.hpp"

namespace humpty {

// The permutation, and with it blocks (scored by the solution's pairing), stem and head.
void set_permutation(std::vector<int> permutation, Solution& solution);

// Expand pieces of the pairs that stand out by their weights alone.
std::vector<int> firm_pairs(const Solution& solution);

}  // namespace humpty
