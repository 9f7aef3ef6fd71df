// convert IN OUT: reads tensors from any container and writes them in the one that OUT's extension
// names. convert --graph=OPSET OUT.onnx: writes a layer, every activation and a residual block, as
// nodes. cross_check.py drives both; the program itself has no such command.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "io/npy.hpp"
#include "io/onnx.hpp"
#include "io/read.hpp"
#include "io/safetensors.hpp"
#include "io/torch.hpp"

namespace {

using namespace humpty::io;

// Every tensor is an initialiser and goes through a node to an output of its own.
OnnxGraph graph_of(const Tensors& found) {
  OnnxGraph graph;
  graph.name = "tensors";
  graph.initializers = found.tensors;
  graph.metadata = found.metadata;
  for (const Tensor& tensor : found.tensors) {
    graph.nodes.push_back({"Identity", {tensor.name}, {tensor.name + "/out"}});
    graph.outputs.push_back(
        {tensor.name + "/out", {tensor.shape.begin(), tensor.shape.end()}, tensor.dtype});
  }
  return graph;
}

void write(const std::string& path, const Tensors& found) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".safetensors")
    write_safetensors(path, found.tensors, found.metadata);
  else if (extension == ".pth")
    write_torch(path, found.tensors);
  else if (extension == ".npz")
    write_npz(path, found.tensors);
  else if (extension == ".npy" && found.tensors.size() == 1)
    write_npy(path, found.tensors[0]);
  else if (extension == ".onnx")
    write_onnx(path, graph_of(found));
  else
    throw humpty::Error(humpty::ErrorCode::usage, "cannot be written", {.file = path});
}

// x (rows × 3) through one layer to h (rows × 2), from there to each activation.
OnnxGraph sample_graph(int opset) {
  OnnxGraph graph;
  graph.name = "sample";
  graph.opset = opset;
  graph.inputs = {{"x", {"rows", std::uint64_t{3}}}};
  graph.initializers = {{"w", {2, 3}, DType::float32, {0.5f, -1, 2, 1.5f, 0.25f, -0.75f}},
                        {"b", {2}, DType::float32, {0.125f, -0.5f}},
                        {"root2", {}, DType::float32, {1.41421356f}},
                        {"one", {}, DType::float32, {1}},
                        {"half", {}, DType::float32, {0.5f}}};
  graph.nodes = {
      {"Gemm", {"x", "w", "b"}, {"h"}, {{"transB", std::int64_t{1}}}},
      {"Relu", {"h"}, {"relu"}},
      {"LeakyRelu", {"h"}, {"leaky"}, {{"alpha", 0.125f}}},
      {"Div", {"h", "root2"}, {"scaled"}},
      {"Erf", {"scaled"}, {"erf"}},
      {"Add", {"erf", "one"}, {"shifted"}},
      {"Mul", {"h", "shifted"}, {"doubled"}},
      {"Mul", {"doubled", "half"}, {"gelu"}},
      {"Sigmoid", {"h"}, {"gate"}},
      {"Mul", {"h", "gate"}, {"silu"}},
      {"Tanh", {"h"}, {"tanh"}},
      {"MatMul", {"relu", "w"}, {"back"}},
      {"Add", {"x", "back"}, {"sum"}},
      {"Transpose", {"sum"}, {"turned"}, {{"perm", std::vector<std::int64_t>{1, 0}}}},
      {"Transpose", {"turned"}, {"residual"}, {{"perm", std::vector<std::int64_t>{1, 0}}}},
  };
  for (const char* name : {"relu", "leaky", "gelu", "silu", "tanh"})
    graph.outputs.push_back({name, {"rows", std::uint64_t{2}}});
  graph.outputs.push_back({"residual", {"rows", std::uint64_t{3}}});
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: convert IN OUT.safetensors|OUT.pth|OUT.npz|OUT.npy|OUT.onnx\n");
    return 2;
  }
  try {
    const std::string_view in = argv[1], graph = "--graph=";
    if (in.starts_with(graph))
      return write_onnx(argv[2], sample_graph(std::stoi(argv[1] + graph.size()))), 0;
    const Tensors found = read_tensors(argv[1]);
    for (const std::string& word : found.skipped) fmt::print("{}\n", word);
    write(argv[2], found);
    return 0;
  } catch (const humpty::Error& error) {
    fmt::print(stderr, "convert: {}\n", error.what());
    return 1;
  }
}
