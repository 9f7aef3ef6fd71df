#include "io/protobuf.hpp"

#include <fmt/format.h>

#include "humpty/humpty.hpp"

namespace humpty::io {

bool ProtoReader::next() {
  if (rest_.empty()) return false;
  const std::uint64_t tag = take_varint();
  if (tag >> 3 == 0 || tag >> 32 != 0) fail("has a field number out of range");
  number_ = static_cast<std::uint32_t>(tag >> 3);
  type_ = static_cast<Type>(tag & 7);
  bytes_ = {};
  switch (type_) {
    case Type::varint:
      value_ = take_varint();
      return true;
    case Type::fixed64:
      bytes_ = take(8);
      return true;
    case Type::fixed32:
      bytes_ = take(4);
      return true;
    case Type::bytes:
      bytes_ = take(take_varint());
      return true;
  }
  fail(fmt::format("has a field of type {}, which nothing uses", tag & 7));
}

std::uint64_t ProtoReader::integer() const {
  if (type_ != Type::varint) fail(fmt::format("has no integer in field {}", number_));
  return value_;
}

Bytes ProtoReader::bytes() const {
  if (type_ != Type::bytes) fail(fmt::format("has neither text nor message in field {}", number_));
  return bytes_;
}

void ProtoReader::add_fixed(std::string& items, std::size_t width) const {
  const bool single = type_ == (width == 8 ? Type::fixed64 : Type::fixed32);
  if (!(single || type_ == Type::bytes) || bytes_.size() % width != 0)
    fail(fmt::format("has no numbers of {} bytes in field {}", width, number_));
  items += text_of(bytes_);
}

// Seven bits a byte, the lowest first; the last byte has its highest bit clear.
std::uint64_t ProtoReader::take_varint() {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    if (i == rest_.size()) fail("is cut short");
    const std::uint64_t bits = rest_[i] & 0x7f;
    if (i == 9 && bits > 1) break;
    value |= bits << 7 * i;
    if (rest_[i] & 0x80) continue;
    rest_ = rest_.subspan(i + 1);
    return value;
  }
  fail("has an integer beyond 64 bits");
}

Bytes ProtoReader::take(std::uint64_t size) {
  if (size > rest_.size())
    fail(fmt::format("is cut short: {} bytes announced, {} left", size, rest_.size()));
  const Bytes taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

void ProtoReader::fail(const std::string& what) const {
  throw Error(ErrorCode::bad_format, what,
              {.file = file_, .offset = static_cast<std::uint64_t>(rest_.data() - whole_.data())});
}

void ProtoWriter::integer(std::uint32_t number, std::uint64_t value) {
  tag(number, ProtoReader::Type::varint);
  varint(value);
}

void ProtoWriter::text(std::uint32_t number, std::string_view bytes) {
  tag(number, ProtoReader::Type::bytes);
  varint(bytes.size());
  out_ += bytes;
}

void ProtoWriter::float32(std::uint32_t number, float value) {
  tag(number, ProtoReader::Type::fixed32);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  append_le(out_, bits);
}

void ProtoWriter::tag(std::uint32_t number, ProtoReader::Type type) {
  varint(std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
}

void ProtoWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
  out_ += static_cast<char>(value);
}

}  // namespace humpty::io
