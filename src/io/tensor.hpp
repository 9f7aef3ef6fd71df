// What every reader of weights gives: named tensors, converted to float32, and a word about each
// thing it left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "humpty/humpty.hpp"
#include "io/bytes.hpp"

namespace humpty::io {

enum class DType { float64, float32, float16, bfloat16 };

std::string_view name(DType dtype);
DType dtype_named(std::string_view name);  // what is no such name is float32
std::size_t item_size(DType dtype);        // in bytes

// How and when a graph applies a weight: as x·W or turned first, and in which place.
struct Use {
  bool in_by_out = false;
  std::size_t place = 0;
};

struct Tensor {
  std::string name;  // key in the file: "weight", "blocks.3.inp.bias", …
  std::vector<std::uint64_t> shape;
  DType dtype = DType::float32;  // as stored
  Values values;                 // row-major, whatever the strides in the file were
  std::optional<Use> use = {};   // by the file's own graph, where it has one
  bool whole = false;            // stored as integers
};

using Metadata = std::map<std::string, std::string>;

struct Tensors {
  std::string file;
  std::vector<Tensor> tensors;            // in the file's own order
  std::vector<std::string> skipped = {};  // "tensor 'steps': int64 is not read"
  Metadata metadata = {};                 // what a safetensors file says about itself
};

constexpr std::size_t kMostDimensions = 64;  // PyTorch's own limit, and NumPy's

// How many items a shape holds. Zeros do not hide an overflow: whoever multiplies the shape later,
// or makes it bytes, is spared the thought.
std::uint64_t count_items(const std::vector<std::uint64_t>& shape, const Where& where);

// Of a shape that count_items has seen: its sizes fit.
inline Matrix to_matrix(std::uint64_t rows, std::uint64_t cols, Values values = {}) {
  return {static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), std::move(values)};
}

// An Error if two of them have the same name.
void check_names(std::vector<std::string_view> names, const std::string& file);
void check_names(std::span<const Tensor> tensors, const std::string& file);

// What a reader gives. Weights are floats; data may be whole numbers too, which come as float32
// where that can hold each of them, and are skipped with a word where it cannot.
enum class Take { floats, numbers };

std::string not_read(std::string_view tensor, std::string_view type);  // a line for `skipped`

enum class ByteOrder { little, big };

// Items of `dtype`, one after another, to floats and back. A float64 is rounded to the nearest
// float32, a float32 to the nearest half (ties to even); what is too large becomes infinity.
std::vector<float> decode(DType dtype, Bytes items, ByteOrder order = ByteOrder::little);
std::string encode(DType dtype, std::span<const float> values);  // little-endian

struct WholeType {
  std::size_t size = 1;  // in bytes
  bool sign = false;
};
std::optional<WholeType> whole_type(std::string_view name);  // "int64", "uint8", "bool", …

// Nothing where one of them is none of float32's numbers.
std::optional<std::vector<float>> decode(WholeType type, Bytes items,
                                         ByteOrder order = ByteOrder::little);
std::string not_exact(std::string_view tensor, std::string_view type);  // a line for `skipped`

float half_to_float(std::uint16_t bits);
float bfloat16_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
std::uint16_t float_to_bfloat16(float value);

}  // namespace humpty::io
