// How much the rows leave open: which pieces are interchangeable, which blocks commute.
#pragma once

#include "base/watch.hpp"
#include "verify/field.hpp"
#include "verify/floor.hpp"
#include "verify/larger.hpp"
#include "verify/rivals.hpp"

namespace humpty::verifier {

// Of the larger changes those that follow from what it finds are struck off the list; whether any
// that is left explains the rows is for the caller to find out.
Freedom find_freedom(Field& field, const Floor& floor, const std::vector<int>& permutation,
                     const Trial::Found& found, Larger& larger, Watch& watch);

// So many permutations, known exactly.
void set_count(double log_permutations, Freedom& freedom);

// Blocks 0 … n − 1, some of which must run before others. before[x][y]: x before y; closed under
// "before what is before".
using Before = std::vector<std::vector<char>>;

// The natural logarithm of the number of sequences that respect it; nothing where that is too many
// to count.
std::optional<double> log_sequences(const Before& before);

}  // namespace humpty::verifier
