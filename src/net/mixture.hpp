// Blocks in weighted mixtures: every place of the net runs many candidate blocks at once,
//
//   x_{t+1} = x_t + Σ_c P(t, c) · r_c(x_t),   r_c(x) = W_out(c) · act(W_in(c) · x + b_in) + b_out,
//
// on tiles of rows (net.hpp). A candidate is any expand piece with any contract piece of its width:
// hidden units are computed once per expand piece, W_outᵀ g once per contract piece, so that n²
// candidate pairs cost little more than n blocks. Pieces without weight at a place are skipped.
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
  std::size_t expands() const { return in_.size(); }
  std::size_t contracts() const { return out_.size(); }
  const std::vector<Candidate>& candidates() const { return candidates_; }  // by expand piece
  std::size_t scratch() const;  // floats that a call needs

  // One place. x and x_next (d, kTileRows); weight has one entry per candidate. x_next may be x.
  void step(const float* weight, const float* x, float* x_next, float* scratch) const;

  // y = W_head · x + b_head (o, kTileRows), and ∂y_output/∂x (d, kTileRows).
  void head(const float* x, float* y) const;
  void head_adjoint(std::size_t output, float* g) const;

  // One place backwards: g = ∂y/∂x_{t+1} becomes ∂y/∂x_t (d, kTileRows), and
  // slope(c) = ∂y/∂P(t, c) = g · r_c(x_t) (candidates, kTileRows).
  void step_adjoint(const float* weight, const float* x, float* g, float* slope,
                    float* scratch) const;

 private:
  // One side's piece: forward and backward layer, and where its hidden units lie in scratch.
  struct Side {
    Layer forward, backward;
    std::size_t first;  // floats
    std::size_t size;   // floats: hidden units × kTileRows
  };
  static std::vector<Side> sides(const std::vector<const Piece*>& pieces, bool expand);
  static std::size_t floats_of(const std::vector<Side>& sides);
  // Per piece: whether any candidate with weight has it.
  void find_used(const float* weight, std::vector<char>& in, std::vector<char>& out) const;

  void pull_back(std::size_t contract, const float* g, float* back, float* offset) const;

  std::vector<Candidate> candidates_;  // by expand piece
  std::vector<std::size_t> first_;     // of each expand piece's candidates; and the end
  std::vector<Side> in_, out_;
  std::size_t widest_ = 0;  // floats of the widest expand piece's hidden units
  Matrix out_bias_;         // contract pieces × d
  Layer head_;
  Matrix head_weight_;
  Activation activation_;
};

}  // namespace humpty::net
