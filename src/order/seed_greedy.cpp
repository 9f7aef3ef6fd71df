// Greedy least movement: delta-norm asked again after every block, at the states the rows have
// reached by then. A block's movement depends on where in the stream it stands, which is what
// delta-norm at the raw input cannot see: on the published puzzle this puts 38 of 48 blocks in
// place at once (tau 0.991). It costs n²/2 block evaluations, so a few hundred rows have to do.
#include <algorithm>

#include "order/seeds.hpp"

namespace humpty::order {

Order least_first(Walk& walk, Measure measure, Watch& watch) {
  Order order, left = ascending(std::vector<double>(walk.net().blocks()));
  while (!left.empty()) {
    std::ptrdiff_t best = 0;  // once stopped, whatever comes next
    if (!watch.stopped()) {
      const std::vector<double> values = (walk.*measure)(left);
      best = std::min_element(values.begin(), values.end()) - values.begin();
    }
    order.push_back(left[static_cast<std::size_t>(best)]);
    walk.pass(order.back());
    left.erase(left.begin() + best);
    watch.go_on("order", -1, "greedy seed");
  }
  return order;
}

Order seed_greedy(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch) {
  Walk walk(net, batch, threads);
  return least_first(walk, &Walk::movements, watch);
}

}  // namespace humpty::order
