// What the page draws beyond the solution itself.
#pragma once

#include "base/parallel.hpp"
#include "report/json.hpp"

namespace humpty::report {

// Whatever of it the solution allows for: a search that has only paired so far has only a pairing.
// Large nets are sampled and binned, and the JSON says so.
Json anatomy_json(const Solution& solution, const Puzzle& puzzle, Threads& threads);

Json puzzle_json(const Puzzle& puzzle);  // shapes, roles, rows

}  // namespace humpty::report
