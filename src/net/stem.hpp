// A projection before the blocks: x = W · features + b.
#pragma once

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty::net {

Matrix after_stem(const Piece& stem, const Matrix& features, Threads& threads);

// The same puzzle without its stem, whose outputs are the features: there is only one stem and one
// place for it, so whoever pairs and orders need not know of it.
Puzzle past_stem(const Puzzle& puzzle, Threads& threads);

}  // namespace humpty::net
