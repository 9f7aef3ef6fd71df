// Which files make up a puzzle: looked for in folders, taken as named otherwise.
#pragma once

#include <string>
#include <vector>

namespace humpty::puzzle {

struct Files {
  std::vector<std::string> pieces, data;
  std::vector<std::string> barren;      // folders without a piece
  std::vector<std::string> maybe_data;  // files of tensors beside a folder `pieces`
};

// `data`, where it is said, is a file that holds no pieces though it may lie among them. Throws
// where a path does not exist or a folder cannot be listed.
Files find_files(const std::vector<std::string>& paths, const std::string& data);

// Throws unless there are files with pieces, and some in each folder that was named.
void check_pieces(const Files& files);

// The file with the rows: the wanted one, or else the only one found.
std::string choose_data(const Files& files, const std::string& wanted);

}  // namespace humpty::puzzle
