#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_header.hpp"

namespace humpty::io {
namespace {

std::string json_text(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw Error(ErrorCode::usage, fmt::format("the name '{}' is not UTF-8, which safetensors needs",
                                              shortened(text)));
  }
}

std::vector<const Tensor*> wider_first(std::span<const Tensor> tensors) {
  std::vector<const Tensor*> sorted;
  for (const Tensor& tensor : tensors) sorted.push_back(&tensor);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Tensor* a, const Tensor* b) {
    return item_size(a->dtype) > item_size(b->dtype);
  });
  return sorted;
}

std::string metadata_text(const Metadata& metadata) {
  std::vector<std::string> members;
  for (const auto& [key, value] : metadata)
    members.push_back(fmt::format("{}:{}", json_text(key), json_text(value)));
  return fmt::format("\"{}\":{{{}}}", kMetadataKey, fmt::join(members, ","));
}

}  // namespace

std::string to_safetensors(std::span<const Tensor> tensors, const Metadata& metadata) {
  check_names(tensors, "");
  const std::vector<const Tensor*> sorted = wider_first(tensors);
  std::vector<std::string> members;
  if (!metadata.empty()) members.push_back(metadata_text(metadata));
  std::uint64_t end = 0;
  for (const Tensor* tensor : sorted) {
    if (tensor->name == kMetadataKey)
      throw Error(ErrorCode::usage, fmt::format("no tensor can be called {}", kMetadataKey));
    const std::uint64_t begin = end;
    end += tensor->values.size() * item_size(tensor->dtype);
    members.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                                  json_text(tensor->name), safetensors_type(tensor->dtype),
                                  fmt::join(tensor->shape, ","), begin, end));
  }
  std::string header = fmt::format("{{{}}}", fmt::join(members, ","));
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string out;
  out.reserve(8 + header.size() + end);
  append_le<std::uint64_t>(out, header.size());
  out += header;
  for (const Tensor* tensor : sorted) out += encode(tensor->dtype, tensor->values);
  return out;
}

void write_safetensors(const std::string& path, std::span<const Tensor> tensors,
                       const Metadata& metadata) {
  write_file(path, to_safetensors(tensors, metadata));
}

}  // namespace humpty::io
