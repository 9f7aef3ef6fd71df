#include "io/onnx_uses.hpp"

#include "io/onnx_types.hpp"

namespace humpty::io {
namespace {

bool flag(const std::vector<ProtoReader>& attributes, std::string_view name) {
  for (ProtoReader attribute : attributes) {
    std::string_view key;
    bool set = false;
    while (attribute.next()) {
      if (attribute.number() == onnx::attribute_name) key = attribute.text();
      if (attribute.number() == onnx::i) set = attribute.integer() != 0;
    }
    if (key == name) return set;
  }
  return false;
}

}  // namespace

void OnnxUses::add(std::string_view op, const std::vector<std::string_view>& inputs,
                   std::string_view output, const std::vector<ProtoReader>& attributes) {
  const std::size_t place = nodes_++;
  if (op == "MatMul" && inputs.size() == 2) {
    factors_.try_emplace(inputs[1], Use{true, place});
    factors_.try_emplace(inputs[0], Use{false, place});
  } else if (op == "Gemm" && inputs.size() >= 2) {
    factors_.try_emplace(inputs[1], Use{!flag(attributes, "transB"), place});
  } else if (op == "Transpose" && inputs.size() == 1) {
    turned_.try_emplace(inputs[0], output);
  }
}

std::optional<Use> OnnxUses::find(std::string_view tensor) const {
  const auto turned = turned_.find(tensor);
  const auto found = factors_.find(turned == turned_.end() ? tensor : turned->second);
  if (found == factors_.end()) return {};
  Use use = found->second;
  if (turned != turned_.end()) use.in_by_out = !use.in_by_out;
  return use;
}

}  // namespace humpty::io
