#include "io/onnx.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "io/builders.hpp"
#include "io/golden.hpp"
#include "io/hostile.hpp"
#include "io/temp_folder.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

namespace fs = std::filesystem;
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

Tensors read(Bytes bytes) { return read_onnx(bytes, "f.onnx"); }
Tensors read(const std::string& bytes) { return read(bytes_of(bytes)); }

Error refusal(const std::string& bytes) {
  return thrown_by([&] { read(bytes); });
}

// Protobuf by hand: a number is its field's key and a varint, everything else has a length.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value /= 128) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) {
  return varint(field * 8) + varint(value);
}
std::string block(unsigned field, const std::string& content) {
  return varint(field * 8 + 2) + varint(content.size()) + content;
}

std::string model(const std::string& graph) { return number(1, 8) + block(7, graph); }
std::string initializer(const std::string& tensor) { return model(block(5, tensor)); }

// dims 1, data_type 2, name 8, raw_data 9
std::string tensor(const std::vector<std::uint64_t>& dims, std::uint64_t type,
                   const std::string& rest) {
  std::string bytes;
  for (const std::uint64_t size : dims) bytes += number(1, size);
  return bytes + number(2, type) + block(8, "w") + rest;
}

std::string external(const std::map<std::string, std::string>& entries,
                     const std::vector<std::uint64_t>& dims = {2}) {
  std::string rest = number(14, 1);
  for (const auto& [key, value] : entries) rest += block(13, block(1, key) + block(2, value));
  return initializer(tensor(dims, 1, rest));
}

TEST(Onnx, ReadsTheGoldenFile) {
  const Tensors all = read(golden("golden.onnx"));
  EXPECT_EQ(names(all),
            (Words{"constant", "number", "row", "raw", "floats", "doubles", "halves", "brains"}));
  for (const char* name : {"constant", "raw"}) {
    EXPECT_EQ(find(all, name).shape, (Shape{2, 3}));
    EXPECT_EQ(find(all, name).values, test::kWeight);
  }
  EXPECT_EQ(find(all, "number").shape, Shape{});
  EXPECT_EQ(find(all, "number").values, Values{2.5f});
  EXPECT_EQ(find(all, "row").shape, Shape{6});
  EXPECT_EQ(find(all, "row").values, test::kWeight);
  for (const auto& [name, dtype] :
       {std::pair("floats", DType::float32), std::pair("doubles", DType::float64),
        std::pair("halves", DType::float16), std::pair("brains", DType::bfloat16)}) {
    EXPECT_EQ(find(all, name).dtype, dtype);
    EXPECT_EQ(find(all, name).values, test::kBias) << name;
  }
  EXPECT_EQ(all.skipped, Words{"tensor 'steps': int64 is not read"});
}

TEST(Onnx, ReadsNumbersPackedOrNot) {
  const std::string packed = block(4, floats({1, 2}));
  const std::string loose = varint(4 * 8 + 5) + floats({1}) + varint(4 * 8 + 5) + floats({2});
  const std::string dims = block(1, varint(2) + varint(1)) + number(2, 1);
  EXPECT_EQ(read(initializer(tensor({2}, 1, packed))).tensors.at(0).values, (Values{1, 2}));
  EXPECT_EQ(read(initializer(tensor({2}, 1, loose))).tensors.at(0).values, (Values{1, 2}));
  EXPECT_EQ(read(initializer(dims + packed)).tensors.at(0).shape, (Shape{2, 1}));
  const std::string halves = number(5, 0x3e00) + block(5, varint(0xc000));
  EXPECT_EQ(read(initializer(tensor({2}, 10, halves))).tensors.at(0).values, (Values{1.5f, -2}));
}

TEST(Onnx, PassesOverWhatIsNoWeight) {
  const std::string other = block(1, block(2, "y") + block(4, "Relu"));
  const std::string text = block(
      1, block(2, "c") + block(4, "Constant") + block(5, block(1, "value_string") + block(4, "x")));
  const std::string foreign =
      block(1, block(2, "f") + block(4, "Constant") + block(7, "com.me") +
                   block(5, block(1, "value") + block(5, tensor({}, 1, block(9, floats({1}))))));
  const std::string sparse = block(15, block(1, tensor({1}, 1, block(9, floats({1})))));
  const Tensors all = read(model(other + text + foreign + sparse));
  EXPECT_TRUE(all.tensors.empty());
  EXPECT_EQ(all.skipped, Words{"tensor 'w': a sparse tensor is not read"});
}

TEST(Onnx, WritesWhatItReads) {
  OnnxGraph graph{.name = "chain", .inputs = {}, .outputs = {}, .nodes = {}, .initializers = {}};
  graph.inputs = {{"x", {"rows", std::uint64_t{3}}}};
  graph.outputs = {{"y", {"rows", std::uint64_t{2}}}};
  graph.nodes = {{"Gemm", {"x", "w", "b"}, {"h"}, {{"transB", std::int64_t{1}}, {"alpha", 1.0f}}},
                 {"LeakyRelu", {"h"}, {"y"}, {{"alpha", 0.01f}}}};
  graph.initializers = {{"w", {2, 3}, DType::float32, {1, -0.0f, 3.25f, 1e-40f, INFINITY, -6}},
                        {"b", {2}, DType::float64, {0.1f, 2}},
                        {"h16", {1, 2}, DType::float16, {0.5f, 65504}},
                        {"b16", {1}, DType::bfloat16, {-3}},
                        {"scalar", {}, DType::float32, {9}},
                        {"empty", {0, 4}, DType::float32, {}}};
  graph.metadata = {{"permutation", "3,1,2"}};
  const std::string bytes = to_onnx(graph);
  EXPECT_TRUE(is_onnx(bytes_of(bytes)));
  EXPECT_NE(bytes.find("3,1,2"), bytes.npos);
  const Tensors all = read(bytes);
  ASSERT_EQ(all.tensors.size(), graph.initializers.size());
  for (std::size_t i = 0; i < all.tensors.size(); ++i) {
    EXPECT_EQ(all.tensors[i].name, graph.initializers[i].name);
    EXPECT_EQ(all.tensors[i].shape, graph.initializers[i].shape);
    EXPECT_EQ(all.tensors[i].dtype, graph.initializers[i].dtype);
    EXPECT_EQ(all.tensors[i].values, graph.initializers[i].values);
  }
  graph.opset = 12;
  EXPECT_EQ(thrown_by([&] { to_onnx(graph); }).code(), ErrorCode::usage);
}

// ------------------------------------------------------------------------------------- bad input

TEST(Onnx, RefusesLengthsBeyondTheFile) {
  for (const std::uint64_t length :
       {std::uint64_t{100}, std::uint64_t{1} << 31, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    const Error error = refusal(number(1, 8) + varint(7 * 8 + 2) + varint(length) + "abc");
    EXPECT_TRUE(says(error, "bytes announced, 3 left")) << error.what();
  }
  const std::string inner = varint(9 * 8 + 2) + varint(1000) + "abc";
  EXPECT_TRUE(says(refusal(initializer(tensor({1}, 1, inner)) + std::string(2000, ' ')),
                   "1000 bytes announced, 3 left"));
}

TEST(Onnx, RefusesWhatIsNoProtobuf) {
  for (const std::string& bytes :
       {std::string(), std::string("\x08"), std::string("\x00", 1) + "x", std::string(11, '\xff'),
        std::string("\x0b"), std::string("\x0c"), std::string("\x0e"), number(1, 8),
        model("") + model(""), std::string("\x3d\1\2\3\4")})
    EXPECT_EQ(refusal(bytes).code(), ErrorCode::bad_format);
  const std::string ten = "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  EXPECT_TRUE(says(refusal(ten + "\x02"), "beyond 64 bits"));
  EXPECT_TRUE(says(refusal(ten + "\x01"), "no graph"));
}

TEST(Onnx, RefusesTensorsThatLieAboutTheirSize) {
  const std::string raw = block(9, floats({1, 2}));
  for (const Shape& shape : {Shape{1}, Shape{3}, Shape{2, 2}, Shape{}, Shape{0}})
    EXPECT_TRUE(says(refusal(initializer(tensor(shape, 1, raw))), "but has 8"));
  EXPECT_TRUE(says(refusal(initializer(tensor({2}, 11, raw))), "needs 16 bytes"));
  EXPECT_TRUE(says(refusal(initializer(tensor({2}, 1, ""))), "but has 0"));
  EXPECT_TRUE(says(refusal(initializer(tensor({2}, 1, block(10, floats({1, 2}))))), "but has 0"));
  EXPECT_TRUE(says(refusal(initializer(tensor({2}, 1, block(4, "abc")))), "no numbers of 4 bytes"));
  EXPECT_TRUE(says(refusal(initializer(tensor({1}, 10, number(5, 0x10000)))), "more than 16 bits"));
  for (const Shape& shape :
       {Shape{1ull << 62}, Shape{1ull << 32, 1ull << 32}, Shape{~0ull}, Shape{1ull << 62, 8, 0}}) {
    const Error error = refusal(initializer(tensor(shape, 1, raw)));
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_EQ(error.where().tensor, "w");
  }
  EXPECT_TRUE(says(refusal(initializer(tensor(Shape(65, 1), 1, raw))), "64 dimensions"));
}

TEST(Onnx, RefusesTheSameNameTwice) {
  const std::string one = block(5, tensor({1}, 1, block(9, floats({1}))));
  EXPECT_TRUE(says(refusal(model(one + one)), "two tensors called 'w'"));
}

TEST(Onnx, RefusesEveryPrefix) {
  // A prefix that ends between two fields of the model is itself a model.
  const std::string whole = golden("golden.onnx");
  const std::size_t graph = whole.rfind("B\4\n");  // opset_import: what follows the graph
  ASSERT_NE(graph, whole.npos);
  test::expect_every_prefix_refused(whole.substr(0, graph), [](Bytes b) { return read(b); });
}

TEST(Onnx, SurvivesEveryFlippedByte) {
  const std::string whole = golden("golden.onnx");
  EXPECT_GT(test::refusals_of_flipped_bytes(whole, [](Bytes b) { return read(b); }),
            whole.size() / 2);
}

// --------------------------------------------------------------------------------- external data

class External : public ::testing::Test {
 protected:
  External() {
    folder_.write("model/data.bin", floats({1, 2, 3, 4}));
    folder_.write("model/inner/data.bin", floats({5, 6}));
    folder_.write("outside.bin", floats({7, 8}));
  }

  Tensors read(const std::string& model) const {
    return read_onnx(folder_.write("model/m.onnx", model));
  }
  humpty::Values values(const std::string& model) const { return read(model).tensors.at(0).values; }
  Error refusal(const std::string& model) const {
    return thrown_by([&] { read(model); });
  }

  TempFolder folder_;
};

TEST_F(External, IsFoundInTheFolderOrBelow) {
  EXPECT_EQ(values(external({{"location", "data.bin"}, {"offset", "4"}, {"length", "8"}})),
            (Values{2, 3}));
  EXPECT_EQ(values(external({{"location", "data.bin"}})), (Values{1, 2}));
  EXPECT_EQ(values(external({{"location", "inner/data.bin"}})), (Values{5, 6}));
  EXPECT_EQ(values(external({{"location", "./data.bin"}, {"checksum", "?"}})), (Values{1, 2}));
}

TEST_F(External, MustFit) {
  for (const auto& [offset, length] :
       {std::pair("12", "8"), std::pair("17", "8"), std::pair("18446744073709551612", "8"),
        std::pair("0", "4"), std::pair("0", "16"), std::pair("-4", "8"), std::pair("x", "8"),
        std::pair("0", "99999999999999999999"), std::pair("", "8")}) {
    const Error error =
        refusal(external({{"location", "data.bin"}, {"offset", offset}, {"length", length}}));
    EXPECT_EQ(error.code(), ErrorCode::bad_format) << offset << ' ' << length;
    EXPECT_EQ(error.where().tensor, "w");
  }
  EXPECT_EQ(refusal(external({})).code(), ErrorCode::bad_format);
  EXPECT_EQ(refusal(external({{"location", "data.bin"}}, {1ull << 40})).code(),
            ErrorCode::bad_format);
}

TEST_F(External, MayNotLieOutside) {
  for (const std::string& location :
       {std::string("../outside.bin"), std::string("inner/../../outside.bin"),
        std::string("inner/../data.bin"), folder_.path("outside.bin"), std::string("/etc/passwd"),
        std::string(), std::string(".."), std::string("..\\outside.bin"),
        std::string("data.bin\0", 9)}) {
    const Error error = refusal(external({{"location", location}}));
    EXPECT_EQ(error.code(), ErrorCode::unsafe) << location << ": " << error.what();
  }
}

TEST_F(External, MayNotLeadOutsideThroughLinks) {
  fs::create_symlink(folder_.path("outside.bin"), folder_.path("model/link.bin"));
  fs::create_directory_symlink(folder_.path(), folder_.path("model/up"));
  fs::create_symlink("data.bin", folder_.path("model/inside.bin"));
  for (const char* location : {"link.bin", "up/outside.bin"}) {
    const Error error = refusal(external({{"location", location}}));
    EXPECT_EQ(error.code(), ErrorCode::unsafe) << error.what();
    EXPECT_TRUE(says(error, "leads outside")) << error.what();
  }
  EXPECT_EQ(values(external({{"location", "inside.bin"}})), (Values{1, 2}));
}

TEST_F(External, MustBeAFile) {
  for (const char* location : {"missing.bin", "inner", ".", "data.bin/x"})
    EXPECT_EQ(refusal(external({{"location", location}})).code(), ErrorCode::not_found) << location;
  EXPECT_EQ(thrown_by([] {
              const std::string bytes = external({{"location", "data.bin"}});
              read_onnx(bytes_of(bytes), "f.onnx");
            }).code(),
            ErrorCode::not_found);
}

TEST_F(External, IsNotRepeatedWithoutEnd) {
  std::string tensors;
  for (int i = 0; i < 200; ++i) {
    const std::string place = block(13, block(1, "location") + block(2, "data.bin"));
    tensors += block(
        5, number(1, 4) + number(2, 1) + block(8, fmt::format("w{}", i)) + number(14, 1) + place);
  }
  EXPECT_EQ(refusal(model(tensors)).code(), ErrorCode::too_large);
}

}  // namespace
}  // namespace humpty::io
