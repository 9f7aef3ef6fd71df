// Blocks in weighted mixtures: every place of the net runs all candidate blocks at once,
//
//   x_{t+1} = x_t + Σ_c P(t, c) · r_c(x_t),   r_c(x) = W_out(c) · act(W_in(c) · x + b_in) + b_out,
//
// on tiles of rows (net.hpp). A candidate is any expand piece with any contract piece of its width:
// hidden units are computed once per expand piece, W_outᵀ g once per contract piece, so that n²
// candidate pairs cost little more than n blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "net/net.hpp"

namespace humpty::net {

// Which expand piece with which contract piece, by their numbers.
struct Candidate {
  std::size_t in, out;
};

class Mixture {
 public:
  Mixture(const std::vector<const Piece*>& expand, const std::vector<const Piece*>& contract,
          std::vector<Candidate> candidates, const Piece& head, Activation activation);

  std::size_t d() const { return head_.in(); }
  std::size_t o() const { return head_.out(); }
  const std::vector<Candidate>& candidates() const { return candidates_; }
  std::size_t scratch() const;  // floats that a call needs

  // One place. x and x_next (d, kTileRows); weight has one entry per candidate. x_next may be x.
  void step(const float* weight, const float* x, float* x_next, float* scratch) const;

  // y = W_head · x + b_head, (o, kTileRows), and its gradient.
  void head(const float* x, float* y) const;
  void head_adjoint(std::size_t output, float* g) const;

  // One place backwards: g holds ∂y/∂x_{t+1} and becomes ∂y/∂x_t (d, kTileRows);
  // slope(c) = ∂y/∂P(t, c) = g · r_c(x_t), (candidates, kTileRows).
  void step_adjoint(const float* weight, const float* x, float* g, float* slope,
                    float* scratch) const;

 private:
  std::vector<std::size_t> in_first_, out_first_;  // first hidden unit of each piece
  std::size_t in_units_ = 0, out_units_ = 0;       // over all pieces
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> width_;  // of each candidate
  Layer in_, in_back_;              // all expand pieces, stacked: (in_units, d) and its transpose
  Layer out_, out_back_;            // all contract pieces, side by side: (d, out_units)
  Matrix out_bias_;                 // contract pieces × d
  Layer head_;
  Matrix head_weight_;
  Activation activation_;
};

}  // namespace humpty::net
