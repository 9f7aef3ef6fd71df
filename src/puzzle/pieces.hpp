// From files to pieces: one linear layer per file, an id for each.
#pragma once

#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "io/tensor.hpp"

namespace humpty::puzzle {

// Sorts the files and gives each an id: the number in the file's name where every name has one,
// otherwise 0, 1, 2, … in natural order of the names.
std::vector<int> number_files(std::vector<std::string>& files);

// The one matrix of the file, and the vector that goes with it; throws bad_shape with what the file
// holds if that is not what it holds. Neither id nor role is set.
Piece to_piece(io::Tensors found);

// Reads the files and numbers them. Sorted by id. Roles are not set yet.
std::vector<Piece> read_pieces(std::vector<std::string> files, Threads& threads);

// Throws bad_value with the piece's name if a weight or bias is NaN or infinite.
void check_finite(const Piece& piece);

}  // namespace humpty::puzzle
