// An order as users give it.
#pragma once

#include <string>
#include <vector>

#include "humpty/humpty.hpp"

namespace humpty::cli {

constexpr const char* kOrderHelp =
    "Piece ids as applied, comma-joined, or a file with them; 'graph': as an ONNX file applies "
    "them";

// The list itself, a text file of ids, a JSON file with "permutation" as an array or as text, or
// the word "graph".
std::vector<int> read_order(const std::string& given, const std::vector<Piece>& pieces);

std::string read_text(const std::string& path);

}  // namespace humpty::cli
