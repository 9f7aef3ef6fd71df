#include "io/gzip.hpp"

#include <gtest/gtest.h>

#include "io/builders.hpp"
#include "io/golden.hpp"
#include "io/hostile.hpp"
#include "io/inflate.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

using test::le;
using test::says;
using test::thrown_by;

std::string gunzip_text(std::string_view packed) {
  return std::string(text_of(gunzip(bytes_of(packed), "f.gz")));
}

std::string gzip_of(const std::string& content, std::uint8_t flags = 0,
                    const std::string& fields = "") {
  return "\x1f\x8b\x08" + le(flags, 1) + std::string(6, '\0') + fields +
         test::deflate_raw(content) + le(crc32(bytes_of(content)), 4) + le(content.size(), 4);
}

TEST(Gzip, ReadsWhatPythonWrote) {
  EXPECT_EQ(gunzip_text(test::golden("golden.csv.gz")), "a,b\n1,2\n3,4\n");
}

TEST(Gzip, EveryPrefixIsRefused) {
  test::expect_every_prefix_refused(test::golden("golden.csv.gz"),
                                    [](Bytes bytes) { gunzip(bytes, "f.gz"); });
}

TEST(Gzip, AnyByteMayBeChanged) {
  EXPECT_GT(test::refusals_of_flipped_bytes(test::golden("golden.csv.gz"),
                                            [](Bytes bytes) { gunzip(bytes, "f.gz"); }),
            80u);
}

TEST(Gzip, PassesOverAllFieldsOfTheHeader) {
  const std::string fields =
      le(3, 2) + "abc" + std::string("name\0", 5) + std::string("comment\0", 8) + "##";
  EXPECT_EQ(gunzip_text(gzip_of("text", 2 | 4 | 8 | 16, fields)), "text");
  EXPECT_TRUE(says(thrown_by([] { gunzip_text(gzip_of("text", 0x20)); }), "flags"));
}

TEST(Gzip, MembersBehindOneAnotherAreOne) {
  const std::string large(300000, 'x');
  EXPECT_EQ(gunzip_text(gzip_of("one ") + gzip_of(large) + gzip_of("")), "one " + large);
  EXPECT_TRUE(says(thrown_by([] { gunzip_text(gzip_of("one") + "two"); }), "no gzip"));
}

TEST(Gzip, ABombIsRefused) {
  const std::string bomb = gzip_of(std::string(std::size_t{72} << 20, '\0'));
  EXPECT_EQ(thrown_by([&] { gunzip_text(bomb); }).code(), ErrorCode::too_large);
}

TEST(Gzip, TheStartTells) {
  EXPECT_EQ(text_of(gunzip_start(bytes_of(gzip_of("some text")), 4)), "some");
  EXPECT_EQ(text_of(gunzip_start(bytes_of(gzip_of("so")), 4)), "so");
  EXPECT_TRUE(gunzip_start(bytes_of(std::string("\x1f\x8b\x08")), 4).empty());
}

}  // namespace
}  // namespace humpty::io
