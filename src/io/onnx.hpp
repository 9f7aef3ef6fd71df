// ONNX models: the weights in any, and graphs of our own.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

// The initialisers of the graph and the tensors in its Constant nodes, which go by the name of the
// node's output. What the nodes do is ignored on purpose, but for how each weight is used, in × out
// or turned, and when, for whoever asks. Graphs within nodes (branches, loops) are not entered.
// Weights kept in other files are found in the model's folder or below, and nowhere else: not by an
// absolute path, by "..", or through a link that leads outside.
Tensors read_onnx(const std::string& path);

// From memory. Without a folder, weights kept in other files are an Error.
Tensors read_onnx(Bytes bytes, const std::string& file, const std::string& folder = "");

bool is_onnx(Bytes bytes);  // going by its first fields

// ----------------------------------------------------------------------------------------- writing

struct OnnxAttribute {
  std::string name;
  std::variant<float, std::int64_t, std::string, std::vector<std::int64_t>> value;
};

struct OnnxNode {
  std::string op_type;  // "Gemm", "Relu", …
  std::vector<std::string> inputs, outputs;
  std::vector<OnnxAttribute> attributes = {};
};

struct OnnxValue {
  std::string name;
  std::vector<std::variant<std::uint64_t, std::string>> shape;  // sizes, or names such as "rows"
  DType dtype = DType::float32;
};

struct OnnxGraph {
  std::string name;
  std::vector<OnnxValue> inputs, outputs;
  std::vector<OnnxNode> nodes;  // sorted: what a node reads, one before it writes
  std::vector<Tensor> initializers;
  Metadata metadata = {};
  int opset = 17;  // 13 to 17
};

// The format ends at 2 GiB; beyond it is an Error.
void write_onnx(const std::string& path, const OnnxGraph& graph);
std::string to_onnx(const OnnxGraph& graph);

}  // namespace humpty::io
