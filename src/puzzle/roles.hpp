// What each piece is, from the shapes alone.
#pragma once

#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::puzzle {

// Sets the role of every piece, or throws bad_shape with what it saw. `features`, where it is
// known, is the width of the stream as the data has it (0: unknown).
void find_roles(std::vector<Piece>& pieces, std::size_t features);

// Could these be the pieces of a residual net, whether or not their shapes tell the roles?
bool fits_a_net(const std::vector<Piece>& pieces, std::size_t features);

}  // namespace humpty::puzzle
