// Signals of order: what the weights of two blocks say of how near to each other they run.
//
// From one place of a trained net to the next the states that blocks read and the gradients that
// reach them change little, so what training adds up of them changes little too: taken as points,
// the blocks lie along a curve, and the shortest path through them is the order in which they run,
// or its reverse. Weights that training has hardly moved from their random start say nothing; how
// far the path stands out tells (path.hpp).
#pragma once

#include <array>

#include "order/path.hpp"

namespace humpty::order {

// The two pieces of every block, by block number, and what lies between them.
struct Blocks {
  const std::vector<const Piece*>& expand;
  const std::vector<const Piece*>& contract;
  Activation activation;
};

// Each gives the distances between the blocks, or none where the blocks do not have what it takes.
// They do not depend on how blocks, hidden units or the stream's coordinates are numbered, nor,
// where the activation lets that be, on how a unit's size is shared out between its two sides.
Distances by_bias(const Blocks& blocks, Threads& threads);    // b_out
Distances by_writes(const Blocks& blocks, Threads& threads);  // where W_out writes in the stream
Distances by_reads(const Blocks& blocks, Threads& threads);   // what W_in reads of it

struct Signal {
  const char* name;  // in words, of its path
  Distances (*distances)(const Blocks&, Threads&);
};
inline constexpr std::array<Signal, 3> kSignals = {
    {{"the path through b_out", by_bias},
     {"the path through what blocks write", by_writes},
     {"the path through what blocks read", by_reads}}};

// Between points of one length: (n, width), each divided by its norm. None where a norm is zero or
// not finite.
Distances between_directions(std::vector<std::vector<double>> points, Threads& threads);

// By how much to multiply column k of W_out, and divide row k of W_in, so that both have the same
// norm: relu(c·z) = c·relu(z) for c > 0, so any other share is the same net. Ones where the
// activation is not like that.
std::vector<double> balance(const Piece& expand, const Piece& contract, Activation activation);

}  // namespace humpty::order
