// The reader of safetensors: whatever the bytes, it gives tensors or a humpty::Error, and what it
// gives survives being written and read again. An input that starts with '{' is taken for a header,
// up to its first line feed, and data; one that starts with '#' for an index of shards.
#include <algorithm>

#include "check.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_header.hpp"

namespace {

using namespace humpty::io;

std::string with_length(std::string_view text) {
  const std::size_t header = std::min(text.find('\n'), text.size());
  std::string bytes;
  append_le<std::uint64_t>(bytes, header);
  bytes += text.substr(0, header);
  if (header < text.size()) bytes += text.substr(header + 1);
  return bytes;
}

void sort(Tensors& tensors) {
  std::sort(tensors.tensors.begin(), tensors.tensors.end(),
            [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
}

void read_index(Bytes bytes) {
  for (const auto& [tensor, shard] : read_weight_map(bytes, "fuzz"))
    if (shard.find('/') != shard.npos || shard == "..") std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Tensors read;
  try {
    if (bytes.starts_with('#')) return read_index(bytes_of(bytes).subspan(1)), 0;
    if (bytes.starts_with('{')) bytes = with_length(bytes);
    read = read_safetensors(bytes_of(bytes), "fuzz");
  } catch (const humpty::Error&) {
    return 0;
  }
  humpty::fuzz::check_sizes(read);
  const std::string written = to_safetensors(read.tensors, read.metadata);
  Tensors again = read_safetensors(bytes_of(written), "again");
  if (again.metadata != read.metadata) std::abort();
  sort(read);
  sort(again);
  humpty::fuzz::check_same(read, again);
  return 0;
}
