// The reader of .pth files: whatever the bytes, it gives tensors or a humpty::Error, and what it
// gives survives being written and read again. As mutations seldom keep a zip intact, an input that
// does not look like one is taken for the data.pkl of a sound archive instead.
#include <cmath>
#include <cstdlib>

#include "humpty/humpty.hpp"
#include "io/torch.hpp"
#include "io/zip.hpp"

namespace {

using namespace humpty::io;

std::string around(std::string_view pickle) {
  ZipWriter zip;
  zip.add("archive/data.pkl", pickle);
  for (const char* key : {"0", "1"})
    zip.add(std::string("archive/data/") + key, std::string(24, '?'));
  return std::move(zip).finish();
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void check(const Tensor& a, const Tensor& b) {
  if (a.name != b.name || a.shape != b.shape || a.dtype != b.dtype) std::abort();
  if (a.values.size() != b.values.size()) std::abort();
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (!same(a.values[i], b.values[i])) std::abort();
}

void check(const Tensors& read) {
  if (read.tensors.empty()) return;
  const std::string written = to_torch(read.tensors);
  const Tensors again = read_torch(bytes_of(written), "again");
  if (again.tensors.size() != read.tensors.size()) std::abort();
  for (std::size_t i = 0; i < read.tensors.size(); ++i) check(read.tensors[i], again.tensors[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with("PK")) bytes = around(bytes);
  Tensors read;
  try {
    read = read_torch(bytes_of(bytes), "fuzz");
  } catch (const humpty::Error&) {
    return 0;
  }
  check(read);
  return 0;
}
