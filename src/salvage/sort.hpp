// A heap of pieces, sorted: what could be of use, what could not, and why.
#pragma once

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty::salvager {

struct Sorted {
  std::vector<Piece> expand, contract;  // of block k, where the weights say that they belong
  std::vector<Piece> heads;             // candidates
  std::vector<Piece> lone;              // halves, role set, that nothing stands out as a partner of
  std::vector<Salvaged::LeftOut> left_out;
};

Sorted sort_heap(const Puzzle& heap, Threads& threads);

}  // namespace humpty::salvager
