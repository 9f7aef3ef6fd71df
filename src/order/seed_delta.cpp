// Delta-norm, δ_k = E‖r_k(x)‖ at the raw input: "I Dropped a Neural Net", section 4. Residual
// perturbations tend to grow with depth in trained nets, so small ones go first. It is no law: on
// other nets the direction can be reversed (research notes: Kendall's tau −0.96 … 0.95).
#include <algorithm>
#include <numeric>

#include "order/seeds.hpp"

namespace humpty::order {

Order ascending(const std::vector<double>& value) {
  Order order(value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value[a] < value[b]; });
  return order;
}

Order seed_delta(const net::Net& net, const net::Batch& batch, Threads& threads) {
  const Walk walk(net, batch, threads);
  return ascending(walk.movements(ascending(std::vector<double>(net.blocks()))));
}

}  // namespace humpty::order
