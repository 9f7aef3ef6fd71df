#include "io/zip.hpp"

#include <gtest/gtest.h>

#include "io/builders.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

using test::says;
using test::thrown_by;
using test::zip_of;
using test::ZipEntry;

constexpr std::uint64_t kNoLimit = 1 << 20;

std::string read(const std::string& archive, std::string_view name,
                 std::uint64_t limit = kNoLimit) {
  const Zip zip(bytes_of(archive), "a.zip");
  const Zip::Entry* entry = zip.find(name);
  if (!entry) throw std::runtime_error("no such entry");
  const Content content = zip.read(*entry, limit);
  return std::string(text_of(content.bytes()));
}

Error refusal(const std::string& archive) {
  return thrown_by([&] { read(archive, "a"); });
}

// printf hello > a; zip -0 -X golden.zip a
constexpr std::string_view kGolden =
    "504b03040a00000000003c506f5d86a610360500000005000000010000006168656c6c6f504b01021e030a00"
    "000000003c506f5d86a610360500000005000000010000000000000000000000a4810000000061504b050600"
    "000000010001002f000000240000000000";

TEST(Zip, ReadsTheGoldenFile) { EXPECT_EQ(read(test::unhex(kGolden), "a"), "hello"); }

TEST(Zip, ReadsStoredAndDeflatedEntries) {
  const std::string text(5000, 'x');
  const std::string archive = zip_of({{.name = "stored", .content = text},
                                      {.name = "deflated", .content = text, .deflated = true},
                                      {.name = "empty"},
                                      {.name = "hollow", .deflated = true}});
  EXPECT_EQ(read(archive, "stored"), text);
  EXPECT_EQ(read(archive, "deflated"), text);
  EXPECT_EQ(read(archive, "empty"), "");
  EXPECT_EQ(read(archive, "hollow"), "");
}

TEST(Zip, ReadsZip64) {
  const std::string archive =
      zip_of({{.name = "a", .content = "first", .zip64 = true},
              {.name = "b", .content = "second", .deflated = true, .zip64 = true}},
             true);
  EXPECT_EQ(read(archive, "a"), "first");
  EXPECT_EQ(read(archive, "b"), "second");
}

TEST(Zip, ReadsPastAComment) {
  std::string archive = zip_of({{.name = "a", .content = "x"}});
  archive.replace(archive.size() - 2, 2, test::le(5, 2));
  EXPECT_EQ(read(archive + "PK\5\6!", "a"), "x");
  EXPECT_EQ(refusal(archive + "late").code(), ErrorCode::bad_format);
}

TEST(Zip, FindsNothingByAnotherName) {
  const std::string archive = zip_of({{.name = "a"}});
  EXPECT_EQ(Zip(bytes_of(archive), "").find("b"), nullptr);
}

TEST(Zip, RefusesLiesAboutSizes) {
  for (const ZipEntry& lie : {
           ZipEntry{.name = "a", .content = "12345", .size = 4},
           ZipEntry{.name = "a", .content = "12345", .packed = 4},
           ZipEntry{.name = "a", .content = "12345", .size = 6, .packed = 6},
           ZipEntry{.name = "a", .content = "12345", .size = 900, .packed = 900},
           ZipEntry{.name = "a", .content = "12345", .size = 0xfffffffe, .packed = 0xfffffffe},
           ZipEntry{.name = "a", .content = "12345", .local_size = 6},
           ZipEntry{.name = "a", .content = "1234567", .deflated = true, .size = 6},
           ZipEntry{.name = "a", .content = "1234567", .deflated = true, .size = 8},
           ZipEntry{.name = "a", .content = "1234567", .deflated = true, .packed = 3},
           ZipEntry{.name = "a", .content = "1234567", .deflated = true, .size = 900000},
           ZipEntry{.name = "a", .content = "12345", .header = 1},
           ZipEntry{.name = "a", .content = "12345", .header = 0xfffffff0},
       }) {
    const Error error = refusal(zip_of({lie}));
    EXPECT_EQ(error.code(), ErrorCode::bad_format);
    EXPECT_TRUE(error.where().offset) << error.what();
    EXPECT_EQ(error.where().file, "a.zip");
  }
}

TEST(Zip, RefusesEntriesThatOverlap) {
  const Error error = refusal(
      zip_of({{.name = "a", .content = "12345"}, {.name = "a", .content = "12345", .header = 0}}));
  EXPECT_TRUE(says(error, "entry 'a' is there twice")) << error.what();
  std::string inner = zip_of({{.name = "b", .content = "12345"}});
  inner.resize(36);  // an entry within an entry
  const Error within = refusal(
      zip_of({{.name = "a", .content = inner}, {.name = "b", .content = "12345", .header = 31}}));
  EXPECT_TRUE(says(within, "overlaps")) << within.what();
}

TEST(Zip, RefusesWhatItCannotRead) {
  EXPECT_TRUE(says(refusal(zip_of({{.name = "a", .flags = 1}})), "encrypted"));
  EXPECT_TRUE(says(refusal(zip_of({{.name = "a", .method = 12}})), "method 12"));
  EXPECT_TRUE(says(refusal(zip_of({{.name = "a", .content = "x", .crc = 1}})), "checksum"));
  EXPECT_TRUE(says(refusal("PK, but no zip"), "not a zip"));
  EXPECT_EQ(refusal("").code(), ErrorCode::bad_format);
}

TEST(Zip, AChecksumOfZeroMeansNone) {
  EXPECT_EQ(read(zip_of({{.name = "a", .content = "x", .crc = 0}}), "a"), "x");
}

TEST(Zip, NeverInflatesPastTheLimitOrTheClaim) {
  const std::string zeros(1 << 20, '\0');
  const std::string honest = zip_of({{.name = "a", .content = zeros, .deflated = true}});
  EXPECT_EQ(read(honest, "a", zeros.size()), zeros);
  EXPECT_TRUE(says(thrown_by([&] { read(honest, "a", zeros.size() - 1); }), "more than"));
  const std::string lying = zip_of({{.name = "a", .content = zeros, .deflated = true, .size = 24}});
  EXPECT_TRUE(says(thrown_by([&] { read(lying, "a", 24); }), "inflates past"));
}

TEST(Zip, RefusesDamagedStreams) {
  std::string archive = zip_of({{.name = "a", .content = "some text", .deflated = true}});
  archive[31] = '\x07';  // a block of the reserved type
  EXPECT_TRUE(says(refusal(archive), "does not inflate")) << refusal(archive).what();
}

TEST(ZipWriter, AlignsContentsAndIsReadBack) {
  ZipWriter writer;
  writer.add("first", "content");
  writer.add("folder/second", std::string(100, 'x'));
  writer.add("empty", "");
  const std::string archive = std::move(writer).finish();
  EXPECT_EQ(archive.substr(64, 7), "content");
  EXPECT_EQ(read(archive, "folder/second"), std::string(100, 'x'));
  const Zip zip(bytes_of(archive), "");
  ASSERT_EQ(zip.entries().size(), 3u);
  EXPECT_EQ(zip.entries()[0].crc, 0xfec530a9u);  // crc32 of "content", by Python's zlib
  for (const Zip::Entry& entry : zip.entries()) EXPECT_EQ(entry.data % 64, 0u);
}

}  // namespace
}  // namespace humpty::io
