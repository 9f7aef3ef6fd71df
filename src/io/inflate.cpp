#include "io/inflate.hpp"

#include <algorithm>
#include <array>

namespace humpty::io {
namespace {

constexpr unsigned kMostBits = 15;  // of a code
constexpr unsigned kFastBits = 10;  // codes up to here are looked up, longer ones walked

struct Failure {
  InflateEnd end;
};
[[noreturn]] void fail(InflateEnd end) { throw Failure{end}; }

// Bits, the lowest of each byte first.
class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  // Holds at least 56 bits afterwards, or all that are left; above these there are zeros.
  void fill() {
    if (bytes_.size() - at_ >= 8) {
      word_ |= load_le<std::uint64_t>(bytes_.data() + at_) << held_;
      at_ += (63 - held_) >> 3;
      held_ |= 56;
      word_ &= (std::uint64_t{1} << held_) - 1;
      return;
    }
    for (; held_ <= 48 && at_ < bytes_.size(); held_ += 8)
      word_ |= std::uint64_t{bytes_[at_++]} << held_;
  }
  unsigned peek(unsigned bits) const { return static_cast<unsigned>(word_ & ((1u << bits) - 1)); }
  void drop(unsigned bits) {
    if (bits > held_) fail(InflateEnd::cut_short);
    word_ >>= bits;
    held_ -= bits;
  }
  // At most 56 bits between two fills.
  unsigned take(unsigned bits) {
    const unsigned value = peek(bits);
    drop(bits);
    return value;
  }

  // Skips to the next whole byte; then what `take` has not seen yet.
  Bytes rest() {
    drop(held_ % 8);
    at_ -= held_ / 8;
    word_ = held_ = 0;
    return bytes_.subspan(at_);
  }
  void skip(std::size_t bytes) { at_ += bytes; }
  std::size_t read() const { return at_ - held_ / 8; }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  std::uint64_t word_ = 0;
  unsigned held_ = 0;  // bits in `word_`; fewer than 64
};

// A canonical Huffman code: codes of one length are consecutive numbers in the order of their
// symbols, so the lengths tell everything. The stream holds a code's highest bit first and all else
// lowest bit first, so that a code looked up in the bits as they come is reversed.
class HuffmanCode {
 public:
  // What zlib lets pass: complete codes; one of a single code of one bit (`lone`); none at all,
  // which is wrong only where it is used.
  void build(std::span<const std::uint8_t> lengths, bool lone) {
    count_.fill(0);
    for (std::uint8_t length : lengths) ++count_[length];
    const bool empty = count_[0] == lengths.size();
    count_[0] = 0;
    check_complete(empty, lone);
    std::array<std::uint16_t, kMostBits + 2> place{};
    for (unsigned length = 1; length <= kMostBits; ++length)
      place[length + 1] = static_cast<std::uint16_t>(place[length] + count_[length]);
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol]) sorted_[place[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    fill_table();
  }

  unsigned decode(BitReader& in) const {
    const std::uint16_t found = fast_[in.peek(kFastBits)];
    if (!found) return walk(in);
    in.drop(found >> 9);
    return found & 0x1ff;
  }

 private:
  void check_complete(bool empty, bool lone) const {
    int left = 1;
    for (unsigned length = 1; length <= kMostBits; ++length) {
      left = 2 * left - count_[length];
      if (left < 0) fail(InflateEnd::damaged);
    }
    const bool single = lone && count_[1] == 1 && left == 1 << (kMostBits - 1);
    if (left > 0 && !empty && !single) fail(InflateEnd::damaged);
  }

  void fill_table() {
    fast_.fill(0);
    unsigned code = 0;
    const std::uint16_t* symbol = sorted_.data();
    for (unsigned length = 1; length <= kFastBits; ++length, code <<= 1)
      for (unsigned k = 0; k < count_[length]; ++k, ++code, ++symbol)
        for (unsigned at = reversed(code, length); at < fast_.size(); at += 1u << length)
          fast_[at] = static_cast<std::uint16_t>(length << 9 | *symbol);
  }

  static unsigned reversed(unsigned code, unsigned length) {
    unsigned bits = 0;
    for (unsigned k = 0; k < length; ++k) bits |= (code >> k & 1) << (length - 1 - k);
    return bits;
  }

  // Bit by bit: `code` less the first code of its length is its place among those.
  unsigned walk(BitReader& in) const {
    const unsigned bits = in.peek(kMostBits);
    int code = 0, first = 0;
    const std::uint16_t* symbols = sorted_.data();
    for (unsigned length = 1; length <= kMostBits; ++length) {
      code |= static_cast<int>(bits >> (length - 1) & 1);
      if (code - first < count_[length]) {
        in.drop(length);
        return symbols[code - first];
      }
      symbols += count_[length];
      first = (first + count_[length]) << 1;
      code <<= 1;
    }
    fail(InflateEnd::damaged);
  }

  std::array<std::uint16_t, kMostBits + 1> count_{};   // codes of each length
  std::array<std::uint16_t, 288> sorted_{};            // symbols by code
  std::array<std::uint16_t, 1u << kFastBits> fast_{};  // length << 9 | symbol; 0: longer, or none
};

struct Codes {
  HuffmanCode literals, distances;
};

Codes fixed_codes() {
  std::array<std::uint8_t, 288> lengths;
  std::fill_n(lengths.begin(), 144, std::uint8_t{8});
  std::fill_n(lengths.begin() + 144, 112, std::uint8_t{9});
  std::fill_n(lengths.begin() + 256, 24, std::uint8_t{7});
  std::fill_n(lengths.begin() + 280, 8, std::uint8_t{8});
  std::array<std::uint8_t, 32> fives;
  fives.fill(5);
  Codes codes;
  codes.literals.build(lengths, false);
  codes.distances.build(fives, false);
  return codes;
}

void repeat(std::span<std::uint8_t> lengths, std::size_t& at, std::uint8_t value,
            std::size_t times) {
  if (times > lengths.size() - at) fail(InflateEnd::damaged);
  std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(at), times, value);
  at += times;
}

// The lengths of both codes in one run, themselves in a Huffman code.
void read_lengths(BitReader& in, const HuffmanCode& code, std::span<std::uint8_t> lengths) {
  for (std::size_t at = 0; at < lengths.size();) {
    in.fill();
    const unsigned symbol = code.decode(in);
    if (symbol < 16) {
      lengths[at++] = static_cast<std::uint8_t>(symbol);
    } else if (symbol == 16) {
      if (at == 0) fail(InflateEnd::damaged);
      repeat(lengths, at, lengths[at - 1], 3 + in.take(2));
    } else {
      repeat(lengths, at, 0, symbol == 17 ? 3 + in.take(3) : 11 + in.take(7));
    }
  }
}

void read_codes(BitReader& in, Codes& codes) {
  constexpr std::array<std::uint8_t, 19> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                   11, 4,  12, 3, 13, 2, 14, 1, 15};
  in.fill();
  const std::size_t literals = 257 + in.take(5), distances = 1 + in.take(5), own = 4 + in.take(4);
  if (literals > 286 || distances > 30) fail(InflateEnd::damaged);
  std::array<std::uint8_t, 19> own_lengths{};
  for (std::size_t k = 0; k < own; ++k) {
    in.fill();
    own_lengths[kOrder[k]] = static_cast<std::uint8_t>(in.take(3));
  }
  HuffmanCode code;
  code.build(own_lengths, false);
  std::array<std::uint8_t, 286 + 30> lengths{};
  const std::span<std::uint8_t> both(lengths.data(), literals + distances);
  read_lengths(in, code, both);
  constexpr std::size_t kEndOfBlock = 256;
  if (both[kEndOfBlock] == 0) fail(InflateEnd::damaged);
  codes.literals.build(both.first(literals), true);
  codes.distances.build(both.subspan(literals), true);
}

class Inflater {
 public:
  Inflater(Bytes packed, std::span<std::uint8_t> out) : in_(packed), out_(out) {}

  Inflated run() {
    InflateEnd end = InflateEnd::whole;
    try {
      while (block()) {
      }
    } catch (const Failure& failure) {
      end = failure.end;
    }
    return {end, in_.read(), written_};
  }

 private:
  // False after the last one.
  bool block() {
    in_.fill();
    const bool last = in_.take(1);
    switch (in_.take(2)) {
      case 0:
        stored();
        break;
      case 1:
        packed(fixed_);
        break;
      case 2:
        read_codes(in_, own_);
        packed(own_);
        break;
      default:
        fail(InflateEnd::damaged);
    }
    return !last;
  }

  void stored() {
    const Bytes rest = in_.rest();
    if (rest.size() < 4) fail(InflateEnd::cut_short);
    const std::size_t size = load_le<std::uint16_t>(rest.data());
    if (size != (load_le<std::uint16_t>(rest.data() + 2) ^ 0xffffu)) fail(InflateEnd::damaged);
    if (size > rest.size() - 4) fail(InflateEnd::cut_short);
    if (size > out_.size() - written_) fail(InflateEnd::too_long);
    std::copy_n(rest.begin() + 4, size, out_.begin() + static_cast<std::ptrdiff_t>(written_));
    in_.skip(4 + size);
    written_ += size;
  }

  // A literal takes 15 bits at most, a copy 15 + 5 + 15 + 13: one fill serves either.
  void packed(const Codes& codes) {
    for (;;) {
      in_.fill();
      const unsigned symbol = codes.literals.decode(in_);
      if (symbol < 256) {
        if (written_ == out_.size()) fail(InflateEnd::too_long);
        out_[written_++] = static_cast<std::uint8_t>(symbol);
      } else if (symbol == 256) {
        return;
      } else {
        const std::size_t length = copy_length(symbol);
        copy(distance(codes.distances.decode(in_)), length);
      }
    }
  }

  // 257 … 264 are 3 … 10; then every four symbols take a bit more; 285 is 258 by itself.
  std::size_t copy_length(unsigned symbol) {
    if (symbol > 285) fail(InflateEnd::damaged);
    if (symbol == 285) return 258;
    if (symbol < 265) return symbol - 254;
    const unsigned extra = (symbol - 261) / 4;
    return 3 + ((4 + (symbol - 261) % 4) << extra) + in_.take(extra);
  }

  // 0 … 3 are 1 … 4; then every two symbols take a bit more.
  std::size_t distance(unsigned symbol) {
    if (symbol > 29) fail(InflateEnd::damaged);
    if (symbol < 4) return symbol + 1;
    const unsigned extra = symbol / 2 - 1;
    return 1 + ((2 + symbol % 2) << extra) + in_.take(extra);
  }

  // What is copied may reach into the copy: a run is a copy from one byte before.
  void copy(std::size_t back, std::size_t length) {
    if (back > written_) fail(InflateEnd::damaged);
    if (length > out_.size() - written_) fail(InflateEnd::too_long);
    std::uint8_t* to = out_.data() + written_;
    const std::uint8_t* from = to - back;
    if (back >= length)
      std::copy_n(from, length, to);
    else
      for (std::size_t k = 0; k < length; ++k) to[k] = from[k];
    written_ += length;
  }

  BitReader in_;
  std::span<std::uint8_t> out_;
  std::size_t written_ = 0;
  Codes fixed_ = fixed_codes(), own_;
};

// Slicing by 16 (Kounavis and Berry, 2005): table k holds what a byte becomes k zero bytes later,
// so that sixteen bytes take sixteen lookups that do not wait for each other.
constexpr std::size_t kSlices = 16;
using Slices = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Slices make_slices() {
  Slices table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    table[0][byte] = crc;
  }
  for (std::size_t k = 1; k < kSlices; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 0xff];
  return table;
}
constexpr Slices kTable = make_slices();

}  // namespace

Inflated inflate(Bytes packed, std::span<std::uint8_t> out) { return Inflater(packed, out).run(); }

std::uint32_t crc32(Bytes bytes) {
  std::uint32_t crc = 0xffffffff;
  for (; bytes.size() >= kSlices; bytes = bytes.subspan(kSlices)) {
    const std::uint32_t first = crc ^ load_le<std::uint32_t>(bytes.data());
    crc = 0;
    for (std::size_t k = 0; k < 4; ++k) crc ^= kTable[kSlices - 1 - k][first >> 8 * k & 0xff];
    for (std::size_t k = 4; k < kSlices; ++k) crc ^= kTable[kSlices - 1 - k][bytes[k]];
  }
  for (std::uint8_t byte : bytes) crc = crc >> 8 ^ kTable[0][(crc ^ byte) & 0xff];
  return ~crc;
}

}  // namespace humpty::io
