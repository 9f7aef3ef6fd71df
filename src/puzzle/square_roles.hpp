// Roles where shapes cannot tell them.
#pragma once

#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::puzzle {

// Of the d × d pieces, an even number and none of them the head, half are expand and half contract
// pieces: sets their roles by the weights. The others' roles are set already and help. Returns how
// sure it is of them, as the share expected to be right.
double tell_square_roles(std::vector<Piece>& pieces, std::size_t d);

}  // namespace humpty::puzzle
