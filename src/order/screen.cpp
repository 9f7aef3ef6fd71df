// Insertions, screened by the adjoint. Leave a block out; one pass forward and one backward along
// the n − 1 others give the answer y, the states x_j and the gradients g_j = ∂y/∂x_j. To first
// order the block, put in before place j, adds g_j · r(x_j) to the answer, so all its places are
// judged for less than four forward passes where trying them costs n / 2. A guess may only
// recommend: the best few are tried exactly. At 48 blocks a sweep costs a third of an exact one,
// but on nets far from linear it sticks early (the zoo's js48-10: at an error of 0.035 where exact
// insertions go on to 0.0016): it is for large nets, and the last word is with exact insertions.
//
// Tried instead: guesses for all blocks at once from one pass along the present order, which costs
// another third but has to guess what leaving a block out does as well: it stuck at errors two to
// ten times larger.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "order/climb.hpp"
#include "order/seeds.hpp"

namespace humpty::order {
namespace {

using net::kTileRows;

constexpr std::size_t kTries = 3;

struct Desk {
  Desk(const net::Net& net, std::size_t places)
      : states(net::floats(places * net.d() * kTileRows)),
        g(net::floats(net.d() * kTileRows)),
        r(net::floats(net.d() * kTileRows)),
        y(net::floats(net.o() * kTileRows)),
        scratch(net::floats(net.scratch())) {}
  net::Floats states, g, r, y, scratch;
};

// Adds to guess[j] the tile's squared errors if `block` ran before others[j].
void guess_tile(const net::Net& net, const net::Batch& batch, std::size_t tile, const Order& others,
                std::size_t block, const Threads& threads, Desk& desk, std::vector<double>& guess) {
  const std::size_t n = others.size(), size = net.d() * kTileRows;
  const auto state = [&](std::size_t j) { return desk.states.get() + j * size; };
  std::copy_n(batch.features(tile), size, state(0));
  for (std::size_t j = 0; j < n; ++j) {
    threads.check();
    net.step(others[j], state(j), state(j + 1), desk.scratch.get());
  }
  net.head(state(n), desk.y.get());
  for (std::size_t output = 0; output < net.o(); ++output) {
    const float *y = &desk.y[output * kTileRows], *target = batch.target(tile) + output * kTileRows;
    net.head_adjoint(output, desk.g.get());
    for (std::size_t j = n + 1; j-- > 0;) {
      threads.check();
      net.residual(block, state(j), desk.r.get(), desk.scratch.get());
      float change[kTileRows] = {};
      net::add_dots(desk.g.get(), desk.r.get(), net.d(), change);
      for (std::size_t r = 0; r < batch.rows_in(tile); ++r) {
        const double error = double{y[r] + change[r] - target[r]};
        guess[j] += error * error;
      }
      if (j > 0) net.step_adjoint(others[j - 1], state(j - 1), desk.g.get(), desk.scratch.get());
    }
  }
}

// The places before which `block` promises most, best first.
std::vector<std::size_t> promising(const net::Net& net, const net::Batch& batch,
                                   const Order& others, std::size_t block, Threads& threads) {
  const std::size_t places = others.size() + 1;
  std::vector<std::vector<double>> guesses(batch.tiles(), std::vector<double>(places));
  threads.run(batch.tiles(), [&](std::size_t tile, unsigned) {
    Desk desk(net, places);
    guess_tile(net, batch, tile, others, block, threads, desk, guesses[tile]);
  });
  std::vector<double> total(places);
  for (const auto& guess : guesses)
    std::transform(total.begin(), total.end(), guess.begin(), total.begin(), std::plus<>());
  Order best = ascending(total);
  best.resize(std::min(kTries, places));
  return best;
}

}  // namespace

std::size_t screened_sweep(Walk& walk, const net::Batch& batch, Standing& standing,
                           Threads& threads, Watch& watch) {
  std::size_t moves = 0;
  walk.restart();
  const Order blocks = standing.order;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double done = static_cast<double>(i) / static_cast<double>(blocks.size());
    if (!watch.go_on("order", done, fmt::format("insertions, error {:.3g}", standing.error))) break;
    Order others = standing.order;
    std::erase(others, blocks[i]);
    const double before = standing.error;
    for (std::size_t place : promising(walk.net(), batch, others, blocks[i], threads)) {
      Order order = others;
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), blocks[i]);
      const double error = walk.error(order, standing.error);
      if (error < standing.error) standing = {std::move(order), error};
    }
    moves += standing.error < before;
  }
  return moves;
}

}  // namespace humpty::order
