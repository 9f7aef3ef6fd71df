// From files to pieces: one linear layer per file, an id for each.
#pragma once

#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty::puzzle {

// Reads the files and numbers them: by the number in the file's name where every name has one,
// otherwise in natural order of the names. Sorted by id. Roles are not set yet.
std::vector<Piece> read_pieces(std::vector<std::string> files, Threads& threads);

// Throws bad_value with the piece's name if a weight or bias is NaN or infinite.
void check_finite(const Piece& piece);

}  // namespace humpty::puzzle
