// Drops a net: takes it apart into shuffled pieces, and keeps the answer.
#pragma once

#include <string>

#include "humpty/humpty.hpp"

namespace humpty::lab {

struct Dropped {
  Puzzle puzzle;                 // pieces with shuffled ids; rows.target is what the net answers
  std::vector<int> permutation;  // the truth
  Matrix truth;                  // the task's own target (column `true`); may have no columns
};

// `applied`: in, out, in, out, …, head. `rows.target` may be the task's target or empty.
Dropped drop(std::vector<Piece> applied, Rows rows, Activation activation, std::uint64_t rng,
             unsigned threads = 0);

// Writes folder/pieces/piece_K.pth, folder/data.csv and folder/answer.json. The answer holds the
// permutation, its SHA-256, and `about`, a JSON object with whatever else is worth keeping. Written
// beside and moved into place. A folder that holds something is refused unless `force`, which
// replaces these three and leaves everything else alone.
void write_puzzle(const std::string& folder, const Dropped& dropped, const std::string& about,
                  bool force);

// Throws unless write_puzzle would accept the folder: to be asked before hours of training.
void check_output_folder(const std::string& folder, bool force);

}  // namespace humpty::lab
