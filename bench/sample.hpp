// A net with rows and no puzzle, for the benchmarks of the arithmetic alone.
#pragma once

#include "net/net.hpp"
#include "planted.hpp"

namespace humpty::bench {

struct Sample {
  Sample(std::size_t blocks, std::size_t d, std::size_t h, std::size_t rows) {
    Random random(1);
    std::vector<Piece> applied = planted_pieces({blocks, d, h, rows, 1}, random);
    head = applied.back();
    for (std::size_t b = 0; b < blocks; ++b) {
      in.push_back(std::move(applied[2 * b]));
      out.push_back(std::move(applied[2 * b + 1]));
    }
    data.features = noise(rows, d, 1, random);
    data.target = noise(rows, 1, 1, random);
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
