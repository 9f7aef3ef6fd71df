// The paper's pairing signal.
#pragma once

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "pair/sides.hpp"

namespace humpty::pair {

// Scores all candidate pairs by the diagonal dominance ratio and matches them.
Pairing pair_by_ratio(const Puzzle& puzzle, Threads& threads);
Table ratio_table(const Sides& sides, Threads& threads);  // the scores alone

// The optimal assignment to a table of scores (and the best of each row), as a Pairing.
Pairing pairing_by(const Sides& sides, Table scores, Table traces);

// Whether every match is the best of its row and of its column.
bool is_clear(const Pairing& pairing);

// Score less the best rival in the pair's row or column; infinity where there is no rival.
double margin(const Pairing& pairing, std::size_t expand);

}  // namespace humpty::pair
