// The reader of tar archives: whatever the bytes, members lie in the archive under different names,
// or there is a humpty::Error. A second time the checksums of all headers are made right, so that
// what is behind them is reached.
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/tar.hpp"

namespace {

using namespace humpty::io;

void check(const std::string& archive) {
  try {
    std::set<std::string> names;
    for (const TarMember& member : read_tar(bytes_of(archive), "fuzz")) {
      const char* first = text_of(member.content).data();
      if (first < archive.data() || member.content.size() > archive.size()) std::abort();
      if (first + member.content.size() > archive.data() + archive.size()) std::abort();
      if (!names.insert(member.name).second) std::abort();
    }
  } catch (const humpty::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string archive(reinterpret_cast<const char*>(data), size);
  check(archive);
  for (std::size_t at = 0; at + 512 <= size; at += 512) {
    unsigned sum = 8 * ' ';
    for (std::size_t i = 0; i < 512; ++i)
      if (i < 148 || i >= 156) sum += static_cast<unsigned char>(archive[at + i]);
    if (sum > 8 * ' ') archive.replace(at + 148, 8, fmt::format("{:07o} ", sum));
  }
  check(archive + std::string(1024, '\0'));
  return 0;
}
