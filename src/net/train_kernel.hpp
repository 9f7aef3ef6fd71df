// The arithmetic behind training and pair scores, on row-major matrices whose rows are padded with
// zeros to a multiple of kLanePad floats. Features lie along the SIMD lanes here, not rows as in
// net.hpp: the three products of a training step (forward, backward, weight gradient) then need no
// transposed activations, only a transposed copy of each weight matrix.
#pragma once

#include <cstddef>

namespace humpty::net {

inline constexpr std::size_t kLanePad = 16;
constexpr std::size_t padded(std::size_t width) {
  return (width + kLanePad - 1) / kLanePad * kLanePad;
}

// C (rows × width) = A (rows × depth) · B (depth × width) [+ bias in every row] [+ add].
// width is a multiple of kLanePad, and the stride of C, add and B's rows is b_stride, c_stride.
struct Product {
  std::size_t rows = 0, depth = 0, width = 0;
  const float* a = nullptr;
  std::size_t a_stride = 0;
  bool a_transposed = false;  // A(m, k) is at a[k · a_stride + m]
  const float* b = nullptr;
  std::size_t b_stride = 0;
  const float* bias = nullptr;  // width
  const float* add = nullptr;   // as C; may be C
  float* c = nullptr;
  std::size_t c_stride = 0;
};
void multiply(const Product& product);

// to (cols × rows) = fromᵀ (rows × cols).
void transpose(const float* from, std::size_t rows, std::size_t cols, std::size_t from_stride,
               float* to, std::size_t to_stride);

// One step of an optimiser on `count` weights (a multiple of kLanePad), as PyTorch has them.
// First w ← shrink · w, then the gradient gets decay · w added.
struct AdamStep {
  float shrink = 1, decay = 0;
  float beta1 = 0.9f, beta2 = 0.999f, keep1 = 0.1f, keep2 = 0.001f;  // keep = 1 − beta
  float rate = 0;                                                    // lr / (1 − beta1^t)
  float root_scale = 1;                                              // √(1 − beta2^t)
  float epsilon = 1e-8f;
};
void adam(const AdamStep& step, const float* g, float* w, float* first, float* second,
          std::size_t count);

// velocity ← momentum · velocity + g;  w ← w − rate · velocity.
struct SgdStep {
  float decay = 0, momentum = 0, rate = 0;
};
void sgd(const SgdStep& step, const float* g, float* w, float* velocity, std::size_t count);

}  // namespace humpty::net
