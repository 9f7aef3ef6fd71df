// The golden files: made by the libraries that own the formats, by data/make_golden.py. Most hold
// the same few tensors.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "io/tensor.hpp"

namespace humpty::test {

using Shape = std::vector<std::uint64_t>;
using Values = std::vector<float>;

inline const Values kWeight{1, 2, 3, 4, 5, 6};  // 2 × 3
inline const Values kTurned{1, 4, 2, 5, 3, 6};  // 3 × 2
inline const Values kBias{0.5f, -2};

inline std::string golden_path(const std::string& name) {
  return HUMPTY_SOURCE_DIR "/tests/io/data/" + name;
}

inline std::string golden(const std::string& name) {
  std::ifstream file(golden_path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline const io::Tensor& find(const io::Tensors& all, const std::string& name) {
  for (const io::Tensor& tensor : all.tensors)
    if (tensor.name == name) return tensor;
  static const io::Tensor none{"(there is none)", {}, io::DType::float32, {}};
  return none;
}

inline std::vector<std::string> names(const io::Tensors& all) {
  std::vector<std::string> list;
  for (const io::Tensor& tensor : all.tensors) list.push_back(tensor.name);
  return list;
}

}  // namespace humpty::test
