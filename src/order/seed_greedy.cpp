// Greedy least movement: delta-norm asked again after every block, at the states the rows have
// reached by then. A block's movement depends on where in the stream it stands, which is what
// delta-norm at the raw input cannot see: on the published puzzle this puts 38 of 48 blocks in
// place at once (tau 0.991). It costs n²/2 block evaluations, so a few hundred rows have to do.
#include "order/seeds.hpp"

namespace humpty::order {

Order seed_greedy(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch) {
  Walk walk(net, batch, threads);
  Order order, left = ascending(std::vector<double>(net.blocks()));
  while (!left.empty()) {
    std::size_t best = 0;
    double least = walk.movement(left[0]);
    for (std::size_t i = 1; i < left.size() && !watch.stopped(); ++i) {
      const double movement = walk.movement(left[i]);
      if (movement < least) least = movement, best = i;
    }
    order.push_back(left[best]);
    walk.pass(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    watch.go_on("order", -1, "greedy seed");
  }
  return order;
}

}  // namespace humpty::order
