// Of an order that is not at the floor: what looks certain all the same, and what would help.
#pragma once

#include <vector>

#include "verify/field.hpp"
#include "verify/floor.hpp"

namespace humpty::verifier {

// `wide`: the order's answers, (rows, o). Sets `firm` and `hints`.
void advise(const Puzzle& puzzle, const std::vector<double>& wide, const Floor& floor, Field& field,
            Certificate& certificate);

}  // namespace humpty::verifier
