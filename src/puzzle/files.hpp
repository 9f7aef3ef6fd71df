// Which files make up a puzzle: looked for in folders, taken as named otherwise.
#pragma once

#include <string>
#include <vector>

namespace humpty::puzzle {

struct Files {
  std::vector<std::string> pieces, data;
  std::vector<std::string> barren;  // folders without a piece
};

// Throws where a path does not exist or a folder cannot be listed.
Files find_files(const std::vector<std::string>& paths);

// The file with the rows: the wanted one, or else the only one found.
std::string choose_data(const Files& files, const std::string& wanted);

}  // namespace humpty::puzzle
