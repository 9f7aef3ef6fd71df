// How much the rows leave open: which pieces are interchangeable, which blocks commute.
#pragma once

#include "base/watch.hpp"
#include "verify/field.hpp"
#include "verify/floor.hpp"
#include "verify/rivals.hpp"

namespace humpty::verifier {

Freedom find_freedom(Field& field, const Floor& floor, const std::vector<int>& permutation,
                     const Contest& found, Scope scope, Watch& watch);

// Blocks 0 … n − 1, some of which must run before others. before[x][y]: x before y; closed under
// "before what is before".
using Before = std::vector<std::vector<char>>;

// The natural logarithm of the number of sequences that respect it; nothing where that is too many
// to count.
std::optional<double> log_sequences(const Before& before);

}  // namespace humpty::verifier
