// The files beside an ONNX model that hold its larger weights.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "io/file.hpp"

namespace humpty::io {

class OnnxExternal {
 public:
  // `file` is the model, for messages; without a folder every request is refused.
  OnnxExternal(std::string file, std::string folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}

  // `entries` is what the model says about a tensor: location, offset, length. Gives `size` bytes.
  Bytes find(const std::map<std::string, std::string>& entries, std::uint64_t size,
             const std::string& tensor);

 private:
  const File& open(const std::string& location, const std::string& tensor);
  std::string resolve(const std::string& location, const std::string& tensor) const;

  std::string file_, folder_;
  std::map<std::string, File> files_;
  std::uint64_t held_ = 0, wanted_ = 0;  // bytes in the files; bytes that tensors asked for
};

}  // namespace humpty::io
