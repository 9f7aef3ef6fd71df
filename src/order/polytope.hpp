// Where relaxed orders live: weights P(place, candidate) ≥ 0 that sum to one over every place,
// every expand piece and every contract piece. Its corners with entries 0 and 1 are the
// arrangements; with one candidate per block it is Birkhoff's polytope.
#pragma once

#include <cstddef>
#include <vector>

#include "net/mixture.hpp"

namespace humpty::order {

using Weights = std::vector<float>;  // (places, candidates)

class Polytope {
 public:
  Polytope(std::size_t places, const net::Mixture& mixture);

  std::size_t places() const { return places_; }
  std::size_t unknowns() const { return places_ * candidates_.size(); }

  Weights centre() const;  // the point of least norm: nothing is preferred

  // Takes from v (unknowns, lanes) whatever would change one of the sums.
  void to_tangent(float* v, std::size_t lanes) const;

 private:
  struct Groups {
    std::size_t place, expand, contract;
  };
  Groups groups_of(std::size_t place, const net::Candidate& candidate) const;

  std::size_t places_, expands_, groups_;
  std::vector<net::Candidate> candidates_;
  std::vector<float> inverse_;  // (A Aᵀ)⁺, groups × groups, A the sums as a matrix
};

}  // namespace humpty::order
