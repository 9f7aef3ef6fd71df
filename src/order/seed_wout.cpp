// ‖W_out‖_F, the paper's data-free seed: no forward pass at all. On the published puzzle its error
// is worse than delta-norm's and its order is better (48 inversions against 88), so the repair from
// it is the shorter one.
#include <cmath>

#include "order/seeds.hpp"

namespace humpty::order {

Order seed_wout(const std::vector<const Piece*>& contract) {
  std::vector<double> norm;
  for (const Piece* piece : contract) {
    double square = 0;
    for (float w : piece->weight.values) square += double{w} * double{w};
    norm.push_back(std::sqrt(square));
  }
  return ascending(norm);
}

}  // namespace humpty::order
