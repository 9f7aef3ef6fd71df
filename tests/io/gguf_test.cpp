#include "io/gguf.hpp"

#include <gtest/gtest.h>

#include "io/builders.hpp"
#include "io/golden.hpp"
#include "io/hostile.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

using test::find;
using test::floats;
using test::golden;
using test::le;
using test::names;
using test::says;
using test::Shape;
using test::thrown_by;
using test::Values;
using Words = std::vector<std::string>;

Tensors read(Bytes bytes) { return read_gguf(bytes, "f.gguf"); }
Tensors read(const std::string& bytes) { return read(bytes_of(bytes)); }

Error refusal(const std::string& bytes) {
  return thrown_by([&] { read(bytes); });
}

std::string text(const std::string& content) { return le(content.size(), 8) + content; }

struct Parts {
  std::uint64_t version = 3;
  Words facts = {}, infos = {};
  std::string data = {};
  std::size_t alignment = 32;
};

std::string gguf_of(const Parts& parts) {
  std::string bytes =
      "GGUF" + le(parts.version, 4) + le(parts.infos.size(), 8) + le(parts.facts.size(), 8);
  for (const std::string& fact : parts.facts) bytes += fact;
  for (const std::string& info : parts.infos) bytes += info;
  bytes.append((parts.alignment - bytes.size() % parts.alignment) % parts.alignment, '\0');
  return bytes + parts.data;
}

std::string info(const std::string& name, const Shape& dims, std::uint64_t type,
                 std::uint64_t offset) {
  std::string bytes = text(name) + le(dims.size(), 4);
  for (const std::uint64_t size : dims) bytes += le(size, 8);
  return bytes + le(type, 4) + le(offset, 8);
}

std::string fact(const std::string& value) { return text("some.key") + value; }

TEST(Gguf, ReadsTheGoldenFile) {
  const Tensors all = read(golden("golden.gguf"));
  EXPECT_EQ(names(all), (Words{"weight", "half", "bias"}));
  EXPECT_EQ(find(all, "weight").shape, (Shape{2, 3}));
  EXPECT_EQ(find(all, "weight").values, test::kWeight);
  EXPECT_EQ(find(all, "half").dtype, DType::float16);
  EXPECT_EQ(find(all, "half").values, test::kBias);
  EXPECT_EQ(find(all, "bias").dtype, DType::float64);
  EXPECT_EQ(find(all, "bias").values, test::kBias);
  EXPECT_EQ(all.skipped, Words{"tensor 'steps': int64 is not read"});
}

TEST(Gguf, ReadsBfloat16AndVersion2) {
  const Tensors all = read(gguf_of(
      {.version = 2, .infos = {info("w", {2}, 30, 0)}, .data = le(0x3fc0, 2) + le(0xc000, 2)}));
  EXPECT_EQ(all.tensors.at(0).dtype, DType::bfloat16);
  EXPECT_EQ(all.tensors[0].values, (Values{1.5f, -2}));
}

TEST(Gguf, KeepsToTheAlignmentItIsTold) {
  const auto aligned = [](std::uint64_t alignment) {
    return gguf_of({.facts = {text("general.alignment") + le(4, 4) + le(alignment, 4)},
                    .infos = {info("a", {1}, 0, 0), info("b", {1}, 0, 8)},
                    .data = floats({1, 0, 2}),
                    .alignment = 8});
  };
  EXPECT_EQ(find(read(aligned(8)), "b").values, Values{2});
  EXPECT_THROW(read(aligned(16)), Error);
  for (const std::uint64_t bad : {0, 3, 24})
    EXPECT_TRUE(says(refusal(aligned(bad)), "no power of two")) << bad;
}

TEST(Gguf, StepsOverFactsOfEveryType) {
  const std::string words = le(9, 4) + le(8, 4) + le(2, 8) + text("a") + text("");
  const std::string nested = le(9, 4) + le(9, 4) + le(2, 8) + le(0, 4) + le(3, 8) + "xyz" +
                             le(8, 4) + le(1, 8) + text("deep");
  const Tensors all =
      read(gguf_of({.facts = {fact(le(0, 4) + "x"), fact(le(3, 4) + "xx"), fact(le(6, 4) + "xxxx"),
                              fact(le(7, 4) + "x"), fact(le(8, 4) + text("x")),
                              fact(le(12, 4) + le(0, 8)), fact(words), fact(nested)},
                    .infos = {info("w", {1}, 0, 0)},
                    .data = floats({3})}));
  EXPECT_EQ(all.tensors.at(0).values, Values{3});
}

// ------------------------------------------------------------------------------------- bad input

TEST(Gguf, NamesQuantisedTensorsAndRefusesThem) {
  const auto refused = [](std::uint64_t type) {
    return refusal(gguf_of({.infos = {info("x", {32}, type, 0)}, .data = std::string(64, ' ')}));
  };
  const Error error = refused(12);
  EXPECT_EQ(error.code(), ErrorCode::bad_format);
  EXPECT_EQ(error.where().tensor, "x");
  EXPECT_TRUE(says(error, "tensor 'x'"));
  EXPECT_TRUE(says(error, "is quantised (Q4_K); dequantise it first")) << error.what();
  EXPECT_TRUE(says(refused(8), "Q8_0"));
  EXPECT_TRUE(says(refused(39), "MXFP4"));
  for (const std::uint64_t type : {4, 5, 40, 1000000}) EXPECT_TRUE(says(refused(type), "unknown"));
}

TEST(Gguf, RefusesTensorsOutsideTheDataOrOverEachOther) {
  const std::string data = floats(Values(16));
  const auto refused = [&](const Words& infos, const char* words) {
    const Error error = refusal(gguf_of({.infos = infos, .data = data}));
    EXPECT_TRUE(says(error, words)) << error.what();
  };
  refused({info("a", {17}, 0, 0)}, "but the data has 64");
  refused({info("a", {1}, 0, 64)}, "but the data has 64");
  refused({info("a", {1}, 0, 4)}, "multiple of the alignment");
  refused({info("a", {1}, 0, ~31ull)}, "but the data has 64");
  refused({info("a", {9}, 0, 0), info("b", {1}, 0, 32)}, "overlaps 'a'");
  refused({info("a", {2}, 0, 0), info("b", {1}, 0, 0)}, "overlaps");
  refused({info("a", {1}, 0, 0), info("a", {1}, 0, 32)}, "two tensors called 'a'");
  refused({info("a", {1, 1, 1, 1, 1}, 0, 0)}, "5 dimensions");
}

TEST(Gguf, RefusesSizesThatOverflow) {
  for (const Shape& dims :
       {Shape{1ull << 62}, Shape{1ull << 32, 1ull << 32}, Shape{~0ull}, Shape{1ull << 62, 8, 0}}) {
    const Error error = refusal(gguf_of({.infos = {info("a", dims, 0, 0)}}));
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_EQ(error.where().tensor, "a");
  }
}

TEST(Gguf, RefusesLengthsBeyondTheFile) {
  for (const std::uint64_t length : {1ull << 20, 1ull << 62, ~0ull}) {
    EXPECT_TRUE(says(refusal("GGUF" + le(3, 4) + le(length, 8) + le(0, 8)), "cut short"));
    EXPECT_TRUE(says(refusal("GGUF" + le(3, 4) + le(0, 8) + le(length, 8)), "cut short"));
    for (const std::string& value :
         {le(8, 4) + le(length, 8), le(9, 4) + le(0, 4) + le(length, 8),
          le(9, 4) + le(12, 4) + le(length, 8), le(9, 4) + le(8, 4) + le(length, 8),
          le(9, 4) + le(9, 4) + le(length, 8)})
      EXPECT_TRUE(says(refusal(gguf_of({.facts = {fact(value)}})), "cut short"));
  }
  EXPECT_TRUE(says(refusal(gguf_of({.facts = {fact(le(13, 4))}})), "unknown type 13"));
}

TEST(Gguf, RefusesArraysOfAbsurdDepth) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += le(9, 4) + le(1, 8);
  EXPECT_EQ(refusal(gguf_of({.facts = {fact(le(9, 4) + deep)}})).code(), ErrorCode::too_large);
}

TEST(Gguf, RefusesOtherVersions) {
  for (const std::uint64_t version : {0, 1, 4, 0x03000000})
    EXPECT_TRUE(says(refusal(gguf_of({.version = version})), "2 and 3 can be read"));
  EXPECT_TRUE(says(refusal("GGML"), "does not start with GGUF"));
}

TEST(Gguf, RefusesEveryPrefix) {
  // The padding behind the last tensor may be missing.
  const std::string whole =
      gguf_of({.infos = {info("w", {3, 2}, 0, 0)}, .data = floats(test::kWeight)});
  test::expect_every_prefix_refused(whole, [](Bytes b) { return read(b); });
}

TEST(Gguf, SurvivesEveryFlippedByte) {
  const std::string whole = golden("golden.gguf");
  EXPECT_GT(test::refusals_of_flipped_bytes(whole, [](Bytes b) { return read(b); }), 400u);
}

}  // namespace
}  // namespace humpty::io
