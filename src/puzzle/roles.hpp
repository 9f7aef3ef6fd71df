// What each piece is: from the shapes, from the weights where shapes do not tell, or stated.
#pragma once

#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::puzzle {

// Sets the role of every piece, or throws bad_shape with what it saw. `features`, where it is
// known, is what the data has (0: unknown): the width of the stream, or what the stem takes.
// Returns how sure it is: 1 by shapes, less by weights.
double find_roles(std::vector<Piece>& pieces, std::size_t features);

// Sets the roles as the file states them: a line 'ID expand', 'ID contract', 'ID head' or 'ID stem'
// for every piece; '#' starts a comment. Throws unless they make a net.
void state_roles(std::vector<Piece>& pieces, const std::string& path);

// Throws unless the roles that the pieces have make a net.
void check_roles(const std::vector<Piece>& pieces, const std::string& path = "");
// The same of expand and contract pieces in a stream of width d, heads aside.
void check_sides(const std::vector<Piece>& pieces, std::size_t d, const std::string& path = "");

// Could these be the pieces of a residual net, whether or not their shapes tell the roles?
bool fits_a_net(const std::vector<Piece>& pieces, std::size_t features);

}  // namespace humpty::puzzle
