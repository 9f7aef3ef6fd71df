#include "verify/chain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// One machine-code version of the loops per instruction set, chosen when the program starts.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__) && !defined(HUMPTY_ONE_TARGET)
#define HUMPTY_PER_CPU __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define HUMPTY_PER_CPU
#endif

namespace humpty::verifier {
namespace {

template <typename Real>
void round_to(Format format, Real* values, std::size_t count) {
  if (format == Format::as_is) return;
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<Real>(rounded(static_cast<float>(values[i]), format));
}

template <typename Real>
Dense<Real> dense(const Piece& piece, Format format) {
  Dense<Real> layer{piece.weight.rows, piece.weight.cols, {}, {}};
  layer.weight.assign(piece.weight.values.begin(), piece.weight.values.end());
  layer.bias.assign(piece.bias.begin(), piece.bias.end());
  layer.bias.resize(layer.out, Real{0});
  round_to(format, layer.weight.data(), layer.weight.size());
  round_to(format, layer.bias.data(), layer.bias.size());
  return layer;
}

// kRows values side by side: one register of AVX-512, two of AVX2. The compilers' own
// vector types, not the library that the search's kernels use.
typedef double Doubles __attribute__((vector_size(kRows<double> * sizeof(double)), aligned(8)));
typedef float Floats __attribute__((vector_size(kRows<float> * sizeof(float)), aligned(4)));
template <typename Real>
struct LanesOf;
template <>
struct LanesOf<double> {
  using type = Doubles;
};
template <>
struct LanesOf<float> {
  using type = Floats;
};

// At a time: with two registers each, or WebAssembly's four, they fit into sixteen.
#ifdef __wasm__
constexpr std::size_t kOutputs = 2;
#else
constexpr std::size_t kOutputs = 6;
#endif

// y (count, kRows) = or += W · x + b for `count` outputs from `first` on.
template <std::size_t count, typename Real>
[[gnu::always_inline]] inline void some_outputs(const Dense<Real>& layer, std::size_t first,
                                                const Real* x, Real* y, bool add) {
  using Lanes = typename LanesOf<Real>::type;
  const Real* w = layer.weight.data() + first * layer.in;
  Lanes sum[count];
  for (std::size_t m = 0; m < count; ++m) sum[m] = Lanes{} + layer.bias[first + m];
  for (std::size_t k = 0; k < layer.in; ++k) {
    const Lanes value = *reinterpret_cast<const Lanes*>(x + k * kRows<Real>);
#pragma GCC unroll 8
    for (std::size_t m = 0; m < count; ++m) sum[m] += w[m * layer.in + k] * value;
  }
  for (std::size_t m = 0; m < count; ++m) {
    Lanes& place = *reinterpret_cast<Lanes*>(y + (first + m) * kRows<Real>);
    place = add ? place + sum[m] : sum[m];
  }
}

template <typename Real>
[[gnu::always_inline]] inline void all_outputs(const Dense<Real>& layer, const Real* x, Real* y,
                                               bool add) {
  std::size_t i = 0;
  for (; i + kOutputs <= layer.out; i += kOutputs) some_outputs<kOutputs>(layer, i, x, y, add);
  for (; i < layer.out; ++i) some_outputs<1>(layer, i, x, y, add);
}

HUMPTY_PER_CPU void affine_in(const Dense<double>& w, const double* x, double* y) {
  all_outputs(w, x, y, false);
}
HUMPTY_PER_CPU void affine_in(const Dense<float>& w, const float* x, float* y) {
  all_outputs(w, x, y, false);
}
HUMPTY_PER_CPU void affine_add(const Dense<double>& w, const double* x, double* y) {
  all_outputs(w, x, y, true);
}
HUMPTY_PER_CPU void affine_add(const Dense<float>& w, const float* x, float* y) {
  all_outputs(w, x, y, true);
}

// y (out) = or += W · x + b for one vector x (in): kRows products at a time, summed at the end.
template <typename Real>
[[gnu::always_inline]] inline void one_vector(const Dense<Real>& layer, const Real* x, Real* y,
                                              bool add) {
  using Lanes = typename LanesOf<Real>::type;
  const std::size_t whole = layer.in / kRows<Real> * kRows<Real>;
  for (std::size_t i = 0; i < layer.out; ++i) {
    const Real* w = layer.weight.data() + i * layer.in;
    Lanes sums{};
    for (std::size_t k = 0; k < whole; k += kRows<Real>)
      sums += *reinterpret_cast<const Lanes*>(w + k) * *reinterpret_cast<const Lanes*>(x + k);
    Real sum = layer.bias[i];
    for (std::size_t k = 0; k < kRows<Real>; ++k) sum += sums[k];
    for (std::size_t k = whole; k < layer.in; ++k) sum += w[k] * x[k];
    y[i] = add ? y[i] + sum : sum;
  }
}

HUMPTY_PER_CPU void affine_one(const Dense<double>& w, const double* x, double* y, bool add) {
  one_vector(w, x, y, add);
}
HUMPTY_PER_CPU void affine_one(const Dense<float>& w, const float* x, float* y, bool add) {
  one_vector(w, x, y, add);
}

template <typename Real, typename Function>
void each(std::vector<Real>& values, Function function) {
  for (Real& z : values) z = function(z);
}

// Of one lane; a single output is the logistic function's.
template <typename Real>
void softmax(Real* y, std::size_t outputs) {
  if (outputs == 1) return void(*y = Real{1} / (Real{1} + std::exp(-*y)));
  Real largest = *y, sum = 0;
  for (std::size_t k = 1; k < outputs; ++k) largest = std::max(largest, y[k * kRows<Real>]);
  for (std::size_t k = 0; k < outputs; ++k)
    sum += y[k * kRows<Real>] = std::exp(y[k * kRows<Real>] - largest);
  for (std::size_t k = 0; k < outputs; ++k) y[k * kRows<Real>] /= sum;
}

}  // namespace

template <typename Real>
void affine(const Dense<Real>& layer, const Real* x, Real* y, bool add) {
  add ? affine_add(layer, x, y) : affine_in(layer, x, y);
}
template void affine(const Dense<float>&, const float*, float*, bool);
template void affine(const Dense<double>&, const double*, double*, bool);

template <typename Real>
void activate(Activation activation, std::vector<Real>& values) {
  constexpr Real half{0.5}, one{1}, root2 = std::numbers::sqrt2_v<Real>;
  switch (activation) {
    case Activation::relu:
      return each(values, [](Real z) { return z < 0 ? Real{0} : z; });
    case Activation::leaky:
      return each(values, [](Real z) { return z < 0 ? static_cast<Real>(0.01) * z : z; });
    case Activation::gelu:
      return each(values, [](Real z) { return half * z * (one + std::erf(z / root2)); });
    case Activation::gelu_tanh:
      return each(values, [](Real z) {
        constexpr Real scale = root2 * std::numbers::inv_sqrtpi_v<Real>;
        const Real inner = scale * (z + static_cast<Real>(0.044715) * z * z * z);
        return half * z * (one + std::tanh(inner));
      });
    case Activation::silu:
      return each(values, [](Real z) { return z / (one + std::exp(-z)); });
    case Activation::tanh:
      return each(values, [](Real z) { return std::tanh(z); });
    case Activation::identity:
      return;
  }
}

template void activate(Activation, std::vector<float>&);
template void activate(Activation, std::vector<double>&);

float rounded(float value, Format format) {
  if (format == Format::as_is || value == 0 || !std::isfinite(value)) return value;
  // float16: 11 significant bits, none below 2^-24, nothing from 65520 on; bfloat16: 8 bits.
  const bool half = format == Format::float16;
  const int exponent = std::ilogb(value) - (half ? 10 : 7);
  const float quantum = std::ldexp(1.0f, std::max(exponent, half ? -24 : -133));
  const float nearest = std::nearbyint(value / quantum) * quantum;
  return half && std::abs(nearest) > 65504 ? std::copysign(HUGE_VALF, value) : nearest;
}

template <typename Real>
Chain<Real>::Chain(const Puzzle& puzzle, const std::vector<int>& permutation,
                   const Threads& threads, Format format)
    : head_(dense<Real>(puzzle.piece(permutation.back()), format)),
      activation_(puzzle.activation),
      probabilities_(puzzle.target == Target::probabilities),
      format_(format) {
  for (std::size_t i = 0; i + 1 < permutation.size(); i += 2) {
    threads.check();
    in_.push_back(dense<Real>(puzzle.piece(permutation[i]), format));
    threads.check();
    out_.push_back(dense<Real>(puzzle.piece(permutation[i + 1]), format));
  }
  if (puzzle.stem()) stem_ = dense<Real>(*puzzle.stem(), format);
}

template <typename Real>
void Chain<Real>::enter(const float* features, Real* x, std::size_t stride) const {
  if (!stem_) {
    for (std::size_t f = 0; f < d(); ++f) x[f * stride] = static_cast<Real>(features[f]);
    return;
  }
  for (std::size_t f = 0; f < d(); ++f) {
    const Real* weight = stem_->weight.data() + f * stem_->in;
    Real sum = 0;
    for (std::size_t k = 0; k < stem_->in; ++k) sum += weight[k] * static_cast<Real>(features[k]);
    x[f * stride] = sum + stem_->bias[f];
  }
}

template <typename Real>
double Chain<Real>::flops_per_row() const {
  double weights = static_cast<double>(head_.weight.size());
  for (std::size_t b = 0; b < blocks(); ++b)
    weights += static_cast<double>(in_[b].weight.size() + out_[b].weight.size());
  return 2 * weights;
}

template <typename Real>
void Chain<Real>::step(std::size_t in, std::size_t out, Real* x, std::size_t groups) const {
  std::vector<Real> hidden(in_[in].out * kRows<Real>);
  for (std::size_t group = 0; group < groups; ++group, x += d() * kRows<Real>) {
    round_to(format_, x, d() * kRows<Real>);
    affine_in(in_[in], x, hidden.data());
    round_to(format_, hidden.data(), hidden.size());
    activate(activation_, hidden);
    round_to(format_, hidden.data(), hidden.size());
    affine_add(out_[out], hidden.data(), x);
    round_to(format_, x, d() * kRows<Real>);
  }
}

template <typename Real>
void Chain<Real>::step_one(std::size_t in, std::size_t out, Real* x) const {
  std::vector<Real> hidden(in_[in].out);
  affine_one(in_[in], x, hidden.data(), false);
  activate(activation_, hidden);
  affine_one(out_[out], hidden.data(), x, true);
}

template <typename Real>
void Chain<Real>::head(const Real* x, Real* y, std::size_t groups) const {
  for (std::size_t group = 0; group < groups; ++group)
    affine_in(head_, x + group * d() * kRows<Real>, y + group * o() * kRows<Real>);
  for (std::size_t group = 0; probabilities_ && group < groups; ++group)
    for (std::size_t lane = 0; lane < kRows<Real>; ++lane)
      softmax(y + group * o() * kRows<Real> + lane, o());
  round_to(format_, y, groups * o() * kRows<Real>);
}

template class Chain<float>;
template class Chain<double>;

}  // namespace humpty::verifier
