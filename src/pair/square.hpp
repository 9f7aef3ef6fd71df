// Roles of square pieces by the pairing itself.
#pragma once

#include "pair/sides.hpp"

namespace humpty::pair {

// Sides on which every square piece stands twice, as an expand and as a contract piece.
Sides doubled(const Sides& sides);

// From scores of all pairs of the doubled sides: pairs the square pieces with each other, each
// standing where its pair scores better, and gives the sides that follow. Pieces whose shapes tell
// their roles stay where they are.
Sides oriented(const Sides& sides, const Table& doubled_scores);

}  // namespace humpty::pair
