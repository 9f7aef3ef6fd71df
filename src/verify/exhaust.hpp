// Every arrangement of a few blocks.
#pragma once

#include <optional>
#include <vector>

#include "base/watch.hpp"
#include "verify/field.hpp"
#include "verify/floor.hpp"

namespace humpty::verifier {

// The natural logarithm of how many arrangements of the pieces can be run: orders times pairings,
// width by width.
double log_arrangements(const Chain<double>& chain);

// Whether trying them all costs little.
bool can_exhaust(const Field& field);

struct Exhausted {
  bool complete = false;         // all were tried
  std::size_t others = 0;        // arrangements besides the order certified
  std::size_t explaining = 0;    // of these, how many explain all rows
  std::vector<Rival> survivors;  // some of those
  std::optional<Rival> nearest;  // the least error of all others
};

// `rows`: all of them, the most telling first.
Exhausted exhaust(Field& field, const Floor& floor, const Field::Places& rows, Watch& watch);

}  // namespace humpty::verifier
