// GGUF, the format of llama.cpp and its kin.
#pragma once

#include <string>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

// Versions 2 and 3, little-endian. Tensors of floats are read, those of integers skipped with a
// word; a quantised one is an Error, as the weights it stands for are gone. Shapes are given row
// by row, the other way round from how the file writes them.
Tensors read_gguf(const std::string& path);
Tensors read_gguf(Bytes bytes, const std::string& file);  // `file` is for messages
bool is_gguf(Bytes bytes);

}  // namespace humpty::io
