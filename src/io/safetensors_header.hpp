// The header of a safetensors file, checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

struct SafetensorsHeader {
  struct Entry {
    std::string name, type;
    std::optional<DType> dtype;  // none: not one that is read
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0, end = 0;  // bytes in `data`
  };

  std::vector<Entry> entries;  // as they lie in the file
  Metadata metadata;
  Bytes data;  // what follows the header
};

SafetensorsHeader read_safetensors_header(Bytes bytes, const std::string& file);
Tensors load(SafetensorsHeader header, const std::string& file, Take take = Take::floats);

// An index's promises: tensor → shard. An Error (unsafe) if a shard is more than a file's name.
std::map<std::string, std::string> read_weight_map(Bytes bytes, const std::string& file);

// What the format calls its floats, and its key for what a file says about itself.
std::string_view safetensors_type(DType dtype);
inline constexpr std::string_view kMetadataKey = "__metadata__";

}  // namespace humpty::io
