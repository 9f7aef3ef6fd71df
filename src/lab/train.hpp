// Trains residual nets, so that there is something to drop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::lab {

enum class Optimizer { adam, adamw, sgd };
enum class Loss {
  mse,            // mean over rows and outputs
  cross_entropy,  // outputs are logits, the target's rows are one-hot (or probabilities)
};

// How the weights start: as PyTorch's nn.Linear (uniform within ±1/√fan-in, biases too); with the
// contract pieces at zero, so that every block starts as the identity; or with the contract
// pieces' weights divided by √blocks, so that the stream does not grow with depth.
enum class Init { standard, zero, scaled };

std::string_view name(Optimizer optimizer);
std::string_view name(Init init);  // "default", "zero", "scaled"
Optimizer optimizer_named(std::string_view name);
Init init_named(std::string_view name);

struct TrainOptions {
  std::size_t blocks = 48;
  std::vector<std::size_t> hidden{96};  // taken in turn by the blocks
  Activation activation = Activation::relu;
  Loss loss = Loss::mse;
  Optimizer optimizer = Optimizer::adam;
  Init init = Init::standard;
  std::size_t epochs = 200, batch = 32;
  double lr = 1e-4, weight_decay = 0;
  double momentum = 0;   // of sgd
  unsigned threads = 0;  // 0: all cores
  std::uint64_t rng = 1;
  OnProgress progress;  // false stops the training; what there is is kept

  // For comparisons: start from these pieces, and take these batches of row numbers instead of
  // `epochs` shuffled rounds.
  std::vector<Piece> start;
  std::vector<std::vector<std::size_t>> batches;
};

struct TrainedNet {
  std::vector<Piece> pieces;  // in the order of application: in, out, in, out, …, head; ids too
  double loss = 0;            // mean over the last epoch, each batch before its step
  std::size_t epochs = 0;     // finished
  bool stopped = false;
  double seconds = 0, flops = 0;  // three times the forward pass's
};

// The stream is as wide as the features, the head as wide as the target.
TrainedNet train(const TrainOptions& options, const Matrix& features, const Matrix& target);

// The pieces that training starts from.
std::vector<Piece> initial_pieces(const TrainOptions& options, std::size_t dim,
                                  std::size_t outputs);

}  // namespace humpty::lab
