#include "report/model_graph.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace humpty::report {
namespace {

using io::OnnxNode;

// Adds nodes; each step gives the name of what it computes.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::vector<io::Tensor> tensors) {
    graph_.initializers = std::move(tensors);
  }

  // x · Wᵀ + b, W being the next of the tensors and b the one after it, if the piece has one.
  std::string layer(const Piece& piece, const std::string& x, const std::string& result) {
    std::vector<std::string> inputs{x, graph_.initializers[next_++].name};
    if (!piece.bias.empty()) inputs.push_back(graph_.initializers[next_++].name);
    return node("Gemm", inputs, result, {{"transB", std::int64_t{1}}});
  }

  std::string activate(Activation activation, const std::string& z, const std::string& result) {
    switch (activation) {
      case Activation::relu:
        return node("Relu", {z}, result);
      case Activation::leaky:
        return node("LeakyRelu", {z}, result, {{"alpha", 0.01f}});
      case Activation::tanh:
        return node("Tanh", {z}, result);
      case Activation::silu:
        return node("Mul", {z, node("Sigmoid", {z}, result + ".gate")}, result);
      case Activation::gelu:
        return gelu(z,
                    node("Erf", {scaled(z, 0.70710678118654752f, result + ".over_root_2")},
                         result + ".erf"),
                    result);
      case Activation::gelu_tanh:
        return gelu(z, node("Tanh", {inside_tanh(z, result)}, result + ".tanh"), result);
      case Activation::identity:
        break;
    }
    return z;
  }

  std::string add(const std::string& a, const std::string& b, const std::string& result) {
    return node("Add", {a, b}, result);
  }

  io::OnnxGraph finish() && { return std::move(graph_); }

 private:
  std::string node(std::string op, std::vector<std::string> inputs, const std::string& result,
                   std::vector<io::OnnxAttribute> attributes = {}) {
    graph_.nodes.push_back({std::move(op), std::move(inputs), {result}, std::move(attributes)});
    return result;
  }

  std::string constant(float value) {
    std::string name = fmt::format("constant {}", value);
    const auto has_name = [&](const io::Tensor& tensor) { return tensor.name == name; };
    if (std::none_of(graph_.initializers.begin(), graph_.initializers.end(), has_name))
      graph_.initializers.push_back({name, {}, io::DType::float32, {value}});
    return name;
  }

  std::string scaled(const std::string& x, float factor, const std::string& result) {
    return node("Mul", {x, constant(factor)}, result);
  }

  // ½ z (1 + curve)
  std::string gelu(const std::string& z, const std::string& curve, const std::string& result) {
    const std::string half = scaled(z, 0.5f, result + ".half");
    return node("Mul", {half, add(curve, constant(1), result + ".weight")}, result);
  }

  // √(2/π) (z + 0.044715 z³)
  std::string inside_tanh(const std::string& z, const std::string& result) {
    const std::string square = node("Mul", {z, z}, result + ".square");
    const std::string cube = node("Mul", {square, z}, result + ".cube");
    const std::string sum = add(z, scaled(cube, 0.044715f, result + ".small"), result + ".sum");
    return scaled(sum, 0.79788456080286536f, result + ".inside");
  }

  io::OnnxGraph graph_;
  std::size_t next_ = 0;
};

// Tensors have the user's names, values ours: they must not meet.
void check_apart(const io::OnnxGraph& graph) {
  std::set<std::string> values{graph.inputs[0].name};
  for (const OnnxNode& node : graph.nodes) values.insert(node.outputs[0]);
  for (const io::Tensor& tensor : graph.initializers)
    if (values.contains(tensor.name))
      throw Error(ErrorCode::usage,
                  fmt::format("a tensor cannot be called '{}', which the graph needs for a value",
                              tensor.name),
                  {.file = "--names"});
}

}  // namespace

io::OnnxGraph to_graph(const std::vector<Piece>& applied, std::vector<io::Tensor> tensors,
                       Activation activation) {
  const Piece& head = applied.back();
  GraphBuilder builder(std::move(tensors));
  std::string stream = "features";
  if (role_at(0, applied.size()) == Role::stem)
    stream = builder.layer(applied[0], stream, "stream");
  for (std::size_t i = first_block(applied.size()); i + 1 < applied.size(); i += 2) {
    const auto its = [&](const char* part) { return fmt::format("block {} {}", i / 2, part); };
    const std::string hidden = builder.layer(applied[i], stream, its("hidden"));
    const std::string active = builder.activate(activation, hidden, its("active"));
    const std::string change = builder.layer(applied[i + 1], active, its("change"));
    stream = builder.add(stream, change, its("stream"));
  }
  builder.layer(head, stream, "pred");
  io::OnnxGraph graph = std::move(builder).finish();
  graph.name = "humpty";
  graph.inputs = {{"features", {"rows", std::uint64_t{applied.front().weight.cols}}}};
  graph.outputs = {{"pred", {"rows", std::uint64_t{head.weight.rows}}}};
  check_apart(graph);
  return graph;
}

}  // namespace humpty::report
