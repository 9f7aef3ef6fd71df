#include "io/npy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

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
using test::zip_of;
using Words = std::vector<std::string>;

Tensors read(Bytes bytes) { return read_npy(bytes, "f.npy"); }
Tensors read(const std::string& bytes) { return read(bytes_of(bytes)); }
Tensors read_zip(Bytes bytes) { return read_npz(bytes, "f.npz"); }
Tensors read_zip(const std::string& bytes) { return read_zip(bytes_of(bytes)); }

Error refusal(const std::string& bytes) {
  return thrown_by([&] { read(bytes); });
}

std::string npy(const std::string& header, const std::string& items = "", int version = 1) {
  return "\x93NUMPY" + le(static_cast<std::uint64_t>(version), 1) + le(0, 1) +
         le(header.size(), version == 1 ? 2 : 4) + header + items;
}

std::string npy_of(const std::string& type, const std::string& shape, const std::string& items,
                   const std::string& order = "False") {
  return npy(
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}  \n", type, order, shape),
      items);
}

TEST(Npy, ReadsTheGoldenFiles) {
  const Tensors v1 = read(golden("golden.npy"));
  EXPECT_EQ(names(v1), Words{""});
  EXPECT_EQ(v1.tensors[0].shape, (Shape{2, 3}));
  EXPECT_EQ(v1.tensors[0].values, test::kWeight);
  const Tensors v2 = read(golden("golden_v2.npy"));  // >f8, Fortran order
  EXPECT_EQ(v2.tensors.at(0).shape, (Shape{2, 3}));
  EXPECT_EQ(v2.tensors[0].dtype, DType::float64);
  EXPECT_EQ(v2.tensors[0].values, test::kWeight);
  const Tensors v3 = read(golden("golden_v3.npy"));
  EXPECT_EQ(v3.tensors.at(0).dtype, DType::float16);
  EXPECT_EQ(v3.tensors[0].values, (Values{1, 2, 3}));
}

TEST(Npz, ReadsTheGoldenFiles) {
  for (const char* file : {"golden.npz", "golden_deflated.npz"}) {
    const Tensors all = read_zip(golden(file));
    EXPECT_EQ(names(all), (Words{"weight", "blocks.0.bias", "scalar"}));
    EXPECT_EQ(find(all, "weight").shape, (Shape{3, 2}));
    EXPECT_EQ(find(all, "weight").values, test::kTurned);
    EXPECT_EQ(find(all, "blocks.0.bias").values, test::kBias);
    EXPECT_EQ(find(all, "scalar").shape, Shape{});
    EXPECT_EQ(all.skipped, Words{"tensor 'steps': int64 is not read"});
  }
}

TEST(Npy, ReadsBothOrdersOfItemsAndOfBytes) {
  const auto values = [](const std::string& bytes) { return read(bytes).tensors.at(0).values; };
  EXPECT_EQ(values(npy_of("<f4", "(3, 2)", floats({1, 2, 3, 4, 5, 6}), "True")), test::kTurned);
  EXPECT_EQ(values(npy_of("<f4", "(2, 2, 2)", floats({0, 1, 2, 3, 4, 5, 6, 7}), "True")),
            (Values{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(values(npy_of(">f4", "(1,)", le(0x0000c03f, 4))), Values{1.5f});
  EXPECT_EQ(values(npy_of(">f2", "(1,)", le(0x003e, 2))), Values{1.5f});
  EXPECT_EQ(values(npy_of("<f8", "()", le(0x3ff8000000000000, 8))), Values{1.5f});
  EXPECT_EQ(values(npy_of("<f4", "(0, 5)", "", "True")), Values{});
}

TEST(Npy, ReadsHeadersAsOthersWriteThem) {
  for (const char* header : {"{'shape':(1,),'descr':'<f4','fortran_order':False}",
                             "{\"shape\": (1L,), \"descr\": \"<f4\", \"fortran_order\": True, }",
                             "  { 'descr' : '<f4' , 'shape' : ( 1 ) , 'fortran_order' : False }\n"})
    EXPECT_EQ(read(npy(header, floats({4}))).tensors.at(0).values, Values{4}) << header;
}

TEST(Npy, SkipsOtherTypesWithAWord) {
  const auto word = [](const std::string& type) {
    return read(npy_of(type, "(1,)", "12345678")).skipped.at(0);
  };
  EXPECT_EQ(word("<i8"), "tensor '': int64 is not read");
  EXPECT_EQ(word("|u1"), "tensor '': uint8 is not read");
  EXPECT_EQ(word("|b1"), "tensor '': bool is not read");
  EXPECT_EQ(word("<c8"), "tensor '': complex64 is not read");
  EXPECT_EQ(word("<f16"), "tensor '': float128 is not read");
  EXPECT_EQ(word("|O"), "tensor '': an array of Python objects is not read");
  EXPECT_EQ(word("<M8[ns]"), "tensor '': type '<M8[ns]' is not read");
  EXPECT_EQ(word(""), "tensor '': type '' is not read");
  EXPECT_EQ(read(npy("{'descr': [('a', '<f4')], 'fortran_order'")).skipped.at(0),
            "tensor '': type 'records' is not read");
}

TEST(Npy, WritesWhatItReads) {
  for (const Tensor& tensor : {
           Tensor{"", {2, 3}, DType::float32, {1, -0.0f, 3.25f, 1e-40f, INFINITY, -6}},
           Tensor{"", {2}, DType::float64, {0.1f, 2}},
           Tensor{"", {1, 2}, DType::float16, {0.5f, 65504}},
           Tensor{"", {}, DType::float32, {9}},
           Tensor{"", {0, 4}, DType::float32, {}},
       }) {
    const std::string written = to_npy(tensor);
    EXPECT_EQ((written.size() - tensor.values.size() * item_size(tensor.dtype)) % 64, 0u);
    const Tensors all = read(written);
    EXPECT_EQ(all.tensors.at(0).shape, tensor.shape);
    EXPECT_EQ(all.tensors[0].dtype, tensor.dtype);
    EXPECT_EQ(all.tensors[0].values, tensor.values);
  }
  EXPECT_EQ(to_npy({"", {2, 3}, DType::float32, test::kWeight}), golden("golden.npy"));
}

TEST(Npz, WritesWhatItReads) {
  const std::vector<Tensor> tensors{{"a/b", {2}, DType::float32, {1, 2}},
                                    {"brain", {1}, DType::bfloat16, {-3}},
                                    {"", {}, DType::float64, {9}}};
  const Tensors all = read_zip(to_npz(tensors));
  EXPECT_EQ(names(all), (Words{"a/b", "brain", "arr_0"}));
  EXPECT_EQ(find(all, "brain").dtype, DType::float32);
  EXPECT_EQ(find(all, "brain").values, Values{-3});
  const std::vector<Tensor> twins{tensors[0], tensors[0]};
  EXPECT_TRUE(says(thrown_by([&] { to_npz(twins); }), "two tensors"));
}

// ------------------------------------------------------------------------------------- bad input

TEST(Npy, RefusesHeadersOfAnotherForm) {
  for (const char* header : {
           "",
           "{",
           "{}",
           "[]",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': ((1,),)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os').abort(),)}",
           "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': b'<f4', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
       })
    EXPECT_EQ(refusal(npy(header, floats({1}))).code(), ErrorCode::bad_format) << header;
}

TEST(Npy, RefusesHeaderBombsInLittleTime) {
  EXPECT_TRUE(says(refusal("\x93NUMPY" + le(2, 2) + le(0xffffffff, 4) + "{"), "cut short"));
  const std::string many(1'000'000, '(');
  for (const std::string& header :
       {many, "{'shape': " + many, "{'shape': (" + std::string(1'000'000, '9') + ",)}",
        "{" + std::string(1'000'000, ' '), "{'" + std::string(1'000'000, 'x') + "': 1}"})
    EXPECT_THROW(read(npy(header, "", 2)), Error);
  std::string shape;
  for (int i = 0; i < 100'000; ++i) shape += "1,";
  EXPECT_TRUE(says(refusal(npy("{'shape': (" + shape + ")}", "", 3)), "64 dimensions"));
}

TEST(Npy, RefusesSizesThatDoNotFit) {
  for (const char* shape : {"(2,)", "(0,)", "(1, 2)", "(3,)"})
    EXPECT_TRUE(says(refusal(npy_of("<f4", shape, floats({1}))), "4 follow the header")) << shape;
  for (const char* shape : {"(4611686018427387904,)", "(4294967296, 4294967296)",
                            "(99999999999999999999,)", "(4611686018427387904, 8, 0)"}) {
    const Error error = refusal(npy_of("<f4", shape, floats({1})));
    EXPECT_EQ(error.code(), ErrorCode::too_large) << error.what();
  }
}

TEST(Npy, RefusesUnknownVersions) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
  for (const int version : {0, 4, 255})
    EXPECT_TRUE(says(refusal(npy(header, floats({1}), version)), "1 to 3 are known"));
  EXPECT_TRUE(says(refusal("hello"), "does not start with"));
}

// Each entry by itself might be honest; together they are not.
TEST(Npz, RefusesZipBombs) {
  const std::uint64_t size = 40 << 20;
  const std::string zeros = npy_of("<f4", fmt::format("({},)", size / 4), std::string(size, '\0'));
  const std::string one = zip_of({{.name = "a.npy", .content = zeros, .deflated = true}});
  EXPECT_EQ(read_zip(one).tensors.at(0).values.size(), size / 4);
  const std::string two = zip_of({{.name = "a.npy", .content = zeros, .deflated = true},
                                  {.name = "b.npy", .content = zeros, .deflated = true}});
  EXPECT_LT(two.size(), 200'000u);
  EXPECT_TRUE(says(thrown_by([&] { read_zip(two); }), "more than")) << two.size();
}

TEST(Npz, NamesWhatIsNoArray) {
  const Tensors all =
      read_zip(zip_of({{.name = "readme.txt", .content = "?"},
                       {.name = "a.npy", .content = npy_of("<f4", "(1,)", floats({1}))}}));
  EXPECT_EQ(names(all), Words{"a"});
  EXPECT_EQ(all.skipped, Words{"entry 'readme.txt': no .npy"});
  const std::string broken = zip_of({{.name = "a.npy", .content = "?"}});
  const Error error = thrown_by([&] { read_zip(broken); });
  EXPECT_EQ(error.where().tensor, "a");
  EXPECT_TRUE(says(thrown_by([] { read_zip(zip_of({})); }), "empty archive"));
}

TEST(Npy, RefusesEveryPrefix) {
  for (const char* file : {"golden.npy", "golden_v2.npy", "golden_v3.npy"})
    test::expect_every_prefix_refused(golden(file), [](Bytes bytes) { return read(bytes); });
  for (const char* file : {"golden.npz", "golden_deflated.npz"})
    test::expect_every_prefix_refused(golden(file), [](Bytes bytes) { return read_zip(bytes); });
}

TEST(Npy, SurvivesEveryFlippedByte) {
  for (const char* file : {"golden.npy", "golden_v2.npy", "golden_v3.npy"})
    EXPECT_GT(test::refusals_of_flipped_bytes(golden(file), [](Bytes b) { return read(b); }), 200u);
  for (const char* file : {"golden.npz", "golden_deflated.npz"})
    EXPECT_GT(test::refusals_of_flipped_bytes(golden(file), [](Bytes b) { return read_zip(b); }),
              2 * golden(file).size());
}

TEST(Npy, GivesWholeNumbersToWhoAsks) {
  const auto npy = [](const std::string& type, const std::string& items) {
    const std::string header =
        "{'descr': '" + type + "', 'fortran_order': True, 'shape': (2, 2), }\n";
    return "\x93NUMPY\1" + test::le(0, 1) + test::le(header.size(), 2) + header + items;
  };
  const std::string bytes = npy("|i1", std::string("\1\2\3\xff", 4));
  EXPECT_TRUE(read_npy(bytes_of(bytes), "f").tensors.empty());
  const Tensors all = read_npy(bytes_of(bytes), "f", Take::numbers);
  ASSERT_EQ(all.tensors.size(), 1u);
  EXPECT_EQ(all.tensors[0].values, (std::vector<float>{1, 3, 2, -1}));
  EXPECT_THROW(read_npy(bytes_of(npy("<i8", "123")), "f", Take::numbers), Error);
  EXPECT_TRUE(
      read_npy(bytes_of(npy(">u4", std::string(16, '\xff'))), "f", Take::numbers).tensors.empty());
}

}  // namespace
}  // namespace humpty::io
