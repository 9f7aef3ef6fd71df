// Pieces in the order in which they are applied.
#pragma once

#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::puzzle {

// Throws unless their shapes chain: (stem,) in, out, in, out, …, head.
void check_chain(const std::vector<Piece>& applied);

}  // namespace humpty::puzzle
