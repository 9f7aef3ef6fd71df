// Beside zlib, which packs what is inflated here. fuzz/fuzz_inflate.cpp goes on from there.
#include "io/inflate.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/random.hpp"
#include "io/builders.hpp"
#include "io/hostile.hpp"

namespace humpty::io {
namespace {

using test::deflate_raw;

// In exactly sized memory, so that a sanitizer sees a byte too many.
Inflated inflate_exactly(std::string_view packed, std::string& out) {
  const auto in = test::exact_copy(packed);
  const auto room = std::make_unique<std::uint8_t[]>(out.size());
  const Inflated result = inflate({in.get(), packed.size()}, {room.get(), out.size()});
  out.assign(room.get(), room.get() + result.written);
  return result;
}

void expect_comes_back(const std::string& content, const std::string& packed) {
  std::string out(content.size(), '\0');
  const Inflated result = inflate_exactly(packed, out);
  EXPECT_EQ(result.end, InflateEnd::whole);
  EXPECT_EQ(result.read, packed.size());
  EXPECT_TRUE(out == content);
}

// Text-like (skewed, with repeats near and far), noise, runs.
std::vector<std::string> contents() {
  Random random(1);
  std::string noise, skewed, far;
  for (int i = 0; i < 100000; ++i) {
    noise += static_cast<char>(random.index(256));
    const std::size_t bits = random.index(8);
    skewed += static_cast<char>(random.index(std::size_t{1} << bits));
  }
  far = noise.substr(0, 32768) + noise.substr(0, 32768);
  return {"", "a", std::string(100000, 'x'), noise, skewed, far, "abcabcabcabcabcd"};
}

TEST(Inflate, GivesBackWhatZlibPacked) {
  for (const std::string& content : contents())
    for (int level : {0, 1, 6, 9})
      for (int strategy : {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE})
        expect_comes_back(content, deflate_raw(content, level, strategy));
}

TEST(Inflate, EveryPrefixIsCutShort) {
  const std::string skewed = contents()[4].substr(0, 3000);
  for (int level : {0, 9}) {
    const std::string packed = deflate_raw(skewed, level);
    for (std::size_t size = 0; size < packed.size(); ++size) {
      std::string out(skewed.size(), '\0');
      EXPECT_EQ(inflate_exactly(packed.substr(0, size), out).end, InflateEnd::cut_short);
      EXPECT_TRUE(skewed.starts_with(out));
    }
  }
}

TEST(Inflate, TooLittleRoomIsSaid) {
  for (const std::string& content : contents())
    for (int level : {0, 9}) {
      if (content.empty()) continue;
      std::string out(content.size() - 1, '\0');
      EXPECT_EQ(inflate_exactly(deflate_raw(content, level), out).end, InflateEnd::too_long);
    }
}

// What zlib's inflate makes of it: the bytes, or nothing where it refuses.
std::string by_zlib(std::string_view packed, std::size_t room) {
  std::string out(room, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = ::inflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(whole ? stream.total_out : 0);
  inflateEnd(&stream);
  return out;
}

TEST(Inflate, JudgesDamagedStreamsAsZlibDoes) {
  const std::string content = contents()[4].substr(0, 400) + std::string(300, 'x');
  const std::string sound = deflate_raw(content);
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < sound.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string packed = sound;
      packed[at] = static_cast<char>(packed[at] ^ 1 << bit);
      const std::string expected = by_zlib(packed, 4 * content.size());
      std::string out(4 * content.size(), '\0');
      const bool whole = inflate_exactly(packed, out).end == InflateEnd::whole;
      EXPECT_EQ(whole ? out : "", expected) << "byte " << at << ", bit " << bit;
      accepted += whole;
    }
  EXPECT_GT(accepted, sound.size());  // most damage is only seen by the checksum
}

// Made by hand from RFC 1951; beside each what zlib says of it.
TEST(Inflate, RefusesWhatTheFormatForbids) {
  for (const char* digits : {
           "07",          // invalid block type
           "0101000000",  // invalid stored block lengths
           "f50000",      // too many length or distance symbols
           "05009204",    // invalid code lengths set: more codes than fit
           "05002401",    // invalid code lengths set: incomplete
           "05001200",    // invalid bit length repeat: of nothing
           "1b0300",      // invalid literal/length code: 286
           "4b043e00",    // invalid distance code: 30
           "4b044200",    // invalid distance too far back: 2 after one byte
       }) {
    const std::string packed = test::unhex(digits) + std::string(8, '\0');
    std::string out(1000, '\0');
    EXPECT_EQ(inflate_exactly(packed, out).end, InflateEnd::damaged) << digits;
  }
}

TEST(Crc32, IsThatOfTheStandard) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xcbf43926u);  // the standard's own check value
  EXPECT_EQ(crc32({}), 0u);
  const std::string content = contents()[3].substr(0, 1000);
  for (std::size_t size = 0; size < content.size(); size += 7)
    EXPECT_EQ(crc32(bytes_of(content).first(size)),
              ::crc32(0, bytes_of(content).data(), static_cast<uInt>(size)));
}

}  // namespace
}  // namespace humpty::io
