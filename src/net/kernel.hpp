// The arithmetic behind Net, on tiles of kTileRows rows (feature-major, see net.hpp). Each function
// runs the best code that was compiled for this machine's instruction set.
#pragma once

#include <algorithm>
#include <cstddef>

#include "humpty/humpty.hpp"

namespace humpty::net {

// A weight matrix (out × in) cut into panels of at most kPanel neighbouring outputs, as equal as
// can be; within a panel the weights of one input lie together. A panel that starts at output f
// starts at weights[f · in]: no padding, whatever the size.
inline constexpr std::size_t kPanel = 12;

struct Panels {
  std::size_t out = 0, in = 0;
  const float* weights = nullptr;
  const float* bias = nullptr;  // out

  std::size_t count() const { return (out + kPanel - 1) / kPanel; }
  std::size_t first(std::size_t panel) const {
    return panel * (out / count()) + std::min(panel, out % count());
  }
};

enum class Finish {
  plain,  // y = W x + b
  relu,   // y = relu(W x + b)
  add,    // y = add + W x + b; add may be y
};

// x (in, kTileRows), y and add (out, kTileRows).
void apply(const Panels& layer, Finish finish, const float* x, const float* add, float* y);

// y = act(x) and y = g · act'(x), elementwise; count is a multiple of 16, y may be x or g.
void activate(Activation activation, const float* x, float* y, std::size_t count);
void times_slope(Activation activation, const float* x, const float* g, float* y,
                 std::size_t count);

// y += factor · x; count is a multiple of 16.
void add_scaled(float factor, const float* x, float* y, std::size_t count);

// sums (kTileRows) += Σ_k a(k) ⊙ b(k), a and b (units, kTileRows).
void add_dots(const float* a, const float* b, std::size_t units, float* sums);

}  // namespace humpty::net
