// The rivals of an order, and which of them the rows refute.
#pragma once

#include <vector>

#include "base/watch.hpp"
#include "verify/field.hpp"
#include "verify/floor.hpp"

namespace humpty::verifier {

// `automatic` must have been settled: see settle.
std::vector<Rival> rivals_of(const Puzzle& puzzle, const std::vector<int>& permutation,
                             Scope scope);

// `automatic` becomes `full` where that costs little, otherwise `adjacent`.
Scope settle(Scope scope, const Field& field);

struct Contest {
  std::vector<Rival> rivals;  // with the error found
  std::vector<char> refuted;
  std::size_t nearest = 0;   // of the rivals, if there are any
  double typical_error = 0;  // of one value under an exchange of neighbours: the median
  bool complete = true;      // every rival was refuted or measured on all rows

  std::size_t refuted_count() const;
};

// Which of them see all rows, refuted or not: every one, the nearest, or none.
enum class Whole { every, nearest, none };
Contest contest(Field& field, const Floor& floor, std::vector<Rival> rivals, Whole whole,
                Watch& watch);

}  // namespace humpty::verifier
