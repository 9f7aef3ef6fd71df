// Of an order that is not at the floor: what looks certain all the same, and what would help.
#pragma once

#include <vector>

#include "verify/field.hpp"

namespace humpty::verifier {

// `wide`: the order's answers, (rows, o). Sets `firm` and `hints`.
void advise(const Puzzle& puzzle, const std::vector<double>& wide, Field& field,
            Certificate& certificate);

}  // namespace humpty::verifier
