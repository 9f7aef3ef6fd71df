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
  if (op == "MatMul" && inputs.size() == 2) {
    factors_.try_emplace(inputs[1], true);
    factors_.try_emplace(inputs[0], false);
  } else if (op == "Gemm" && inputs.size() >= 2) {
    factors_.try_emplace(inputs[1], !flag(attributes, "transB"));
  } else if (op == "Transpose" && inputs.size() == 1) {
    turned_.try_emplace(inputs[0], output);
  }
}

std::optional<bool> OnnxUses::in_by_out(std::string_view tensor) const {
  const auto turned = turned_.find(tensor);
  const auto found = factors_.find(turned == turned_.end() ? tensor : turned->second);
  if (found == factors_.end()) return {};
  return turned == turned_.end() ? found->second : !found->second;
}

}  // namespace humpty::io
