// The network's arithmetic: forward pass and adjoint, block by block, on tiles of rows.
//
// A tile holds kTileRows rows feature-major: feature f of row r is at [f * kTileRows + r], so that
// the rows lie along the SIMD lanes and a tile stays in the first-level cache through all blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "net/kernel.hpp"

namespace humpty::net {

// 32 rows are two vectors of AVX-512, four of AVX2. Tiles of 16 and 64 came out equal or slower.
inline constexpr std::size_t kTileRows = 32;

struct FreeFloats {
  void operator()(float* memory) const;
};
using Floats = std::unique_ptr<float[], FreeFloats>;
Floats floats(std::size_t count);  // zeroed, on a cache line of its own

// Rows first … first + count − 1, at most kTileRows, as one tile; what is left of it stays as it
// is.
void load_tile(const Matrix& matrix, std::size_t first, std::size_t count, float* tile);

// Rows first … first + count − 1 as tiles; the last one is filled up with zero rows that do not
// count.
class Batch {
 public:
  Batch(const Rows& rows, std::size_t first, std::size_t count);

  std::size_t rows() const { return rows_; }
  std::size_t tiles() const { return (rows_ + kTileRows - 1) / kTileRows; }
  std::size_t rows_in(std::size_t tile) const;    // kTileRows but for the last
  const float* features(std::size_t tile) const;  // (d, kTileRows)
  const float* target(std::size_t tile) const;    // (o, kTileRows)

 private:
  std::size_t rows_, d_, o_;
  Floats features_, target_;
};

// A linear layer packed for the kernel.
class Layer {
 public:
  Layer(const Matrix& weight, const std::vector<float>& bias);  // no bias: zeros
  static Layer transposed(const Matrix& weight);                // x ↦ weightᵀ · x

  std::size_t in() const { return panels_.in; }
  std::size_t out() const { return panels_.out; }
  const Panels& panels() const { return panels_; }

 private:
  Layer(std::size_t out, std::size_t in);

  Floats weights_, bias_;
  Panels panels_;
};

// A set of blocks and a head. The blocks have numbers, not places: an order is a list of numbers,
// and the caller keeps the states. All calls but exchange() may run at once from several threads,
// each with scratch of its own; states and scratch come from floats().
class Net {
 public:
  struct Pair {
    const Piece* in;
    const Piece* out;
  };
  enum class Passes { forward, both };  // packing for the adjoint takes as long again
  // The threads, if any, are only asked whether to stop.
  Net(const std::vector<Pair>& blocks, const Piece& head, Activation activation,
      Passes passes = Passes::forward, const Threads* threads = nullptr);

  // The two blocks trade their contract pieces, which must be of one shape.
  void exchange(std::size_t a, std::size_t b);

  std::size_t blocks() const { return blocks_.size(); }
  std::size_t d() const { return head_.in(); }    // width of the stream
  std::size_t o() const { return head_.out(); }   // outputs
  std::size_t hidden() const { return hidden_; }  // largest hidden width
  std::size_t hidden(std::size_t block) const { return blocks_[block].in.out(); }
  std::size_t scratch() const { return 2 * hidden_ * kTileRows; }  // floats the calls below need

  // What the hidden units answer, act(W_in · x + b_in), (hidden(block), kTileRows).
  void answers(std::size_t block, const float* x, float* hidden) const;
  // x_next = x + W_out · hidden + b_out, of any hidden units that are as many; x_next may be x.
  void add_answers(std::size_t block, const float* hidden, const float* x, float* x_next) const;
  // r = W_out · act(W_in · x + b_in) + b_out, all (·, kTileRows). The scratch then begins with what
  // the hidden units answered.
  void residual(std::size_t block, const float* x, float* r, float* scratch) const;
  // x_next = x + r(x); x_next may be x.
  void step(std::size_t block, const float* x, float* x_next, float* scratch) const;
  // y = W_head · x + b_head, (o, kTileRows).
  void head(const float* x, float* y) const;
  // g = ∂y_output/∂x at the head's input, (d, kTileRows).
  void head_adjoint(std::size_t output, float* g) const;
  // From g = ∂y/∂x_{t+1} to ∂y/∂x_t, given x_t: g + W_inᵀ (act'(W_in x + b_in) ⊙ W_outᵀ g). In
  // place. Only with Passes::both.
  void step_adjoint(std::size_t block, const float* x, float* g, float* scratch) const;

 private:
  struct Packed {
    Layer in, out;
  };

  std::vector<Packed> blocks_;
  std::vector<Packed> transposed_;  // empty without the adjoint
  Layer head_;
  Matrix head_weight_;  // o × d
  Activation activation_;
  std::size_t hidden_ = 0;
};

// The sum of the Euclidean norms of the tile's first `rows` rows, each of `d` features.
double norms_sum(const float* tile, std::size_t d, std::size_t rows);

// How many of the first `rows` rows' numbers are above zero, over `height` units.
std::size_t count_active(const float* tile, std::size_t height, std::size_t rows);

// The squared error of each of the tile's rows that count, in double; gives their sum.
double squared_errors(const float* y, const float* target, std::size_t outputs, std::size_t rows,
                      double* squares);

// Of all the target's numbers: the error of whoever says their mean.
double variance(const Matrix& target);

}  // namespace humpty::net
