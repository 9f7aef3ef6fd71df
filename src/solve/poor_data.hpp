// What can be done where the rows do not hold the net's outputs, or there are none.
#pragma once

#include "solve/job.hpp"

namespace humpty::strategy {

// Probabilities become logits, which the search can compare with what the head computes. The
// verifier looks at the probabilities themselves.
Puzzle with_logits(const Puzzle& puzzle);

// From the weights alone.
struct Guess {
  order::Order order;
  std::string seed;  // where it comes from, in words
};
Guess guess_without_rows(const Job& job);

// What to think of such a guess.
void explain_guess(Solution& solution);

}  // namespace humpty::strategy
