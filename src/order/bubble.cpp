// Bubble repair: "I Dropped a Neural Net", section 4.4. A swap at place k changes only what runs
// from k on, so the walk is kept at k. It is the weak one of the two searches: it needs a start
// within reach by neighbouring exchanges, each of which must help by itself, and sticks on most
// nets from a poor seed. On the published puzzle it is enough.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "order/climb.hpp"

namespace humpty::order {

namespace {

// Looks ahead: which of the next swaps, if none before them is kept, need not be tried in full. As
// many as there are threads at a time; one thread looks at each swap when it comes to it.
class LookAhead {
 public:
  explicit LookAhead(const Walk& walk) : walk_(walk) {}

  bool refuted(const Standing& standing, std::size_t k) {
    if (walk_.threads() == 1) return false;
    if (k >= first_ + refuted_.size()) {
      first_ = k;
      refuted_ = walk_.refuted_swaps(std::span(standing.order).subspan(k), 2 * walk_.threads(),
                                     standing.error);
    }
    return refuted_[k - first_];
  }
  void forget() { refuted_.clear(); }

 private:
  const Walk& walk_;
  std::size_t first_ = 0;
  std::vector<char> refuted_;
};

// Keeps the exchange of places k and k + 1 if it helps; the walk stands at k.
bool swap_if_better(Walk& walk, Standing& standing, std::size_t k) {
  Order swapped = standing.order;
  std::swap(swapped[k], swapped[k + 1]);
  if (!(walk.error(std::span(swapped).subspan(k), standing.error) < standing.error)) return false;
  standing = {std::move(swapped), walk.telling_rows_first()};
  return true;
}

}  // namespace

std::size_t bubble_sweep(Walk& walk, Standing& standing, Watch& watch) {
  const Order& order = standing.order;
  std::size_t swaps = 0;
  walk.restart();
  LookAhead ahead(walk);
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    if (!ahead.refuted(standing, k) && swap_if_better(walk, standing, k)) {
      ++swaps;
      ahead.forget();
    }
    walk.pass(order[k]);
    const double done = static_cast<double>(k + 1) / static_cast<double>(order.size() - 1);
    if (!watch.go_on("order", done, fmt::format("adjacent swaps, error {:.3g}", standing.error)))
      break;
  }
  return swaps;
}

}  // namespace humpty::order
