// A whole checkpoint as a chain of layers.
#pragma once

#include <string>
#include <vector>

#include "humpty/humpty.hpp"
#include "io/tensor.hpp"

namespace humpty::lab {

// How the layers are called, "{i}" standing for the block's number: "blocks.{i}.inp". Empty: the
// checkpoint's own order decides, blocks by the numbers in their names.
struct LayerNames {
  std::string in, out, head;
};

// Pieces in the order of application: in, out, in, out, …, head. Throws bad_shape where the shapes
// do not chain.
std::vector<Piece> read_chain(io::Tensors checkpoint, const LayerNames& names);

}  // namespace humpty::lab
