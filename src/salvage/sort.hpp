// A heap of pieces, sorted: what could be of use, what could not, and why.
#pragma once

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty::salvager {

struct Sorted {
  std::vector<Piece> expand, contract;  // of block k, where the weights say that they belong
  std::vector<Piece> heads;             // candidates
  std::vector<Piece> lone;              // halves, role set, without a partner
  std::vector<Salvaged::LeftOut> left_out;
};

bool same(const Piece& a, const Piece& b);  // weights and biases

enum class Pairs { that_stand_out, all };  // that become blocks
// Once the threads are stopped pieces pair up as they lie.
Sorted sort_heap(const Puzzle& heap, Pairs pairs, Threads& threads);

// By the ratio, or as they lie if that is stopped.
Pairing scored_or_not(const Puzzle& puzzle, Threads& threads);

}  // namespace humpty::salvager
