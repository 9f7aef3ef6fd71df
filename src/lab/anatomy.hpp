// What can be seen of a net once it has been put together: how far each block moves the stream, how
// many of its hidden units speak, the spectrum of its product W_out · W_in, what an exchange of
// neighbours would cost. For the report page and the paper's figures; nothing here decides
// anything.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty::lab {

// A puzzle's pieces in an order: in, out, in, out, …, head.
struct Assembled {
  const Puzzle& puzzle;
  const std::vector<int>& permutation;
  Activation activation;
};

// One block, means over rows.
struct Motion {
  double delta_norm = 0;  // ‖r(x)‖ at the raw input: the paper's delta-norm
  double active = 0;      // share of the hidden units that answer above zero, in the running net
  double relative = 0;    // ‖r(x)‖ / ‖x‖ at the block's own input, in the running net
};

// Of each block by its place, on the first `rows` rows. The paper's seed uses 2,000.
std::vector<Motion> motions(const Assembled& net, std::size_t rows, Threads& threads);

double frobenius_norm(const Matrix& matrix);
Matrix product(const Piece& in, const Piece& out);          // W_out · W_in, d × d
std::vector<double> singular_values(const Matrix& matrix);  // the largest first
double effective_rank(const std::vector<double>& singular_values);

// Mean squared error on the first `rows` rows with places k and k + 1 exchanged, for every k.
std::vector<double> adjacent_swaps(const Assembled& net, std::size_t rows, Threads& threads);

// One number that the net answers, beside the one it should.
struct Answer {
  std::size_t row = 0, output = 0;
  double target = 0, predicted = 0;
};

// At most so many, by row: one in twenty of them the worst, the others spread over all rows.
std::vector<Answer> answers(const Assembled& net, std::size_t most, Threads& threads);

}  // namespace humpty::lab
