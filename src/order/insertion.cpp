// Best insertion: take a block out, put it where the error is least. One insertion does what a
// chain of neighbouring exchanges does, without asking every link of the chain to help, which is
// why it gets out of most places where bubble repair sticks. All places of one block share the walk
// along the other n − 1 blocks; the best error so far refutes most places on the first rows, sooner
// still with the rows first on which the present order errs most.
//
// Longer runs of neighbouring blocks are moved the same way (Or's moves for the travelling
// salesman, 1976): two blocks that have found each other but not their place are stuck for single
// insertions. A run of two moved by one place is a rotation of three blocks.
#include <algorithm>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "order/climb.hpp"

namespace humpty::order {
namespace {

using Difference = std::ptrdiff_t;

// The order with `run` put before place k of `others`.
Order with(const Order& others, std::size_t k, const Order& run) {
  Order order = others;
  order.insert(order.begin() + static_cast<Difference>(k), run.begin(), run.end());
  return order;
}

// Tries the run of `length` blocks that starts with `block` at every place; `best` is replaced by
// what is better.
void try_places(Walk& walk, const Order& order, std::size_t block, std::size_t length,
                Standing& best) {
  Order others = order;
  const auto first = std::find(others.begin(), others.end(), block);
  if (others.end() - first < static_cast<Difference>(length)) return;
  const Order run(first, first + static_cast<Difference>(length));
  others.erase(first, first + static_cast<Difference>(length));
  walk.restart();
  for (std::size_t k = 0; k <= others.size(); ++k) {
    Order candidate = with(others, k, run);
    const double error = walk.error(std::span(candidate).subspan(k), best.error);
    if (error < best.error) best = {std::move(candidate), error};
    if (k < others.size()) walk.pass(others[k]);
  }
}

// Gives the present order's error anew.
double sort_rows(Walk& walk, const Order& order) {
  walk.restart();
  walk.error(order, std::numeric_limits<double>::infinity());
  return walk.telling_rows_first();
}

}  // namespace

std::size_t insertion_sweep(Walk& walk, Standing& standing, Watch& watch, std::size_t length) {
  std::size_t moves = 0;
  const Order blocks = standing.order;
  standing.error = sort_rows(walk, standing.order);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double done = static_cast<double>(i) / static_cast<double>(blocks.size());
    if (!watch.go_on("order", done, fmt::format("insertions, error {:.3g}", standing.error))) break;
    Standing best = standing;
    try_places(walk, standing.order, blocks[i], length, best);
    moves += best.error < standing.error;
    standing = std::move(best);
  }
  return moves;
}

bool best_insertion(Walk& walk, Standing& standing, Watch& watch) {
  standing.error = sort_rows(walk, standing.order);
  Standing best = standing;
  for (std::size_t block : standing.order) {
    if (!watch.go_on("order", -1, fmt::format("best insertion, error {:.3g}", best.error))) break;
    try_places(walk, standing.order, block, 1, best);
  }
  const bool moved = best.error < standing.error;
  standing = std::move(best);
  return moved;
}

}  // namespace humpty::order
