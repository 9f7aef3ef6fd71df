// b_out by its direction. Training adds to it the mean gradient at the block's place, so it is a
// picture of that place that no hidden unit blurs: on the published puzzle its path is the order,
// without an inversion. Raw and centred biases gave the same there.
#include "order/signals.hpp"

namespace humpty::order {

Distances by_bias(const Blocks& blocks, Threads& threads) {
  std::vector<std::vector<double>> points;
  for (const Piece* piece : blocks.contract)
    points.emplace_back(piece->bias.begin(), piece->bias.end());
  return between_directions(std::move(points), threads);
}

}  // namespace humpty::order
