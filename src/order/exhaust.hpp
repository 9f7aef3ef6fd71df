// All arrangements of few blocks.
#pragma once

#include "base/parallel.hpp"
#include "net/mixture.hpp"
#include "net/net.hpp"

namespace humpty::order {

// Whether every expand piece stays with its contract piece.
enum class Partners { own, any };

// What trying all arrangements of blocks of h × d costs, in floating-point operations.
double cost_of_all(std::size_t blocks, std::size_t h, std::size_t d, Partners partners);

// Blocks in the sequence in which they run, each an expand and a contract piece by the numbers of
// the blocks that they belong to in the net.
struct Chain {
  std::vector<net::Candidate> blocks;
  double error;  // mean squared, on the rows tried
};

// The `count` arrangements with the least errors on the first tile of rows, best first. The same at
// any number of threads.
std::vector<Chain> best_of_all(const net::Net& net, const net::Batch& batch, Partners partners,
                               std::size_t count, Threads& threads);

}  // namespace humpty::order
