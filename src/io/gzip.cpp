#include "io/gzip.hpp"

#include <algorithm>

#include "humpty/humpty.hpp"
#include "io/inflate.hpp"

// A member is a header (ten bytes and, as its flags say, further fields), a deflated stream, the
// checksum of what it inflates to and its length modulo 2³². That length stands behind the stream
// and may lie, so room is made by doubling: a stream that does not fit is inflated again.
namespace humpty::io {
namespace {

constexpr std::string_view kMagic = "\x1f\x8b\x08";  // the 8 is deflate, the only method there is
constexpr std::uint8_t kHeaderCrc = 2, kExtra = 4, kName = 8, kComment = 16, kReserved = 0xe0;
constexpr std::size_t kHeaderSize = 10, kFirstRoom = 1 << 16;

class Gunzip {
 public:
  Gunzip(Bytes packed, const std::string& file) : packed_(packed), file_(file) {}

  std::vector<std::uint8_t> read() {
    do read_member();
    while (at_ < packed_.size());
    out_.resize(filled_);
    return std::move(out_);
  }

  void skip_header() {
    if (!is_gzip(packed_.subspan(at_))) fail("is cut short, or goes on with what is no gzip");
    const std::uint8_t flags = take(kHeaderSize)[3];
    if (flags & kReserved) fail("has flags that gzip does not know");
    if (flags & kExtra) take(load_le<std::uint16_t>(take(2)));
    if (flags & kName) skip_text();
    if (flags & kComment) skip_text();
    if (flags & kHeaderCrc) take(2);
  }

  Bytes rest() const { return packed_.subspan(at_); }

 private:
  void read_member() {
    skip_header();
    const Inflated inflated = inflate_rest();
    if (inflated.end == InflateEnd::cut_short) fail("is cut short");
    if (inflated.end == InflateEnd::damaged) fail("is damaged: it does not inflate");
    if (inflated.end == InflateEnd::too_long)
      fail("inflates beyond all measure", ErrorCode::too_large);
    at_ += inflated.read;
    const Bytes content = Bytes(out_).subspan(filled_, inflated.written);
    const std::uint8_t* trailer = take(8);
    if (load_le<std::uint32_t>(trailer) != crc32(content) ||
        load_le<std::uint32_t>(trailer + 4) != static_cast<std::uint32_t>(content.size()))
      fail("is damaged: its checksum does not match");
    filled_ += content.size();
  }

  Inflated inflate_rest() {
    const std::size_t most = most_inflated(packed_.size());
    for (;;) {
      const Inflated inflated = inflate(rest(), std::span(out_).subspan(filled_));
      if (inflated.end != InflateEnd::too_long || out_.size() >= most) return inflated;
      out_.resize(std::min(most, std::max({2 * out_.size(), 4 * packed_.size(), kFirstRoom})));
    }
  }

  void skip_text() {
    const std::size_t end = text_of(rest()).find('\0');
    if (end == std::string_view::npos) fail("is cut short");
    at_ += end + 1;
  }

  const std::uint8_t* take(std::size_t size) {
    if (size > packed_.size() - at_) fail("is cut short");
    at_ += size;
    return packed_.data() + at_ - size;
  }

  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::bad_format) const {
    throw Error(code, "the gzip file " + message, {.file = file_, .offset = at_});
  }

  Bytes packed_;
  const std::string& file_;
  std::size_t at_ = 0, filled_ = 0;
  std::vector<std::uint8_t> out_;
};

}  // namespace

bool is_gzip(Bytes bytes) { return text_of(bytes).starts_with(kMagic); }

std::vector<std::uint8_t> gunzip(Bytes packed, const std::string& file) {
  return Gunzip(packed, file).read();
}

std::vector<std::uint8_t> gunzip_start(Bytes packed, std::size_t most) {
  std::vector<std::uint8_t> out(most);
  const std::string nowhere;
  Gunzip gunzip(packed, nowhere);
  try {
    gunzip.skip_header();
  } catch (const Error&) {
    return {};
  }
  out.resize(inflate(gunzip.rest(), out).written);
  return out;
}

}  // namespace humpty::io
