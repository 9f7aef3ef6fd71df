// First guesses at the order. Each ascending; ties go to the lower block number.
#pragma once

#include "base/watch.hpp"
#include "order/walk.hpp"

namespace humpty::order {

// The paper's delta-norm: how far a block moves the raw input, mean over the rows.
Order seed_delta(const net::Net& net, const net::Batch& batch, Threads& threads);

// The paper's data-free seed: ‖W_out‖_F.
Order seed_wout(const std::vector<const Piece*>& contract);

// Next comes the block that moves the present state least.
Order seed_greedy(const net::Net& net, const net::Batch& batch, Threads& threads, Watch& watch);

// Next comes the block of which there is least at the present state, by Walk's measure.
using Measure = std::vector<double> (Walk::*)(std::span<const std::size_t>) const;
Order least_first(Walk& walk, Measure measure, Watch& watch);

// The block numbers 0 … n − 1, sorted by ascending value.
Order ascending(const std::vector<double>& value);

}  // namespace humpty::order
