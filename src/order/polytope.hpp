// Where relaxed orders live: weights P(place, candidate) ≥ 0 that sum to one over every place,
// every expand piece and every contract piece. Its corners with entries 0 and 1 are the
// arrangements; with one candidate per block it is Birkhoff's polytope.
#pragma once

#include <cstddef>
#include <vector>

#include "net/mixture.hpp"

namespace humpty::order {

using Weights = std::vector<float>;  // (places, candidates)

// How often things are used: once each. A piece that may take either role has one number on both
// sides.
struct Uses {
  std::size_t places;
  std::vector<std::size_t> in, out;  // per expand and contract piece: its number, from 0

  // As many places as expand pieces, every piece in its own role.
  static Uses of(const net::Mixture& mixture);
  std::size_t pieces() const;
};

class Polytope {
 public:
  Polytope(const Uses& uses, const net::Mixture& mixture, Threads& threads);

  std::size_t places() const { return places_; }
  std::size_t unknowns() const { return places_ * candidates_.size(); }

  Weights centre() const;  // the point of least norm: nothing is preferred

  // Takes from v (unknowns, lanes) whatever would change one of the sums.
  void to_tangent(float* v, std::size_t lanes) const;

 private:
  std::size_t places_, groups_;
  std::vector<net::Candidate> candidates_;  // as numbers of groups
  std::vector<float> inverse_;              // (A Aᵀ)⁺, groups × groups, A the sums as a matrix
};

}  // namespace humpty::order
