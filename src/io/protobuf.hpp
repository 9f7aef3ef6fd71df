// The wire format of protocol buffers: a message is a row of fields, each a number, a type and a
// value; what the numbers mean, only the reader of a format knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace humpty::io {

// Steps through the fields of one message. Nothing is read past its end, whatever the lengths say;
// a message within it is stepped through by another reader.
class ProtoReader {
 public:
  enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  // `whole` is the file around the message, for the offsets in messages.
  ProtoReader(Bytes message, Bytes whole, const std::string& file)
      : rest_(message), whole_(whole), file_(file) {}
  ProtoReader(Bytes message, const ProtoReader& around)
      : ProtoReader(message, around.whole_, around.file_) {}

  bool next();  // to the next field; false: there is none

  std::uint32_t number() const { return number_; }
  Type type() const { return type_; }

  // The field's value; an Error if it has another type.
  std::uint64_t integer() const;
  Bytes bytes() const;
  std::string_view text() const { return text_of(bytes()); }
  ProtoReader message() const { return {bytes(), *this}; }

  // A repeated field, be it packed or not: its items are added to the others. Numbers of fixed
  // width stay the little-endian bytes they are.
  void add_fixed(std::string& items, std::size_t width) const;
  template <class Add>
  void for_each_integer(Add add) const {
    if (type_ == Type::varint) return add(value_);
    ProtoReader packed = message();
    while (!packed.rest_.empty()) add(packed.take_varint());
  }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::uint64_t take_varint();
  Bytes take(std::uint64_t size);

  Bytes rest_, whole_;
  const std::string& file_;
  std::uint32_t number_ = 0;
  Type type_ = Type::varint;
  std::uint64_t value_ = 0;
  Bytes bytes_;
};

class ProtoWriter {
 public:
  void integer(std::uint32_t number, std::uint64_t value);
  void text(std::uint32_t number, std::string_view bytes);  // and messages within it
  void message(std::uint32_t number, const ProtoWriter& inner) { text(number, inner.out_); }
  void float32(std::uint32_t number, float value);

  const std::string& bytes() const { return out_; }
  std::string finish() && { return std::move(out_); }

 private:
  void tag(std::uint32_t number, ProtoReader::Type type);
  void varint(std::uint64_t value);

  std::string out_;
};

}  // namespace humpty::io
