// The reader of GGUF: whatever the bytes, it gives tensors or a humpty::Error. An input that does
// not start as one is taken for what follows the magic and version.
#include "check.hpp"
#include "io/gguf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace humpty::io;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!is_gguf(bytes_of(bytes))) bytes.insert(0, std::string_view("GGUF\3\0\0\0", 8));
  try {
    humpty::fuzz::check_sizes(read_gguf(bytes_of(bytes), "fuzz"));
  } catch (const humpty::Error&) {
  }
  return 0;
}
