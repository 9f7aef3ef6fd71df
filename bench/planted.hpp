// A synthetic net of any size that can be taken apart and solved: training one of 1,024 blocks
// takes a day, planting what training would leave takes as long as drawing the numbers. It says
// what a size costs, nothing about how often trained nets are solved.
//
//   pairing   W_out = ±a·(W_inᵀ·d/h + noise): a diagonal in the product with its own W_in, the
//             noise such that the ratio is 2 to 3 as in trained nets
//   order     ‖W_out‖_F grows with depth, threefold from first to last, but in every sixteen blocks
//             two neighbours have their norms exchanged: the seed is close and wrong
//   stream    the sign changes from block to block and a falls as 1/√blocks, so that at any depth
//             the rows neither die out nor blow up; exchanged neighbours still show in the answers
//
// With one sign, as in trained nets, the rows shrink as exp(−√blocks/4) and from 500 blocks on the
// first ones can no longer be told apart. With a single output wrong moves often make up for each
// other and the search takes rounds to sort that out; the puzzles have sixteen.
//
// Uniform numbers and square roots only, which every machine computes to the same bits.
#pragma once

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "humpty/humpty.hpp"

namespace humpty::bench {

struct Shape {
  std::size_t blocks, d, h, rows, outputs = 16;
};

// Uniform numbers of this standard deviation.
inline Matrix noise(std::size_t rows, std::size_t cols, double deviation, Random& random) {
  Matrix m{rows, cols, std::vector<float>(rows * cols)};
  const double half = deviation * std::sqrt(3.0);
  for (float& value : m.values) value = static_cast<float>(random.uniform(-half, half));
  return m;
}

inline Piece noise_piece(std::size_t out, std::size_t in, double deviation, Random& random) {
  Piece piece;
  piece.weight = noise(out, in, deviation, random);
  piece.bias = noise(1, out, 0.1 * deviation, random).values.own();
  return piece;
}

// The contract piece of an expand piece (h, d), with ‖W_out‖_F = norm.
inline Piece partner(const Matrix& in, double sign, double norm, Random& random) {
  const double share = static_cast<double>(in.cols) / static_cast<double>(in.rows);
  Piece out = noise_piece(in.cols, in.rows, std::sqrt(share) / 3, random);
  double square = 0;
  for (std::size_t i = 0; i < in.cols; ++i)
    for (std::size_t k = 0; k < in.rows; ++k) {
      const double w = double{out.weight.row(i)[k]} + sign * share * double{in.row(k)[i]};
      out.weight.row(i)[k] = static_cast<float>(w);
      square += w * w;
    }
  const double scale = norm / std::sqrt(square);
  for (float& w : out.weight.values) w = static_cast<float>(scale * double{w});
  for (float& b : out.bias) b = static_cast<float>(scale * double{b});
  return out;
}

// The block whose norm block b has: in every sixteen two neighbours exchange theirs.
inline std::size_t norm_place(std::size_t b) {
  return b % 16 == 8 ? b + 1 : b % 16 == 9 ? b - 1 : b;
}

// In the order of application: in, out, in, out, …, head.
inline std::vector<Piece> planted_pieces(const Shape& shape, Random& random) {
  const double n = static_cast<double>(shape.blocks), d = static_cast<double>(shape.d);
  const double strength =
      0.5 / std::sqrt(n) * d * std::sqrt(1 / static_cast<double>(shape.h) + 1.0 / 9);
  std::vector<Piece> applied;
  for (std::size_t b = 0; b < shape.blocks; ++b) {
    const double norm = strength * (0.5 + static_cast<double>(norm_place(b)) / n);
    applied.push_back(noise_piece(shape.h, shape.d, 1 / std::sqrt(d), random));
    applied.push_back(partner(applied.back().weight, b % 2 ? 1 : -1, norm, random));
  }
  applied.push_back(noise_piece(shape.outputs, shape.d, 1 / std::sqrt(d), random));
  return applied;
}

inline lab::Dropped planted(const Shape& shape, std::uint64_t rng, unsigned threads = 0) {
  Random random(rng);
  std::vector<Piece> applied = planted_pieces(shape, random);
  Rows rows;
  rows.features = noise(shape.rows, shape.d, 1, random);
  return lab::drop(std::move(applied), std::move(rows), Activation::relu, rng, threads);
}

}  // namespace humpty::bench
