// The numbers that ONNX gives to fields and types, from its onnx.proto.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/tensor.hpp"

namespace humpty::io::onnx {

enum Model : std::uint32_t {
  ir_version = 1,
  producer_name = 2,
  graph = 7,
  opset_import = 8,
  metadata_props = 14,
};
enum Opset : std::uint32_t { opset_version = 2 };
enum Graph : std::uint32_t {
  node = 1,
  graph_name = 2,
  initializer = 5,
  graph_input = 11,
  graph_output = 12,
  sparse_initializer = 15,
};
enum Node : std::uint32_t { input = 1, output = 2, op_type = 4, attribute = 5, domain = 7 };
enum Attribute : std::uint32_t {
  attribute_name = 1,
  f = 2,
  i = 3,
  s = 4,
  t = 5,
  floats = 7,
  ints = 8,
  attribute_type = 20,
  sparse_tensor = 22,
};
enum AttributeType : std::uint32_t { type_float = 1, type_int = 2, type_string = 3, type_ints = 7 };
enum TensorField : std::uint32_t {
  dims = 1,
  data_type = 2,
  float_data = 4,
  int32_data = 5,
  tensor_name = 8,
  raw_data = 9,
  double_data = 10,
  external_data = 13,
  data_location = 14,
};
enum SparseTensor : std::uint32_t { sparse_values = 1 };
enum Entry : std::uint32_t { entry_key = 1, entry_value = 2 };
enum ValueInfo : std::uint32_t { value_name = 1, value_type = 2 };
enum TypeField : std::uint32_t { tensor_type = 1 };
enum TensorType : std::uint32_t { elem_type = 1, type_shape = 2 };
enum Shape : std::uint32_t { dim = 1 };
enum Dim : std::uint32_t { dim_value = 1, dim_param = 2 };

// By number.
inline constexpr std::array<std::string_view, 27> kTypeNames{
    "undefined",      "float32",  "uint8",        "int8",           "uint16",
    "int16",          "int32",    "int64",        "string",         "bool",
    "float16",        "float64",  "uint32",       "uint64",         "complex64",
    "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
    "uint2",          "int2"};

constexpr std::uint64_t type_number(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return 1;
    case DType::float16:
      return 10;
    case DType::float64:
      return 11;
    case DType::bfloat16:
      return 16;
  }
  return 0;
}

constexpr std::optional<DType> float_type(std::uint64_t number) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
    if (type_number(dtype) == number) return dtype;
  return {};
}

}  // namespace humpty::io::onnx
