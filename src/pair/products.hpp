// Traces and norms of the products W_out · W_in of all candidate pairs at once.
#pragma once

#include "base/parallel.hpp"
#include "pair/sides.hpp"

namespace humpty::pair {

using Matrices = std::vector<const Matrix*>;
Matrices weights(const std::vector<const Piece*>& pieces);

struct Products {
  Table trace, norm2;  // tr(M), ‖M‖²_F; zero where the widths differ
};

// `expand` and `contract` stand in for the weights of the sides' pieces: (h, any) and (any, h).
Products products(const Matrices& expand, const Matrices& contract, const Sides& sides,
                  Threads& threads);

}  // namespace humpty::pair
