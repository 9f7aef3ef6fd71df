// Large things made small enough to be looked at.
#pragma once

#include <cstddef>
#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::lab {

// At most so many of 0 … count − 1, evenly spread, the first and the last among them.
std::vector<std::size_t> spread(std::size_t count, std::size_t most);

enum class Bin { mean, largest };
// A matrix with at most `side` rows and columns: each cell stands for a rectangle of the original.
Matrix binned(const Matrix& matrix, std::size_t side, Bin bin);

// The pairing's scores in the order of the pieces' ids, or with the pair of each block (of the
// match, while there are no blocks) along the diagonal.
Matrix scores_by_id(const Pairing& pairing);
Matrix scores_by_pair(const Pairing& pairing, const std::vector<Block>& blocks);

}  // namespace humpty::lab
