// The reader of .pth files: whatever the bytes, it gives tensors or a humpty::Error, and what it
// gives survives being written and read again. As mutations seldom keep a zip intact, an input that
// looks neither like one nor like the format before 1.6 is taken for the data.pkl of a sound
// archive instead, and of a TorchScript archive if it starts with '#'.
#include "check.hpp"
#include "io/torch.hpp"
#include "io/torch_legacy.hpp"
#include "io/zip.hpp"

namespace {

using namespace humpty::io;

std::string around(std::string_view pickle) {
  const bool script = pickle.starts_with('#');
  ZipWriter zip;
  zip.add("archive/data.pkl", pickle.substr(script ? 1 : 0));
  if (script) zip.add("archive/constants.pkl", "\x80\x02).");
  for (const char* key : {"0", "1"})
    zip.add(std::string("archive/data/") + key, std::string(24, '?'));
  return std::move(zip).finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with("PK") && !is_legacy_torch(bytes_of(bytes))) bytes = around(bytes);
  Tensors read;
  try {
    read = read_torch(bytes_of(bytes), "fuzz");
  } catch (const humpty::Error&) {
    return 0;
  }
  humpty::fuzz::check_sizes(read);
  if (read.tensors.empty()) return 0;
  const std::string written = to_torch(read.tensors);
  humpty::fuzz::check_same(read, read_torch(bytes_of(written), "again"));
  return 0;
}
