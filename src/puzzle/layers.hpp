// From tensors, however they are named and packed, to linear layers: which matrix goes with which
// vector, which way round it lies, and what number the layer goes by. Looks at names and shapes
// only, so that it serves whoever has no room for the values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/tensor.hpp"

namespace humpty::puzzle {

// A tensor as found, without its values. They are listed file by file, in each file's own order.
struct Entry {
  std::string file, name;
  std::vector<std::uint64_t> shape;
  std::optional<io::Use> use = {};  // by the file's own graph
};

struct Layer {
  std::size_t weight = 0;           // which entry
  std::optional<std::size_t> bias;  // which entry
  bool turned = false;              // stored in × out
  int id = 0;
  std::string source;  // "piece_3.pth", or "net.npz: t17 with t4"
};

struct Layers {
  std::vector<Layer> layers;       // by id
  std::vector<std::string> notes;  // what was guessed or left out
};

// `features` is the width of the stream as the data has it (0: unknown). Throws bad_shape where
// there is no matrix, or where a vector belongs to none or nothing tells to which.
Layers find_layers(const std::vector<Entry>& entries, bool transposed, std::size_t features);

}  // namespace humpty::puzzle
