// From tensors to pieces.
#pragma once

#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "io/opened.hpp"
#include "io/tensor.hpp"
#include "puzzle/layers.hpp"

namespace humpty::puzzle {

// Reads the files side by side; they come back in natural order of their names. Of a training
// checkpoint the net alone (see checkpoint.hpp): what is left out is said in `skipped`.
std::vector<io::Tensors> read_files(std::vector<std::string> files, const io::Opened& opened,
                                    const std::string& key, Threads& threads);
void sort_naturally(std::vector<std::string>& files);

void add_entries(const io::Tensors& found, std::vector<Entry>& entries);

// By id, roles not set. What was guessed or left out is added to `notes`.
std::vector<Piece> to_pieces(std::vector<io::Tensors> files, bool transposed, std::size_t features,
                             std::vector<std::string>& notes);

// Throws bad_value with the piece's name if a weight or bias is NaN or infinite.
void check_finite(const Piece& piece);

}  // namespace humpty::puzzle
