// What training leaves in the weights of a true pair: one file per signal. A larger entry means a
// likelier pair; the tables come as they are, for standardise() to make comparable.
#pragma once

#include <cstdint>
#include <string>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "pair/sides.hpp"

namespace humpty::pair {

Table norm_balance(const Sides& sides);                     // norms.cpp
Table whitened_norm(const Sides& sides, Threads& threads);  // whitened.cpp
// One of ratio, norms and whitened, by name.
Table plain_table(PairSignal signal, const Sides& sides, Threads& threads);  // ensemble.cpp
// Standardised already. `start`: a first guess; `others`: standardised tables of other signals that
// may help.
Table bilinear(const Sides& sides, const Table& start, const std::vector<const Table*>& others,
               Threads& threads, Watch& watch);  // bilinear.cpp

}  // namespace humpty::pair
