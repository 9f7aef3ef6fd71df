// Exchange of any two blocks. Beyond what insertions do it trades two places at once: what ran
// between them stays as it is.
#include <span>

#include <fmt/format.h>

#include "order/climb.hpp"

namespace humpty::order {

std::size_t swap_sweep(Walk& walk, Standing& standing, Watch& watch) {
  const Order& order = standing.order;
  std::size_t swaps = 0;
  walk.restart();
  for (std::size_t a = 0; a + 1 < order.size(); ++a) {
    const double done = static_cast<double>(a) / static_cast<double>(order.size());
    if (!watch.go_on("order", done, fmt::format("exchanges, error {:.3g}", standing.error))) break;
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      Order swapped = order;
      std::swap(swapped[a], swapped[b]);
      const double error = walk.error(std::span(swapped).subspan(a), standing.error);
      if (!(error < standing.error)) continue;
      standing = {std::move(swapped), error};
      ++swaps;
    }
    walk.pass(order[a]);
  }
  return swaps;
}

}  // namespace humpty::order
