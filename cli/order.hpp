// An order as users give it.
#pragma once

#include <string>
#include <vector>

namespace humpty::cli {

// The list itself, a text file of ids, or a JSON file with "permutation" as an array or as text.
std::vector<int> read_order(const std::string& given);

}  // namespace humpty::cli
