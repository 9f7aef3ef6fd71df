// The readers of .npy and .npz: whatever the bytes, they give arrays or a humpty::Error, and what
// they give survives being written and read again. An input that is neither is taken for a header
// with a few items behind it.
#include "check.hpp"
#include "io/npy.hpp"

namespace {

using namespace humpty::io;

std::string around(std::string_view header) {
  std::string bytes("\x93NUMPY\2\0", 8);
  append_le(bytes, static_cast<std::uint32_t>(header.size()));
  bytes += header;
  return bytes.append(24, '?');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const bool archive = bytes.starts_with("PK");
  if (!archive && !is_npy(bytes_of(bytes))) bytes = around(bytes);
  Tensors read;
  try {
    read = archive ? read_npz(bytes_of(bytes), "fuzz") : read_npy(bytes_of(bytes), "fuzz");
  } catch (const humpty::Error&) {
    return 0;
  }
  humpty::fuzz::check_sizes(read);
  for (const Tensor& tensor : read.tensors) {
    const std::string written = to_npy(tensor);
    Tensors again = read_npy(bytes_of(written), "again");
    again.tensors.at(0).name = tensor.name;
    humpty::fuzz::check_same(tensor, again.tensors[0]);
  }
  return 0;
}
