// Directions of equal size.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "net/net.hpp"

namespace humpty::pair {

// Vectors as rows, padded with zeros: row k is at values + k · stride.
struct Units {
  Units(std::size_t rows_, std::size_t columns_);

  float* row(std::size_t k) { return values.get() + k * stride; }
  const float* row(std::size_t k) const { return values.get() + k * stride; }

  std::size_t rows, columns, stride;
  net::Floats values;
};

// Multiplies every row of every piece by (C + ridge · v · I)^(−1/2), C the second moments of all
// rows together, v their mean variance. The symmetric root, because it goes along when coordinates
// are permuted or turned, as a triangular one does not.
void whiten(std::vector<Units>& pieces, double ridge, Threads& threads);

}  // namespace humpty::pair
