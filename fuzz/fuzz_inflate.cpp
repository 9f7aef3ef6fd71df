// Our inflating beside zlib's: whatever the bytes, both accept them or neither does, and what they
// give, and how much of the input they took for it, is the same.
#include <zlib.h>

#include <cstdlib>
#include <string>

#include "io/inflate.hpp"

namespace {

constexpr std::size_t kRoom = 1 << 16;

struct ByZlib {
  bool whole = false;
  std::size_t read = 0;
  std::string out = std::string(kRoom, '\0');

  explicit ByZlib(humpty::io::Bytes packed) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) std::abort();
    stream.next_in = const_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    whole = ::inflate(&stream, Z_FINISH) == Z_STREAM_END;
    read = stream.total_in;
    out.resize(stream.total_out);
    inflateEnd(&stream);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace humpty::io;
  const Bytes packed(data, size);
  const ByZlib expected(packed);
  std::string out(kRoom, '\0');
  const Inflated found = inflate(packed, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  if ((found.end == InflateEnd::whole) != expected.whole) std::abort();
  if (crc32(packed) != ::crc32(0, data, static_cast<uInt>(size))) std::abort();
  if (!expected.whole) return 0;
  out.resize(found.written);
  if (out != expected.out || found.read != expected.read) std::abort();
  return 0;
}
