// The same net under another appearance: pieces renumbered, hidden units of each true pair permuted
// and rescaled by positive factors (which ReLU does not notice), coordinates of the stream permuted
// together with the features.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "humpty/humpty.hpp"

namespace humpty::test {

struct Disguised {
  Puzzle puzzle;
  std::vector<int> truth;
};

inline std::vector<std::size_t> shuffled(std::size_t n, std::mt19937& rng) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), rng);
  return order;
}

inline Matrix permute_columns(const Matrix& m, const std::vector<std::size_t>& from) {
  Matrix result = m;
  for (std::size_t r = 0; r < m.rows; ++r)
    for (std::size_t c = 0; c < m.cols; ++c) result.row(r)[c] = m.row(r)[from[c]];
  return result;
}

inline void permute_rows(Piece& piece, const std::vector<std::size_t>& from) {
  const Piece before = piece;
  for (std::size_t r = 0; r < piece.weight.rows; ++r) {
    std::copy_n(before.weight.row(from[r]), piece.weight.cols, piece.weight.row(r));
    if (!piece.bias.empty()) piece.bias[r] = before.bias[from[r]];
  }
}

inline void rescale_units(Piece& in, Piece& out, std::mt19937& rng) {
  std::uniform_real_distribution<float> exponent(-1, 1);
  for (std::size_t k = 0; k < in.weight.rows; ++k) {
    const float factor = std::exp2(exponent(rng));
    for (std::size_t f = 0; f < in.weight.cols; ++f) in.weight.row(k)[f] *= factor;
    if (!in.bias.empty()) in.bias[k] *= factor;
    for (std::size_t f = 0; f < out.weight.rows; ++f) out.weight.row(f)[k] /= factor;
  }
}

inline Disguised disguise(const Puzzle& puzzle, const std::vector<int>& truth, unsigned seed) {
  std::mt19937 rng(seed);
  const auto coordinates = shuffled(puzzle.rows.features.cols, rng);
  std::map<int, Piece> pieces;
  for (const Piece& piece : puzzle.pieces) pieces[piece.id] = piece;
  for (std::size_t i = 0; i + 1 < truth.size(); i += 2) {
    Piece &in = pieces[truth[i]], &out = pieces[truth[i + 1]];
    const auto units = shuffled(in.weight.rows, rng);
    permute_rows(in, units);
    out.weight = permute_columns(out.weight, units);
    rescale_units(in, out, rng);
    in.weight = permute_columns(in.weight, coordinates);
    permute_rows(out, coordinates);
  }
  Piece& head = pieces[truth.back()];
  head.weight = permute_columns(head.weight, coordinates);

  Disguised result;
  const auto numbers = shuffled(truth.size(), rng);
  std::vector<Piece> renumbered;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    Piece piece = pieces[truth[i]];
    piece.id = static_cast<int>(numbers[i]);
    result.truth.push_back(piece.id);
    renumbered.push_back(piece);
  }
  Rows rows = puzzle.rows;
  rows.features = permute_columns(rows.features, coordinates);
  result.puzzle = make_puzzle(std::move(renumbered), std::move(rows), puzzle.activation);
  return result;
}

}  // namespace humpty::test
