#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_header.hpp"

namespace humpty::io {

bool is_safetensors(Bytes bytes) {
  constexpr std::uint64_t most = 1 << 30;
  return bytes.size() > 8 && bytes[8] == '{' && load_le<std::uint64_t>(bytes.data()) < most;
}

Tensors read_safetensors(const std::string& path) {
  const File file(path);
  return read_safetensors(file.bytes(), path);
}

Tensors read_safetensors(Bytes bytes, const std::string& file) {
  return load(read_safetensors_header(bytes, file), file);
}

Tensors load(SafetensorsHeader header, const std::string& file) {
  Tensors result{file, {}};
  result.metadata = std::move(header.metadata);
  for (auto& [name, type, dtype, shape, begin, end] : header.entries) {
    if (!dtype) {
      result.skipped.push_back(not_read(name, type));
      continue;
    }
    std::vector<float> values = decode(*dtype, header.data.subspan(begin, end - begin));
    result.tensors.push_back({std::move(name), std::move(shape), *dtype, std::move(values)});
  }
  return result;
}

}  // namespace humpty::io
