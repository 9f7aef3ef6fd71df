// One step of training: forward, backward and update for a mini-batch.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "net/net.hpp"
#include "net/train_kernel.hpp"

namespace humpty::lab {

// A linear layer while it learns. Row-major, rows padded for the kernels.
struct Learner {
  std::size_t out, in;
  net::Floats weight;                                  // out × padded(in)
  net::Floats transposed;                              // in × padded(out)
  net::Floats bias;                                    // padded(out)
  net::Floats first, second, bias_first, bias_second;  // the optimiser's moments

  explicit Learner(const Piece& piece);
};

// Two rounds of jobs make a step. First every tile of kRows rows runs forward and backward through
// all blocks and leaves, per block, what the gradients need. Then every layer takes its gradient
// over the whole batch and updates itself, sixteen rows of weights at a time: a gradient never
// leaves the first-level cache, and since each sum runs over the batch in the order of its rows,
// the result does not depend on the number of threads. (The usual way, gradients per thread that
// are added up afterwards, would move three times the memory and depend on the split.)
class Trainer {
 public:
  // `pieces` in the order of application; no batch has more rows than `batch`.
  Trainer(const TrainOptions& options, const std::vector<Piece>& pieces, std::size_t batch);

  // Updates the weights on these rows; returns the loss they had before, as a mean.
  double step(const Matrix& features, const Matrix& target, const std::size_t* rows,
              std::size_t count);

  std::vector<Piece> pieces() const;
  double flops_per_row() const;

 private:
  static constexpr std::size_t kRows = 16;

  // What a block leaves behind, batch rows each: its input x, u = W_in x + b_in (after the backward
  // pass ∂/∂u), a = act(u), and the gradient at its output.
  struct Trace {
    net::Floats x, u, a, gradient;
  };

  void run(std::size_t jobs, const std::function<void(std::size_t, unsigned)>& job);
  double tile(const Matrix& features, const Matrix& target, const std::size_t* rows,
              std::size_t from, std::size_t count, std::size_t batch, float* scratch);
  void forward(std::size_t from, std::size_t count);
  void backward(std::size_t from, std::size_t count, float* scratch);
  double loss(const Matrix& target, const std::size_t* rows, std::size_t from, std::size_t count,
              std::size_t batch);
  void learn(std::size_t layer, std::size_t batch, float* scratch);
  void update(const float* g, float* w, float* first, float* second, std::size_t count) const;

  const TrainOptions& options_;
  std::vector<Learner> layers_;  // in, out, …, head
  std::vector<Trace> traces_;    // one per block, and one more: the head's x, y (u) and ∂/∂y
  std::vector<net::Floats> scratch_;  // one per thread
  Threads threads_;
  bool worth_threads_;
  std::size_t d_, o_;
  std::size_t steps_ = 0;
  net::AdamStep adam_;
  net::SgdStep sgd_;
};

}  // namespace humpty::lab
