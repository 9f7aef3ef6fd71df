// From files that have been found to a puzzle.
#pragma once

#include "humpty/humpty.hpp"
#include "puzzle/files.hpp"

namespace humpty::puzzle {

inline Files find_files(const std::vector<std::string>& paths, const ReadOptions& options) {
  return find_files(paths, options.data, options.target_file);
}

Puzzle read_found(const Files& files, const ReadOptions& options);

}  // namespace humpty::puzzle
