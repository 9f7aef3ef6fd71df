// Which files make up a puzzle: looked for in folders, taken as named otherwise.
#pragma once

#include <string>
#include <vector>

#include "io/opened.hpp"

namespace humpty::puzzle {

struct Files {
  std::vector<std::string> pieces, data;
  std::vector<std::string> barren;      // folders without a piece
  std::vector<std::string> maybe_data;  // files of tensors beside a folder `pieces`
  io::Opened opened;                    // archives, and what can be read only once
};

// An archive is looked into like a folder. `data` and `target`, where they are said, are files that
// hold no pieces though they may lie among them. Throws where a path does not exist or a folder
// cannot be listed.
Files find_files(const std::vector<std::string>& paths, const std::string& data,
                 const std::string& target = "");

// Throws unless there are files with pieces, and some in each folder that was named.
void check_pieces(const Files& files);

// The file with the rows: the wanted one, or else the only one found. A folder that is called
// `pieces` may have it one level up.
std::string choose_data(const Files& files, const std::string& wanted);

}  // namespace humpty::puzzle
