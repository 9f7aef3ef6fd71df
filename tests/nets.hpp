// Small nets made on the spot, and a plain forward pass to check against.
#pragma once

#include <random>
#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::test {

inline Matrix random_matrix(std::size_t rows, std::size_t cols, float scale, std::mt19937& rng) {
  std::normal_distribution<float> normal(0, scale);
  Matrix m{rows, cols, std::vector<float>(rows * cols)};
  for (float& value : m.values) value = normal(rng);
  return m;
}

inline Piece random_piece(int id, std::size_t out, std::size_t in, float scale, std::mt19937& rng) {
  Piece piece;
  piece.id = id;
  piece.file = "piece_" + std::to_string(id);
  piece.weight = random_matrix(out, in, scale, rng);
  piece.bias = random_matrix(1, out, scale, rng).values.own();
  return piece;
}

// W_out = −strength · W_inᵀ / h + noise: a pair as the diagonal dominance ratio wants it.
inline void make_partner(const Piece& in, Piece& out, float strength) {
  const std::size_t h = in.weight.rows, d = in.weight.cols;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t k = 0; k < h; ++k)
      out.weight.row(i)[k] -= strength / static_cast<float>(h) * in.weight.row(k)[i];
}

// Pieces in the order in which they are applied, ids 0, 1, 2, …
inline std::vector<Piece> random_net(std::size_t blocks, std::size_t d, std::size_t h,
                                     std::size_t o, std::mt19937& rng) {
  std::vector<Piece> applied;
  for (std::size_t b = 0; b < blocks; ++b) {
    const int id = static_cast<int>(2 * b);
    applied.push_back(random_piece(id, h, d, 1.0f / std::sqrt(static_cast<float>(d)), rng));
    applied.push_back(random_piece(id + 1, d, h, 0.3f / std::sqrt(static_cast<float>(h)), rng));
    make_partner(applied[applied.size() - 2], applied.back(), 1.0f);
  }
  applied.push_back(random_piece(static_cast<int>(2 * blocks), o, d,
                                 1.0f / std::sqrt(static_cast<float>(d)), rng));
  return applied;
}

inline std::vector<double> plain_layer(const Piece& piece, const std::vector<double>& x) {
  std::vector<double> y(piece.weight.rows);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = piece.bias.empty() ? 0 : piece.bias[i];
    for (std::size_t k = 0; k < x.size(); ++k) y[i] += double{piece.weight.row(i)[k]} * x[k];
  }
  return y;
}

// ReLU net, one row, in double: straight from the definition.
inline std::vector<double> plain_forward(const std::vector<Piece>& applied, const float* features) {
  std::vector<double> x(features, features + applied.front().weight.cols);
  for (std::size_t i = 0; i + 1 < applied.size(); i += 2) {
    std::vector<double> hidden = plain_layer(applied[i], x);
    for (double& z : hidden) z = z > 0 ? z : 0;
    const std::vector<double> r = plain_layer(applied[i + 1], hidden);
    for (std::size_t f = 0; f < x.size(); ++f) x[f] += r[f];
  }
  return plain_layer(applied.back(), x);
}

inline Rows random_rows(const std::vector<Piece>& applied, std::size_t count, std::mt19937& rng) {
  Rows rows;
  rows.features = random_matrix(count, applied.front().weight.cols, 1, rng);
  rows.target = {count, applied.back().weight.rows, {}};
  for (std::size_t r = 0; r < count; ++r)
    for (double y : plain_forward(applied, rows.features.row(r)))
      rows.target.values.push_back(static_cast<float>(y));
  return rows;
}

inline std::vector<int> ids_of(const std::vector<Piece>& applied) {
  std::vector<int> ids;
  for (const Piece& piece : applied) ids.push_back(piece.id);
  return ids;
}

inline Puzzle first_rows(Puzzle puzzle, std::size_t count) {
  puzzle.rows.features.rows = puzzle.rows.target.rows = count;
  puzzle.rows.features.values.resize(count * puzzle.rows.features.cols);
  puzzle.rows.target.values.resize(count * puzzle.rows.target.cols);
  return puzzle;
}

}  // namespace humpty::test
