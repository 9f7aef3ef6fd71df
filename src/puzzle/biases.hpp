// Which vector is the bias of which matrix.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "puzzle/layers.hpp"

namespace humpty::puzzle {

// What is left of a matrix's name without its last word for "weight", or of a vector's without that
// for "bias": "blocks 3 inp" of "blocks.3.inp.weight" and of "blocks_3_inp_bias". Where nothing
// else is in the tensor's name, the file's tells: "pieces piece 3" of "weight" in
// pieces/piece_3.pth, "3" of w_3.npy. Nothing where there is no such word.
std::optional<std::string> stem_of(const Entry& entry);

struct Biases {
  std::vector<std::optional<std::size_t>> of;  // for each weight, which entry
  std::size_t by_name = 0, by_shape = 0, by_file = 0, by_order = 0;
};

// `weights` and `vectors` say which entries they are; `outputs` how many each weight has. Throws
// bad_shape for a vector that no weight can have, or where nothing tells whose it is.
Biases match_biases(const std::vector<Entry>& entries, const std::vector<std::size_t>& weights,
                    const std::vector<std::uint64_t>& outputs,
                    const std::vector<std::size_t>& vectors);

}  // namespace humpty::puzzle
