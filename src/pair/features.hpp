// What is known of each hidden unit from one side of its block.
#pragma once

#include "base/parallel.hpp"
#include "net/net.hpp"
#include "pair/sides.hpp"

namespace humpty::pair {

// Unit k of piece i has `stride` numbers, the columns of several groups beside each other. All
// pieces of one width lie together, unit by unit: (h, pieces, stride), so that the units numbered
// k of all pieces are one matrix.
struct Features {
  std::vector<std::size_t> groups;          // first column of each; at the end their number
  std::size_t stride = 0;                   // padded
  std::vector<net::Floats> values;          // per width of the sides
  std::vector<std::vector<double>> energy;  // [group][piece]: sum of squares

  std::size_t columns() const { return groups.back(); }
};

Features expand_features(const Sides& sides, Threads& threads);
Features contract_features(const Sides& sides, Threads& threads);

}  // namespace humpty::pair
