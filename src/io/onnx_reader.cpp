#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/onnx.hpp"
#include "io/onnx_external.hpp"
#include "io/onnx_types.hpp"
#include "io/onnx_uses.hpp"
#include "io/protobuf.hpp"

// A model is one protobuf message: ModelProto, its GraphProto, and in that TensorProtos and
// NodeProtos. A tensor has its items as raw bytes, as numbers in a field for its type (16-bit
// floats as integers that hold their bits), or in another file.
namespace humpty::io {
namespace {

struct Described {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::uint64_t type = 0;
  std::optional<Bytes> raw;
  std::string floats, doubles, halves;  // little-endian
  bool wide = false;                    // an integer was more than 16 bits
  bool external = false;
  std::map<std::string, std::string> entries;
};

class OnnxReader {
 public:
  OnnxReader(Bytes bytes, const std::string& file, const std::string& folder)
      : model_(bytes, bytes, file), external_(file, folder) {
    result_.file = file;
  }

  Tensors read() {
    bool found = false;
    while (model_.next()) {
      if (model_.number() != onnx::graph) continue;
      if (found) model_.fail("has two graphs");
      found = true;
      read_graph(model_.message());
    }
    if (!found) model_.fail("has no graph: not an ONNX model");
    check_names(result_.tensors, result_.file);
    for (Tensor& tensor : result_.tensors) tensor.use = uses_.find(tensor.name);
    return std::move(result_);
  }

 private:
  void read_graph(ProtoReader graph) {
    while (graph.next()) {
      if (graph.number() == onnx::initializer)
        add(describe(graph.message()));
      else if (graph.number() == onnx::node)
        read_node(graph.message());
      else if (graph.number() == onnx::sparse_initializer)
        skip_sparse(graph.message());
    }
  }

  void read_node(ProtoReader node) {
    std::string_view op, domain, output;
    std::vector<std::string_view> inputs;
    std::vector<ProtoReader> attributes;
    while (node.next()) {
      if (node.number() == onnx::input) inputs.push_back(node.text());
      if (node.number() == onnx::op_type) op = node.text();
      if (node.number() == onnx::domain) domain = node.text();
      if (node.number() == onnx::output && output.empty()) output = node.text();
      if (node.number() == onnx::attribute) attributes.push_back(node.message());
    }
    if (!(domain.empty() || domain == "ai.onnx")) return;
    uses_.add(op, inputs, output, attributes);
    if (op != "Constant") return;
    for (const ProtoReader& attribute : attributes) read_constant(attribute, output);
  }

  // value is a tensor, value_float a number, value_floats a row of them.
  void read_constant(ProtoReader attribute, std::string_view name) {
    std::string_view key;
    std::optional<Described> tensor;
    std::string number, numbers;
    while (attribute.next()) {
      if (attribute.number() == onnx::attribute_name) key = attribute.text();
      if (attribute.number() == onnx::t) tensor = describe(attribute.message());
      if (attribute.number() == onnx::f) attribute.add_fixed(number, 4);
      if (attribute.number() == onnx::floats) attribute.add_fixed(numbers, 4);
      if (attribute.number() == onnx::sparse_tensor) skip_sparse(attribute.message());
    }
    if (key == "value" && tensor) {
      tensor->name = name;
      add(std::move(*tensor));
    } else if (key == "value_float" || key == "value_floats") {
      const bool row = key == "value_floats";
      Described plain;
      plain.name = name;
      plain.type = onnx::type_number(DType::float32);
      plain.floats = row ? numbers : number;
      if (row) plain.shape = {numbers.size() / 4};
      add(std::move(plain));
    }
  }

  void skip_sparse(ProtoReader sparse) {
    std::string_view name;
    while (sparse.next()) {
      if (sparse.number() != onnx::sparse_values) continue;
      ProtoReader values = sparse.message();
      while (values.next())
        if (values.number() == onnx::tensor_name) name = values.text();
    }
    result_.skipped.push_back(not_read(name, "a sparse tensor"));
  }

  Described describe(ProtoReader tensor) const {
    Described found;
    while (tensor.next()) {
      switch (tensor.number()) {
        case onnx::dims:
          tensor.for_each_integer([&](std::uint64_t size) {
            if (found.shape.size() == kMostDimensions) tensor.fail("has more than 64 dimensions");
            found.shape.push_back(size);
          });
          break;
        case onnx::data_type:
          found.type = tensor.integer();
          break;
        case onnx::tensor_name:
          found.name = tensor.text();
          break;
        case onnx::raw_data:
          found.raw = tensor.bytes();
          break;
        case onnx::float_data:
          tensor.add_fixed(found.floats, 4);
          break;
        case onnx::double_data:
          tensor.add_fixed(found.doubles, 8);
          break;
        case onnx::int32_data:
          tensor.for_each_integer([&](std::uint64_t bits) {
            found.wide |= bits > 0xffff;
            append_le(found.halves, static_cast<std::uint16_t>(bits));
          });
          break;
        case onnx::external_data:
          add_entry(tensor.message(), found);
          break;
        case onnx::data_location:
          found.external = tensor.integer() == 1;
          break;
        default:
          break;
      }
    }
    return found;
  }

  static void add_entry(ProtoReader entry, Described& tensor) {
    std::string key, value;
    while (entry.next()) {
      if (entry.number() == onnx::entry_key) key = entry.text();
      if (entry.number() == onnx::entry_value) value = entry.text();
    }
    tensor.entries[key] = value;
  }

  void add(Described tensor) {
    const std::optional<DType> dtype = onnx::float_type(tensor.type);
    if (!dtype) {
      const bool known = tensor.type < onnx::kTypeNames.size();
      result_.skipped.push_back(
          not_read(tensor.name, known ? std::string(onnx::kTypeNames[tensor.type])
                                      : fmt::format("type {}", tensor.type)));
      return;
    }
    const Where where{.file = result_.file, .tensor = shortened(tensor.name)};
    const std::uint64_t size = count_items(tensor.shape, where) * item_size(*dtype);
    const Bytes items = find_items(tensor, *dtype, size);
    if (items.size() != size)
      throw Error(ErrorCode::bad_format,
                  fmt::format("needs {} bytes for its items, but has {}", size, items.size()),
                  where);
    result_.tensors.push_back(
        {std::move(tensor.name), std::move(tensor.shape), *dtype, decode(*dtype, items)});
  }

  Bytes find_items(const Described& tensor, DType dtype, std::uint64_t size) {
    if (tensor.external) return external_.find(tensor.entries, size, tensor.name);
    if (tensor.raw) return *tensor.raw;
    if (dtype == DType::float32) return bytes_of(tensor.floats);
    if (dtype == DType::float64) return bytes_of(tensor.doubles);
    if (tensor.wide)
      throw Error(ErrorCode::bad_format, "has a 16-bit float of more than 16 bits",
                  {.file = result_.file, .tensor = shortened(tensor.name)});
    return bytes_of(tensor.halves);
  }

  ProtoReader model_;
  OnnxExternal external_;
  OnnxUses uses_;
  Tensors result_;
};

}  // namespace

Tensors read_onnx(const std::string& path) {
  const File file(path);
  return read_onnx(file.bytes(), path, folder_of(path));
}

Tensors read_onnx(Bytes bytes, const std::string& file, const std::string& folder) {
  return OnnxReader(bytes, file, folder).read();
}

// The version of the format, a small number, then one of the fields that may follow it: texts,
// numbers, the graph.
bool is_onnx(Bytes bytes) {
  constexpr std::string_view followers = "\x12\x1a\x22\x28\x32\x3a\x42\x72";
  return bytes.size() > 2 && bytes[0] == 0x08 && bytes[1] >= 1 && bytes[1] < 100 &&
         followers.find(static_cast<char>(bytes[2])) != followers.npos;
}

}  // namespace humpty::io
