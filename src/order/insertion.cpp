// Best insertion: take a block out, put it where the error is least. One insertion does what a
// chain of neighbouring exchanges does, without asking every link of the chain to help, which is
// why it gets out of most places where bubble repair sticks. All places of one block share the walk
// along the other n − 1 blocks; the best error so far refutes most places on the first rows.
#include <span>

#include <fmt/format.h>

#include "order/climb.hpp"

namespace humpty::order {
namespace {

// The order with `block` put before place k of `others`.
Order with(const Order& others, std::size_t k, std::size_t block) {
  Order order = others;
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(k), block);
  return order;
}

bool reinsert(Walk& walk, Standing& standing, std::size_t block) {
  Order others = standing.order;
  std::erase(others, block);
  Standing best = standing;
  walk.restart();
  for (std::size_t k = 0; k <= others.size(); ++k) {
    Order candidate = with(others, k, block);
    const double error = walk.error(std::span(candidate).subspan(k), best.error);
    if (error < best.error) best = {std::move(candidate), error};
    if (k < others.size()) walk.pass(others[k]);
  }
  const bool moved = best.error < standing.error;
  standing = std::move(best);
  return moved;
}

}  // namespace

std::size_t insertion_sweep(Walk& walk, Standing& standing, Watch& watch) {
  std::size_t moves = 0;
  const Order blocks = standing.order;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double done = static_cast<double>(i) / static_cast<double>(blocks.size());
    if (!watch.go_on("order", done, fmt::format("insertions, error {:.3g}", standing.error))) break;
    moves += reinsert(walk, standing, blocks[i]);
  }
  return moves;
}

}  // namespace humpty::order
