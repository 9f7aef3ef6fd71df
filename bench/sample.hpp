// A random net with rows, for the benchmarks that need no puzzle.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "net/net.hpp"

namespace humpty::bench {

inline Matrix random_matrix(std::size_t rows, std::size_t cols, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, 0.5f / std::sqrt(static_cast<float>(cols)));
  Matrix m{rows, cols, std::vector<float>(rows * cols)};
  for (float& value : m.values) value = normal(random);
  return m;
}

inline Piece random_piece(std::size_t out, std::size_t in, std::mt19937& random) {
  Piece piece;
  piece.weight = random_matrix(out, in, random);
  piece.bias = random_matrix(1, out, random).values;
  return piece;
}

struct Sample {
  Sample(std::size_t blocks, std::size_t d, std::size_t h, std::size_t rows) {
    std::mt19937 random(1);
    for (std::size_t b = 0; b < blocks; ++b) {
      in.push_back(random_piece(h, d, random));
      out.push_back(random_piece(d, h, random));
    }
    head = random_piece(1, d, random);
    data.features = random_matrix(rows, d, random);
    data.target = random_matrix(rows, 1, random);
  }

  std::size_t blocks() const { return in.size(); }
  std::size_t d() const { return in[0].weight.cols; }
  std::size_t h() const { return in[0].weight.rows; }
  std::size_t rows() const { return data.features.rows; }
  double flops() const { return 4.0 * static_cast<double>(blocks() * d() * h() * rows()); }

  std::vector<net::Net::Pair> pairs() const {
    std::vector<net::Net::Pair> list;
    for (std::size_t b = 0; b < blocks(); ++b) list.push_back({&in[b], &out[b]});
    return list;
  }

  std::vector<Piece> in, out;
  Piece head;
  Rows data;
};

}  // namespace humpty::bench
