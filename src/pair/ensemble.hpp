// All signals together.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "humpty/humpty.hpp"
#include "pair/sides.hpp"

namespace humpty::pair {

struct Signal {
  PairSignal name = PairSignal::ensemble;
  Table table;            // standardised
  double separation = 0;  // of the ensemble's pairing, by this signal alone
};

struct Ensemble {
  Pairing best;  // scores: the weighted sum, in units of log-likelihood
  std::vector<std::vector<std::size_t>> alternatives;  // other pairings, likeliest first, distinct
  std::vector<double> confidence;                      // per expand piece: that best.match is right
  std::vector<std::vector<std::size_t>> candidates;    // per expand piece: contract places
  bool signal = false;  // false: the weights hold no trace of the pairing
  double separation = 0, chance = 0,
         chance_spread = 0;  // what was reached, and what strangers reach
  std::vector<Signal> signals;
};

// Pairs by all signals, or by one. Where the puzzle is not sure of square pieces' roles the
// ensemble may settle them otherwise: best.expand and best.contract say how. The same at any number
// of threads.
Ensemble pair_by_ensemble(const Puzzle& puzzle, Threads& threads, Watch& watch, std::uint64_t rng);
Ensemble pair_by(PairSignal signal, const Puzzle& puzzle, Threads& threads, Watch& watch,
                 std::uint64_t rng);
// The same of two sides, roles being as sure as stated.
Ensemble pair_by(PairSignal signal, const Sides& sides, double roles_confidence, Threads& threads,
                 Watch& watch, std::uint64_t rng);

}  // namespace humpty::pair
