// The net in plain double loops, as the textbook has it: what the kernels are compared with.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "humpty/humpty.hpp"
#include "net/net.hpp"
#include "net/target.hpp"

namespace humpty::net::plain {

using Doubles = std::vector<double>;

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kHalfUlp = 1.0 / (1 << 24);  // float32's relative rounding error

inline double act(Activation kind, double x) {
  switch (kind) {
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::leaky:
      return x > 0 ? x : 0.01 * x;
    case Activation::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::identity:
      return x;
  }
  return 0;
}

// By central differences (the kinks of relu and leaky by definition).
inline double slope(Activation kind, double x) {
  if (kind == Activation::relu) return x > 0 ? 1 : 0;
  if (kind == Activation::leaky) return x > 0 ? 1 : 0.01;
  const double h = 1e-4;  // five points: error about h⁴/30
  return (act(kind, x - 2 * h) - 8 * act(kind, x - h) + 8 * act(kind, x + h) -
          act(kind, x + 2 * h)) /
         (12 * h);
}

inline Doubles linear(const Piece& piece, const Doubles& x) {
  Doubles y(piece.weight.rows);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = piece.bias.empty() ? 0.0 : piece.bias[i];
    for (std::size_t k = 0; k < x.size(); ++k)
      y[i] += static_cast<double>(piece.weight.row(i)[k]) * x[k];
  }
  return y;
}

inline Doubles transposed_linear(const Matrix& weight, const Doubles& y) {
  Doubles x(weight.cols);
  for (std::size_t i = 0; i < weight.rows; ++i)
    for (std::size_t k = 0; k < weight.cols; ++k)
      x[k] += static_cast<double>(weight.row(i)[k]) * y[i];
  return x;
}

inline Doubles residual(const Piece& in, const Piece& out, Activation kind, const Doubles& x) {
  Doubles hidden = linear(in, x);
  for (double& value : hidden) value = act(kind, value);
  return linear(out, hidden);
}

inline Doubles sum(Doubles a, const Doubles& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

inline Doubles step_adjoint(const Piece& in, const Piece& out, Activation kind, const Doubles& x,
                            const Doubles& g) {
  Doubles back = transposed_linear(out.weight, g);
  const Doubles before = linear(in, x);
  for (std::size_t i = 0; i < back.size(); ++i) back[i] *= slope(kind, before[i]);
  return sum(g, transposed_linear(in.weight, back));
}

inline Piece random_piece(std::size_t out, std::size_t in, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, 1.0f / std::sqrt(static_cast<float>(in)));
  Piece piece;
  piece.weight = {out, in, std::vector<float>(out * in)};
  piece.bias.resize(out);
  for (float& value : piece.weight.values) value = normal(random);
  for (float& value : piece.bias) value = normal(random);
  return piece;
}

// A tile (width, kTileRows) of normal numbers.
inline Floats random_tile(std::size_t width, std::mt19937& random) {
  std::normal_distribution<float> normal;
  Floats tile = floats(width * kTileRows);
  for (std::size_t i = 0; i < width * kTileRows; ++i) tile[i] = normal(random);
  return tile;
}

inline Doubles row_of(const Floats& tile, std::size_t width, std::size_t r) {
  Doubles row(width);
  for (std::size_t f = 0; f < width; ++f) row[f] = tile[f * kTileRows + r];
  return row;
}

inline const std::vector<Activation>& activations() {
  static const std::vector<Activation> all{
      Activation::relu, Activation::leaky, Activation::gelu,    Activation::gelu_tanh,
      Activation::silu, Activation::tanh,  Activation::identity};
  return all;
}

// Runs `work(target)` once per instruction set that this machine has, then goes back to the best.
template <class Work>
void for_each_target(const Work& work) {
  for (const Target& target : targets()) {
    choose_target(target);
    work(target.name);
  }
  choose_target(targets().front());
}

}  // namespace humpty::net::plain
