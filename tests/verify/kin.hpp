// Nets with something wrong about them, and every arrangement of a small one.
#pragma once

#include <algorithm>
#include <set>

#include "humpty/humpty.hpp"
#include "nets.hpp"

namespace humpty::test {

struct Case {
  Puzzle puzzle;
  std::vector<int> truth;
};

inline Case case_of(const std::vector<Piece>& applied, Rows rows) {
  return {make_puzzle(applied, std::move(rows)), ids_of(applied)};
}

inline void copy_weights(const Piece& from, Piece& to) {
  to.weight = from.weight;
  to.bias = from.bias;
}

// W_out = 0 and b_out = 0: the block does nothing.
inline void kill(Piece& contract) {
  std::fill(contract.weight.values.begin(), contract.weight.values.end(), 0.0f);
  std::fill(contract.bias.begin(), contract.bias.end(), 0.0f);
}

// The block reads and writes coordinates first … last − 1 only.
inline void confine(Piece& in, Piece& out, std::size_t first, std::size_t last) {
  const std::size_t d = in.weight.cols;
  for (std::size_t f = 0; f < d; ++f) {
    if (f >= first && f < last) continue;
    for (std::size_t k = 0; k < in.weight.rows; ++k) {
      in.weight.row(k)[f] = 0;
      out.weight.row(f)[k] = 0;
    }
    out.bias[f] = 0;
  }
}

inline double plain_error(const std::vector<const Piece*>& applied, const Rows& rows) {
  std::vector<Piece> pieces;
  for (const Piece* piece : applied) pieces.push_back(*piece);
  double worst = 0;
  for (std::size_t r = 0; r < rows.features.rows; ++r) {
    const auto y = plain_forward(pieces, rows.features.row(r));
    for (std::size_t k = 0; k < y.size(); ++k)
      worst = std::max(worst, std::abs(y[k] - double{rows.target.row(r)[k]}));
  }
  return worst;
}

// How many permutations are within `tolerance` of every row's target: all of them tried.
inline std::size_t count_by_force(const Puzzle& puzzle, double tolerance) {
  std::vector<std::size_t> in = puzzle.with_role(Role::expand),
                           out = puzzle.with_role(Role::contract);
  const Piece& head = puzzle.pieces[puzzle.with_role(Role::head)[0]];
  std::size_t count = 0;
  std::sort(in.begin(), in.end());
  do {
    std::sort(out.begin(), out.end());
    do {
      std::vector<const Piece*> applied;
      for (std::size_t b = 0; b < in.size(); ++b)
        applied.insert(applied.end(), {&puzzle.pieces[in[b]], &puzzle.pieces[out[b]]});
      applied.push_back(&head);
      count += plain_error(applied, puzzle.rows) <= tolerance;
    } while (std::next_permutation(out.begin(), out.end()));
  } while (std::next_permutation(in.begin(), in.end()));
  return count;
}

}  // namespace humpty::test
