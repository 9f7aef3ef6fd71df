#include "verify/chain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// One machine-code version of the loops per instruction set, chosen when the program starts.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define HUMPTY_PER_CPU \
  __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define HUMPTY_PER_CPU
#endif

namespace humpty::verifier {
namespace {

template <typename Real>
Dense<Real> dense(const Piece& piece) {
  Dense<Real> layer{piece.weight.rows, piece.weight.cols, {}, {}};
  layer.weight.assign(piece.weight.values.begin(), piece.weight.values.end());
  layer.bias.assign(piece.bias.begin(), piece.bias.end());
  layer.bias.resize(layer.out, Real{0});
  return layer;
}

// y (out, kRows) = or += W · x + b, two outputs at a time so that each x is loaded once for both.
template <typename Real>
[[gnu::always_inline]] inline void affine(const Dense<Real>& layer, const Real* x, Real* y,
                                          bool add) {
  for (std::size_t i = 0; i < layer.out; i += 2) {
    const std::size_t second = std::min(i + 1, layer.out - 1);
    const Real* w0 = layer.weight.data() + i * layer.in;
    const Real* w1 = layer.weight.data() + second * layer.in;
    Real sum0[kRows], sum1[kRows];
    for (std::size_t r = 0; r < kRows; ++r) sum0[r] = layer.bias[i], sum1[r] = layer.bias[second];
    for (std::size_t k = 0; k < layer.in; ++k)
      for (std::size_t r = 0; r < kRows; ++r) {
        sum0[r] += w0[k] * x[k * kRows + r];
        sum1[r] += w1[k] * x[k * kRows + r];
      }
    for (std::size_t r = 0; r < kRows; ++r) {
      const Real before0 = add ? y[i * kRows + r] : Real{0};
      const Real before1 = add ? y[second * kRows + r] : Real{0};
      if (second != i) y[second * kRows + r] = before1 + sum1[r];
      y[i * kRows + r] = before0 + sum0[r];
    }
  }
}

HUMPTY_PER_CPU void affine_in(const Dense<double>& w, const double* x, double* y) {
  affine(w, x, y, false);
}
HUMPTY_PER_CPU void affine_in(const Dense<float>& w, const float* x, float* y) {
  affine(w, x, y, false);
}
HUMPTY_PER_CPU void affine_add(const Dense<double>& w, const double* x, double* y) {
  affine(w, x, y, true);
}
HUMPTY_PER_CPU void affine_add(const Dense<float>& w, const float* x, float* y) {
  affine(w, x, y, true);
}

template <typename Real>
Real activate(Activation activation, Real z) {
  constexpr Real half{0.5}, one{1};
  switch (activation) {
    case Activation::relu:
      return z < 0 ? Real{0} : z;
    case Activation::leaky:
      return z < 0 ? static_cast<Real>(0.01) * z : z;
    case Activation::gelu:
      return half * z * (one + std::erf(z / std::numbers::sqrt2_v<Real>));
    case Activation::gelu_tanh: {
      const Real scale = std::numbers::sqrt2_v<Real> * std::numbers::inv_sqrtpi_v<Real>;
      return half * z * (one + std::tanh(scale * (z + static_cast<Real>(0.044715) * z * z * z)));
    }
    case Activation::silu:
      return z / (one + std::exp(-z));
    case Activation::tanh:
      return std::tanh(z);
    case Activation::identity:
      return z;
  }
  return z;
}

}  // namespace

template <typename Real>
Chain<Real>::Chain(const Puzzle& puzzle, const std::vector<int>& permutation)
    : head_(dense<Real>(puzzle.piece(permutation.back()))), activation_(puzzle.activation) {
  for (std::size_t i = 0; i + 1 < permutation.size(); i += 2) {
    in_.push_back(dense<Real>(puzzle.piece(permutation[i])));
    out_.push_back(dense<Real>(puzzle.piece(permutation[i + 1])));
  }
}

template <typename Real>
void Chain<Real>::step(std::size_t block, Real* x) const {
  thread_local std::vector<Real> hidden;
  const std::size_t size = in_[block].out * kRows;
  if (hidden.size() < size) hidden.resize(size);
  affine_in(in_[block], x, hidden.data());
  for (std::size_t i = 0; i < size; ++i) hidden[i] = activate(activation_, hidden[i]);
  affine_add(out_[block], hidden.data(), x);
}

template <typename Real>
void Chain<Real>::head(const Real* x, Real* y) const {
  affine_in(head_, x, y);
}

template class Chain<float>;
template class Chain<double>;

}  // namespace humpty::verifier
