#include "io/safetensors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/builders.hpp"
#include "io/golden.hpp"
#include "io/hostile.hpp"
#include "io/temp_folder.hpp"
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
using test::TempFolder;
using test::thrown_by;
using test::Values;
using Words = std::vector<std::string>;

Tensors read(Bytes bytes) { return read_safetensors(bytes, "f.safetensors"); }
Tensors read(const std::string& bytes) { return read(bytes_of(bytes)); }

Error refusal(const std::string& bytes) {
  return thrown_by([&] { read(bytes); });
}

std::string file_of(const std::string& header, const std::string& data = "") {
  return le(header.size(), 8) + header + data;
}

std::string entry(const std::string& name, const std::string& shape, std::uint64_t begin,
                  std::uint64_t end, const std::string& type = "F32") {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, type,
                     shape, begin, end);
}

std::string one(const std::string& name, float value) {
  return file_of("{" + entry(name, "[1]", 0, 4) + "}", floats({value}));
}

TEST(Safetensors, ReadsTheGoldenFile) {
  const Tensors all = read(golden("golden.safetensors"));
  EXPECT_EQ(all.tensors.size(), 5u);
  EXPECT_EQ(find(all, "weight").values, test::kWeight);
  EXPECT_EQ(find(all, "weight").shape, (Shape{2, 3}));
  EXPECT_EQ(find(all, "empty").shape, (Shape{0, 4}));
  for (const auto& [name, dtype] :
       {std::pair("bias", DType::float64), std::pair("half", DType::float16),
        std::pair("brain", DType::bfloat16)}) {
    EXPECT_EQ(find(all, name).values, test::kBias);
    EXPECT_EQ(find(all, name).dtype, dtype);
  }
  EXPECT_EQ(all.skipped, Words{"tensor 'steps': I64 is not read"});
  EXPECT_EQ(all.metadata, (Metadata{{"made", "by hand"}}));
}

TEST(Safetensors, GivesTensorsInTheOrderOfTheirBytes) {
  const std::string bytes =
      file_of("{" + entry("a", "[1]", 4, 8) + "," + entry("b", "[]", 0, 4) + "}  ", floats({1, 2}));
  EXPECT_EQ(names(read(bytes)), (Words{"b", "a"}));
  EXPECT_EQ(find(read(bytes), "b").shape, Shape{});
}

TEST(Safetensors, SkipsWhatItDoesNotReadWithAWord) {
  const std::string header = "{" + entry("q", "[3]", 0, 2, "F4") + "," +
                             entry("e", "[2]", 2, 4, "F8_E4M3") + "," +
                             entry("n", "[5]", 4, 7, "NEW9") + "}";
  const Tensors all = read(file_of(header, "1234567"));
  EXPECT_TRUE(all.tensors.empty());
  EXPECT_EQ(all.skipped, (Words{"tensor 'q': F4 is not read", "tensor 'e': F8_E4M3 is not read",
                                "tensor 'n': NEW9 is not read"}));
}

TEST(Safetensors, WritesWhatItReads) {
  const std::vector<Tensor> tensors{
      {"w \"x\" é", {2, 3}, DType::float32, {1, -0.0f, 3.25f, 1e-40f, INFINITY, -6}},
      {"half", {1, 2}, DType::float16, {0.5f, 65504}},
      {"brain", {1}, DType::bfloat16, {-3}},
      {"double", {2}, DType::float64, {0.1f, 2}},
      {"scalar", {}, DType::float32, {9}},
      {"empty", {0, 4}, DType::float32, {}},
  };
  const Metadata metadata{{"permutation", "3,1,2"}, {"quote", "\"\n"}};
  const Tensors all = read(to_safetensors(tensors, metadata));
  EXPECT_EQ(all.metadata, metadata);
  EXPECT_EQ(names(all), (Words{"double", "w \"x\" é", "scalar", "empty", "half", "brain"}));
  for (const Tensor& tensor : tensors) {
    EXPECT_EQ(find(all, tensor.name).shape, tensor.shape);
    EXPECT_EQ(find(all, tensor.name).dtype, tensor.dtype);
    EXPECT_EQ(find(all, tensor.name).values, tensor.values);
  }
  EXPECT_TRUE(std::signbit(find(all, "w \"x\" é").values[1]));
}

TEST(Safetensors, RefusesToWriteWhatCouldNotBeRead) {
  const Tensor tensor{"a", {1}, DType::float32, {1}};
  const auto written = [](std::vector<Tensor> tensors) {
    return thrown_by([&] { to_safetensors(tensors); });
  };
  EXPECT_TRUE(says(written({tensor, tensor}), "two tensors called 'a'"));
  EXPECT_TRUE(says(written({{"\xff", {1}, DType::float32, {1}}}), "UTF-8"));
  EXPECT_TRUE(says(written({{"__metadata__", {1}, DType::float32, {1}}}), "__metadata__"));
}

// ------------------------------------------------------------------------------------- bad input

TEST(Safetensors, RefusesOffsetsThatLieAboutTheFile) {
  const std::string data = floats({1, 2});
  const auto refused = [&](const std::string& header, std::string_view words) {
    const Error error = refusal(file_of("{" + header + "}", data));
    EXPECT_TRUE(says(error, words)) << error.what();
  };
  refused(entry("a", "[1]", 0, 4) + "," + entry("b", "[1]", 0, 4), "they overlap");
  refused(entry("a", "[2]", 0, 8) + "," + entry("b", "[1]", 4, 8), "they overlap");
  refused(entry("a", "[1]", 4, 8), "a gap");
  refused(entry("a", "[1]", 0, 4), "but 8 follow the header");
  refused(entry("a", "[4]", 0, 16), "but 8 follow the header");
  refused(entry("a", "[1]", 0, 8), "of 1 items of type F32 has 8 bytes");
  refused(entry("a", "[2,1]", 0, 8, "F64"), "of 2 items of type F64 has 8 bytes");
  refused(entry("a", "[1]", 8, 4), "has its data at bytes 8 to 4");
  refused(entry("a", "[1]", 0, 4) + "," + entry("a", "[1]", 4, 8), "two tensors called 'a'");
  refused(entry("a", "[0]", 0, 0) + "," + entry("b", "[0]", 18446744073709551615ull, 0), "a gap");
}

TEST(Safetensors, RefusesSizesThatOverflow) {
  for (const char* shape :
       {"[4611686018427387904]", "[4294967296,4294967296]",
        "[4611686018427387904,4611686018427387904,0]", "[2305843009213693952,8]"}) {
    const Error error = refusal(file_of("{" + entry("a", shape, 0, 0) + "}"));
    EXPECT_EQ(error.code(), ErrorCode::too_large) << error.what();
    EXPECT_EQ(error.where().tensor, "a");
  }
}

TEST(Safetensors, RefusesHeadersOfAnotherForm) {
  for (const char* header : {
           "",
           "null",
           "[]",
           "7",
           "\"a\"",
           "{} {}",
           R"({"a":1})",
           R"({"a":[]})",
           R"({"a":{}})",
           R"({"a":{"dtype":"F32","shape":[1]}})",
           R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0]}})",
           R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4,4]}})",
           R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[1e0],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":7,"shape":[1],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":{}}})",
           R"({"__metadata__":{"a":1}})",
           R"({"__metadata__":{"a":"1","a":"2"}})",
           R"({"__metadata__":{"a":{}}})",
       }) {
    const Error error = refusal(file_of(header, floats({1})));
    EXPECT_EQ(error.code(), ErrorCode::bad_format) << header;
    EXPECT_EQ(error.where().file, "f.safetensors");
  }
}

TEST(Safetensors, SaysWhereTheHeaderStopsBeingJson) {
  const Error error = refusal(file_of(R"({"a":{"dtype":x)"));
  EXPECT_EQ(error.where().offset, 22u) << error.what();  // 8 + 14
}

TEST(Safetensors, RefusesAbsurdHeadersInLittleTime) {
  const std::string deep(5'000'000, '[');
  EXPECT_EQ(refusal(file_of(deep)).code(), ErrorCode::bad_format);
  EXPECT_EQ(refusal(file_of(R"({"a":)" + deep)).code(), ErrorCode::bad_format);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_EQ(refusal(file_of(objects)).code(), ErrorCode::bad_format);
  std::string shape(1'000'000, '1');
  for (std::size_t i = 1; i < shape.size(); i += 2) shape[i] = ',';
  EXPECT_TRUE(says(refusal(file_of(R"({"a":{"shape":[)" + shape)), "a number where none should"));
}

TEST(Safetensors, RefusesHeaderLengthsBeyondTheFile) {
  for (const std::uint64_t length :
       {std::uint64_t{3}, std::uint64_t{100'000'001}, ~std::uint64_t{0}, ~std::uint64_t{7}})
    EXPECT_TRUE(says(refusal(le(length, 8) + "{}"), "cut short")) << length;
}

TEST(Safetensors, RefusesEveryPrefix) {
  test::expect_every_prefix_refused(golden("golden.safetensors"),
                                    [](Bytes bytes) { return read(bytes); });
}

TEST(Safetensors, SurvivesEveryFlippedByte) {
  const std::string whole = golden("golden.safetensors");
  EXPECT_GT(test::refusals_of_flipped_bytes(whole, [](Bytes bytes) { return read(bytes); }),
            whole.size());
}

// ---------------------------------------------------------------------------------------- shards

constexpr const char* kFirst = "model-00001-of-00002.safetensors";
constexpr const char* kSecond = "model-00002-of-00002.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

std::string index_of(const std::string& members) {
  return R"({"metadata":{"total_size":8,"deep":[{"a":[null,true,-1,1.5,"x"]}]},"weight_map":{)" +
         members + "}}";
}

// Two shards with a tensor each, and an index that says so.
class Shards : public ::testing::Test {
 protected:
  Shards() {
    folder_.write(kFirst, one("a", 1));
    folder_.write(kSecond, one("b", 2));
    folder_.write(kIndex, good_);
  }
  Tensors read_folder() const { return read_safetensors_folder(folder_.path()); }
  Tensors read_index() const { return read_safetensors_index(folder_.path(kIndex)); }
  Error refusal_of(const std::string& index) const {
    folder_.write(kIndex, index);
    return thrown_by([&] { read_index(); });
  }

  TempFolder folder_;
  std::string good_ = index_of(fmt::format(R"("a":"{}","b":"{}")", kFirst, kSecond));
};

TEST_F(Shards, AreReadTogether) {
  for (const Tensors& all : {read_index(), read_folder()}) {
    EXPECT_EQ(names(all), (Words{"a", "b"}));
    EXPECT_EQ(find(all, "b").values, Values{2});
    EXPECT_TRUE(all.skipped.empty());
  }
}

TEST_F(Shards, AreFoundWithoutAnIndex) {
  std::filesystem::remove(folder_.path(kIndex));
  EXPECT_EQ(names(read_folder()), (Words{"a", "b"}));
}

TEST_F(Shards, AreFoundInSpiteOfAnIndexThatIsOfNoUse) {
  for (const std::string& index :
       {good_.substr(0, good_.size() / 2), std::string("[]"), std::string("{}"),
        index_of(R"("a":"moved.safetensors","b":"moved.safetensors")"), index_of(R"("a":7)"),
        index_of(R"("a":{"b":"c"})")}) {
    folder_.write(kIndex, index);
    const Tensors all = read_index();
    EXPECT_EQ(names(all), (Words{"a", "b"})) << index;
    ASSERT_EQ(all.skipped.size(), 1u);
    EXPECT_TRUE(all.skipped[0].starts_with("index 'model.safetensors.index.json': not used, "));
  }
}

TEST_F(Shards, KeepToTheFilesOfTheIndex) {
  folder_.write("consolidated.safetensors", one("a", 3));
  EXPECT_EQ(names(read_folder()), (Words{"a", "b"}));
}

TEST_F(Shards, HoldWhereverItIsWhatTheIndexPromises) {
  folder_.write(kIndex, index_of(fmt::format(R"("a":"{1}","b":"{0}")", kFirst, kSecond)));
  EXPECT_EQ(names(read_index()), (Words{"a", "b"}));
  const Error error = refusal_of(index_of(fmt::format(R"("a":"{0}","c":"{0}")", kFirst)));
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_TRUE(says(error, "tensor 'c' should be in")) << error.what();
}

TEST_F(Shards, MustAllBeThere) {
  std::filesystem::remove(folder_.path(kSecond));
  for (const bool index : {true, false}) {
    if (!index) std::filesystem::remove(folder_.path(kIndex));
    const Error error = thrown_by([&] { read_folder(); });
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_TRUE(says(error, kSecond)) << error.what();
  }
}

TEST_F(Shards, MustNotShareTensors) {
  folder_.write(kSecond, one("a", 2));
  std::filesystem::remove(folder_.path(kIndex));
  const Error error = thrown_by([&] { read_folder(); });
  EXPECT_TRUE(says(error, "no shards of one model")) << error.what();
}

TEST_F(Shards, LieInTheFolderAndNowhereElse) {
  std::filesystem::create_directory(folder_.path("inner"));
  folder_.write("inner/x.safetensors", one("a", 1));
  for (const char* name :
       {"../x.safetensors", "inner/x.safetensors", "/etc/x.safetensors", "..",
        "..\\\\x.safetensors", "/etc/passwd", "model.bin", "", "a\\u0000/x.safetensors"}) {
    const Error error = refusal_of(index_of(fmt::format(R"("a":"{}")", name)));
    EXPECT_EQ(error.code(), ErrorCode::unsafe) << name << ": " << error.what();
  }
}

TEST_F(Shards, RefuseAbsurdIndexesInLittleTime) {
  std::string deep = R"({"metadata":)";
  for (int i = 0; i < 1'000'000; ++i) deep += "[";
  std::filesystem::remove(folder_.path(kFirst));
  std::filesystem::remove(folder_.path(kSecond));
  EXPECT_TRUE(says(refusal_of(deep), "an array where none should be"));
  EXPECT_TRUE(says(refusal_of(index_of(R"("a":"a.safetensors","a":"b.safetensors")")), "twice"));
}

TEST_F(Shards, AreMissedInAnEmptyFolder) {
  const TempFolder empty;
  const Error error = thrown_by([&] { read_safetensors_folder(empty.path()); });
  EXPECT_TRUE(says(error, "without safetensors files")) << error.what();
}

TEST(Safetensors, GivesWholeNumbersToWhoAsks) {
  const std::string header = R"({"x":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}})";
  const std::string bytes = test::le(header.size(), 8) + header + test::le(0xffff0003, 4);
  EXPECT_TRUE(read_safetensors(bytes_of(bytes), "f").tensors.empty());
  const Tensors all = read_safetensors(bytes_of(bytes), "f", Take::numbers);
  ASSERT_EQ(all.tensors.size(), 1u);
  EXPECT_EQ(all.tensors[0].values, (std::vector<float>{3, -1}));
}

}  // namespace
}  // namespace humpty::io
