#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/onnx.hpp"
#include "io/onnx_types.hpp"
#include "io/protobuf.hpp"

namespace humpty::io {
namespace {

constexpr std::uint64_t kMostBytes = 0x7fffffff;  // what protobuf itself can read

ProtoWriter written(const OnnxAttribute& attribute) {
  ProtoWriter out;
  out.text(onnx::attribute_name, attribute.name);
  if (const auto* number = std::get_if<float>(&attribute.value)) {
    out.float32(onnx::f, *number);
    out.integer(onnx::attribute_type, onnx::type_float);
  } else if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    out.integer(onnx::i, static_cast<std::uint64_t>(*integer));
    out.integer(onnx::attribute_type, onnx::type_int);
  } else if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    out.text(onnx::s, *text);
    out.integer(onnx::attribute_type, onnx::type_string);
  } else {
    for (const std::int64_t each : std::get<std::vector<std::int64_t>>(attribute.value))
      out.integer(onnx::ints, static_cast<std::uint64_t>(each));
    out.integer(onnx::attribute_type, onnx::type_ints);
  }
  return out;
}

ProtoWriter written(const OnnxNode& node) {
  ProtoWriter out;
  for (const std::string& input : node.inputs) out.text(onnx::input, input);
  for (const std::string& output : node.outputs) out.text(onnx::output, output);
  out.text(onnx::op_type, node.op_type);
  for (const OnnxAttribute& attribute : node.attributes)
    out.message(onnx::attribute, written(attribute));
  return out;
}

ProtoWriter written(const Tensor& tensor) {
  ProtoWriter out;
  for (const std::uint64_t size : tensor.shape) out.integer(onnx::dims, size);
  out.integer(onnx::data_type, onnx::type_number(tensor.dtype));
  out.text(onnx::tensor_name, tensor.name);
  out.text(onnx::raw_data, encode(tensor.dtype, tensor.values));
  return out;
}

ProtoWriter written(const OnnxValue& value) {
  ProtoWriter shape, tensor, type, out;
  for (const auto& size : value.shape) {
    ProtoWriter dim;
    if (const auto* name = std::get_if<std::string>(&size))
      dim.text(onnx::dim_param, *name);
    else
      dim.integer(onnx::dim_value, std::get<std::uint64_t>(size));
    shape.message(onnx::dim, dim);
  }
  tensor.integer(onnx::elem_type, onnx::type_number(value.dtype));
  tensor.message(onnx::type_shape, shape);
  type.message(onnx::tensor_type, tensor);
  out.text(onnx::value_name, value.name);
  out.message(onnx::value_type, type);
  return out;
}

ProtoWriter written(const OnnxGraph& graph) {
  ProtoWriter out;
  for (const OnnxNode& node : graph.nodes) out.message(onnx::node, written(node));
  out.text(onnx::graph_name, graph.name);
  for (const Tensor& tensor : graph.initializers) out.message(onnx::initializer, written(tensor));
  for (const OnnxValue& value : graph.inputs) out.message(onnx::graph_input, written(value));
  for (const OnnxValue& value : graph.outputs) out.message(onnx::graph_output, written(value));
  return out;
}

}  // namespace

std::string to_onnx(const OnnxGraph& graph) {
  if (graph.opset < 13 || graph.opset > 17)
    throw Error(ErrorCode::usage, fmt::format("opset {} is not one of 13 to 17", graph.opset));
  check_names(graph.initializers, "");
  ProtoWriter opset, model;
  opset.integer(onnx::opset_version, static_cast<std::uint64_t>(graph.opset));
  model.integer(onnx::ir_version, graph.opset < 15 ? 7 : 8);  // the one that came with the opset
  model.text(onnx::producer_name, "humpty");
  model.message(onnx::graph, written(graph));
  model.message(onnx::opset_import, opset);
  for (const auto& [key, value] : graph.metadata) {
    ProtoWriter entry;
    entry.text(onnx::entry_key, key);
    entry.text(onnx::entry_value, value);
    model.message(onnx::metadata_props, entry);
  }
  if (model.bytes().size() > kMostBytes)
    throw Error(ErrorCode::too_large, "more than an ONNX file can hold (2 GiB)");
  return std::move(model).finish();
}

void write_onnx(const std::string& path, const OnnxGraph& graph) {
  write_file(path, to_onnx(graph));
}

}  // namespace humpty::io
