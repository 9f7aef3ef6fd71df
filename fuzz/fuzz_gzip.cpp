// The reader of gzip files beside zlib: both refuse, or both give the same bytes.
#include <zlib.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "humpty/humpty.hpp"
#include "io/gzip.hpp"

namespace {

using namespace humpty::io;

// Members behind one another, as the reader has it; nothing where zlib refuses.
std::optional<std::string> by_zlib(const std::uint8_t* data, std::size_t size) {
  std::string out;
  z_stream stream{};
  stream.next_in = const_cast<std::uint8_t*>(data);
  stream.avail_in = static_cast<unsigned>(size);
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) std::abort();
  int end = Z_OK;
  std::string room(1 << 16, '\0');
  while (end == Z_OK) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(room.data());
    stream.avail_out = static_cast<unsigned>(room.size());
    end = inflate(&stream, Z_NO_FLUSH);
    out.append(room, 0, room.size() - stream.avail_out);
    if (end == Z_STREAM_END && stream.avail_in > 0) end = inflateReset(&stream);
    if (end == Z_OK && stream.avail_in == 0 && stream.avail_out > 0) break;
  }
  inflateEnd(&stream);
  if (end != Z_STREAM_END) return {};
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<std::string> ours;
  bool bomb = false, odd_header = size > 3 && (data[3] & 2);  // zlib checks the header's checksum
  try {
    ours = std::string(text_of(gunzip({data, size}, "fuzz")));
  } catch (const humpty::Error& error) {
    bomb = error.code() == humpty::ErrorCode::too_large;
  }
  gunzip_start({data, size}, 512);
  if (!bomb && !odd_header && ours != by_zlib(data, size)) std::abort();
  return 0;
}
