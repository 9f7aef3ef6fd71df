// The optimal assignment.
#pragma once

#include <cstddef>
#include <vector>

namespace humpty::pair {

// match[row] = column so that the sum of score[row * n + match[row]] is largest. Entries of
// −infinity are forbidden; a full match must exist without them.
std::vector<std::size_t> assign(const std::vector<double>& score, std::size_t n);

}  // namespace humpty::pair
