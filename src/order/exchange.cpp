// Exchange of contract pieces: two blocks trade their W_out, places stay. It mends a pairing that
// is right but for a few pairs; with more than a handful wrong the error has no slope to follow. As
// with every change here, only what runs from the first of the two on is computed again, and the
// best error so far refutes most exchanges on the first rows.
#include <span>

#include <fmt/format.h>

#include "order/climb.hpp"

namespace humpty::order {

namespace {

// Exchanged for as long as this lives, or for good.
class Trial {
 public:
  Trial(const Exchange& exchange, std::size_t a, std::size_t b)
      : exchange_(exchange), a_(a), b_(b), done_(exchange(a, b)), undo_(done_) {}
  ~Trial() {
    if (undo_) exchange_(a_, b_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  bool possible() const { return done_; }
  void keep() { undo_ = false; }

 private:
  const Exchange& exchange_;
  std::size_t a_, b_;
  bool done_, undo_;
};

}  // namespace

std::size_t exchange_sweep(Walk& walk, Standing& standing, const Exchange& exchange, Watch& watch) {
  const Order& order = standing.order;
  std::size_t exchanges = 0;
  walk.restart();
  for (std::size_t a = 0; a + 1 < order.size(); ++a) {
    const double done = static_cast<double>(a) / static_cast<double>(order.size());
    if (!watch.go_on("order", done, fmt::format("W_out exchanges, error {:.3g}", standing.error)))
      break;
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      Trial trial(exchange, order[a], order[b]);
      if (!trial.possible()) continue;
      const double error = walk.error(std::span(order).subspan(a), standing.error);
      if (!(error < standing.error)) continue;
      trial.keep();
      standing.error = error;
      ++exchanges;
    }
    walk.pass(order[a]);
  }
  return exchanges;
}

}  // namespace humpty::order
