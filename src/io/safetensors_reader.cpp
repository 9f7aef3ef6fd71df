#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_header.hpp"

namespace humpty::io {
namespace {

// "I64" is int64, "BOOL" is bool.
std::string word_for(const std::string& type) {
  if (type == "BOOL") return "bool";
  return (type[0] == 'I' ? "int" : type[0] == 'U' ? "uint" : "?") + type.substr(1);
}

}  // namespace

bool is_safetensors(Bytes bytes) {
  constexpr std::uint64_t most = 1 << 30;
  return bytes.size() > 8 && bytes[8] == '{' && load_le<std::uint64_t>(bytes.data()) < most;
}

Tensors read_safetensors(const std::string& path) {
  const File file(path);
  return read_safetensors(file.bytes(), path);
}

Tensors read_safetensors(Bytes bytes, const std::string& file, Take take) {
  return load(read_safetensors_header(bytes, file), file, take);
}

Tensors load(SafetensorsHeader header, const std::string& file, Take take) {
  Tensors result{file, {}};
  result.metadata = std::move(header.metadata);
  for (auto& [name, type, dtype, shape, begin, end] : header.entries) {
    const auto whole = take == Take::numbers ? whole_type(word_for(type)) : std::nullopt;
    if (!dtype && !whole) {
      result.skipped.push_back(not_read(name, type));
      continue;
    }
    const Bytes items = header.data.subspan(begin, end - begin);
    std::optional<std::vector<float>> values;
    if (dtype)
      values = decode(*dtype, items);
    else
      values = decode(*whole, items);
    if (values)
      result.tensors.push_back({std::move(name),
                                std::move(shape),
                                dtype.value_or(DType::float32),
                                std::move(*values),
                                {},
                                !dtype});
    else
      result.skipped.push_back(not_exact(name, type));
  }
  return result;
}

}  // namespace humpty::io
