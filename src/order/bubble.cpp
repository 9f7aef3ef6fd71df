// Bubble repair: "I Dropped a Neural Net", section 4.4. A swap at place k changes only what runs
// from k on, so the walk is kept at k. It is the weak one of the two searches: it needs a start
// within reach by neighbouring exchanges, each of which must help by itself, and sticks on most
// nets from a poor seed. On the published puzzle it is enough.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "order/climb.hpp"

namespace humpty::order {

std::size_t bubble_sweep(Walk& walk, Standing& standing, Watch& watch) {
  Order& order = standing.order;
  std::size_t swaps = 0;
  walk.restart();
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    std::swap(order[k], order[k + 1]);
    const double error = walk.error(std::span(order).subspan(k), standing.error);
    if (error < standing.error) {
      standing.error = walk.telling_rows_first();
      ++swaps;
    } else {
      std::swap(order[k], order[k + 1]);
    }
    walk.pass(order[k]);
    const double done = static_cast<double>(k + 1) / static_cast<double>(order.size() - 1);
    if (!watch.go_on("order", done, fmt::format("adjacent swaps, error {:.3g}", standing.error)))
      break;
  }
  return swaps;
}

}  // namespace humpty::order
