#include "io/torch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/builders.hpp"
#include "io/hostile.hpp"
#include "io/thrown.hpp"
#include "shared.hpp"

namespace humpty::io {
namespace {

using test::floats;
using test::global;
using test::integer;
using test::le;
using test::pickle;
using test::pickle_of_dict;
using test::pickle_of_tensor;
using test::pth_of;
using test::says;
using test::text;
using test::thrown_by;
using Shape = std::vector<std::uint64_t>;
using Values = std::vector<float>;

Tensors read(const std::string& bytes) { return read_torch(bytes_of(bytes), "f.pth"); }

Tensor only(const std::string& bytes) {
  Tensors all = read(bytes);
  EXPECT_EQ(all.tensors.size(), 1u);
  return all.tensors.at(0);
}

Error refusal(const std::string& bytes) {
  return thrown_by([&] { read(bytes); });
}

// Made by torch 1.13: torch.save(OrderedDict(
//   weight=torch.tensor([[1., 2, 3], [4, 5, 6]]).t(),
//   bias=torch.tensor([0.5, -2], dtype=torch.float16), steps=torch.tensor(7)), "golden.pth")
TEST(Torch, ReadsTheGoldenFile) {
  const Tensors all = read_torch(HUMPTY_SOURCE_DIR "/tests/io/data/golden.pth");
  ASSERT_EQ(all.tensors.size(), 2u);
  EXPECT_EQ(all.tensors[0].name, "weight");
  EXPECT_EQ(all.tensors[0].shape, (Shape{3, 2}));
  EXPECT_EQ(all.tensors[0].dtype, DType::float32);
  EXPECT_EQ(all.tensors[0].values, (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(all.tensors[1].name, "bias");
  EXPECT_EQ(all.tensors[1].dtype, DType::float16);
  EXPECT_EQ(all.tensors[1].values, (Values{0.5f, -2}));
  ASSERT_EQ(all.skipped.size(), 1u);
  EXPECT_EQ(all.skipped[0], "tensor 'steps': int64 is not read");
}

TEST(Torch, ReadsAPublishedPiece) {
  HUMPTY_NEEDS(test::jane_street());
  const Tensors all = read_torch(test::jane_street() + "/pieces/piece_0.pth");
  ASSERT_EQ(all.tensors.size(), 2u);
  EXPECT_EQ(all.tensors[0].shape, (Shape{96, 48}));
  EXPECT_EQ(all.tensors[1].shape, (Shape{96}));
  for (const Tensor& tensor : all.tensors)
    for (const float value : tensor.values) ASSERT_TRUE(std::isfinite(value));
}

TEST(Torch, ReadsWhateverTheDevice) {
  const std::string bytes =
      pth_of(pickle_of_dict({{.shape = {2}, .items = 2, .device = "cuda:7"}}), {floats({1, 2})});
  EXPECT_EQ(only(bytes).values, (Values{1, 2}));
}

TEST(Torch, FollowsStridesAndOffsets) {
  const std::string storage = floats({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto values = [&](Shape shape, Shape strides, std::uint64_t offset) {
    return only(pth_of(pickle_of_dict(
                           {{.shape = shape, .strides = strides, .items = 12, .offset = offset}}),
                       {storage}))
        .values;
  };
  EXPECT_EQ(values({2, 3}, {3, 1}, 6), (Values{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(values({3, 2}, {1, 3}, 0), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values({2, 2}, {6, 2}, 1), (Values{1, 3, 7, 9}));
  EXPECT_EQ(values({2, 3}, {0, 1}, 4), (Values{4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(values({1, 4}, {99, 1}, 8), (Values{8, 9, 10, 11}));
  EXPECT_EQ(values({2, 1, 2}, {2, 500, 1}, 0), (Values{0, 1, 2, 3}));
  EXPECT_EQ(values({2, 2, 3}, {3, 6, 1}, 0), (Values{0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}));
}

TEST(Torch, ReadsScalarsAndEmptyTensors) {
  const Tensors all = read(pth_of(pickle_of_dict({{.name = "scalar", .items = 1},
                                                  {.name = "empty", .shape = {0, 5}, .key = "1"}}),
                                  {floats({3})}));
  EXPECT_EQ(all.tensors[0].shape, Shape{});
  EXPECT_EQ(all.tensors[0].values, Values{3});
  EXPECT_EQ(all.tensors[1].shape, (Shape{0, 5}));
  EXPECT_EQ(all.tensors[1].values, Values{});
}

TEST(Torch, SharesStorages) {
  const Tensors all =
      read(pth_of(pickle_of_dict({{.name = "a", .shape = {2}, .items = 4},
                                  {.name = "b", .shape = {2}, .items = 4, .offset = 2},
                                  {.name = "c", .shape = {4}, .items = 4}}),
                  {floats({1, 2, 3, 4})}));
  EXPECT_EQ(all.tensors[0].values, (Values{1, 2}));
  EXPECT_EQ(all.tensors[1].values, (Values{3, 4}));
  EXPECT_EQ(all.tensors[2].values, (Values{1, 2, 3, 4}));
}

TEST(Torch, ReadsEveryFloatType) {
  const auto read_as = [](const char* storage, const std::string& items) {
    return only(pth_of(pickle_of_dict({{.shape = {1}, .items = 1, .storage = storage}}), {items}));
  };
  EXPECT_EQ(read_as("DoubleStorage", le(0x3ff8000000000000, 8)).values, Values{1.5f});
  EXPECT_EQ(read_as("HalfStorage", le(0x3e00, 2)).values, Values{1.5f});
  EXPECT_EQ(read_as("BFloat16Storage", le(0x3fc0, 2)).values, Values{1.5f});
  EXPECT_EQ(read_as("BFloat16Storage", le(0x3fc0, 2)).dtype, DType::bfloat16);
}

TEST(Torch, SkipsOtherTypesWithAWord) {
  const Tensors all = read(pth_of(
      pickle_of_dict({{.name = "i", .shape = {1}, .items = 1, .storage = "LongStorage"},
                      {.name = "b", .shape = {1}, .items = 1, .key = "1", .storage = "BoolStorage"},
                      {.name = "f", .shape = {1}, .items = 1, .key = "2"}}),
      {le(1, 8), le(1, 1), floats({2})}));
  EXPECT_EQ(all.tensors.size(), 1u);
  EXPECT_EQ(all.skipped, (std::vector<std::string>{"tensor 'i': int64 is not read",
                                                   "tensor 'b': bool is not read"}));
}

TEST(Torch, KnowsTheByteOrder) {
  const std::string stored = pickle_of_dict({{.shape = {1}, .items = 1}});
  const auto read_in = [&](const std::string& order) {
    return read(test::zip_of({{.name = "x/data.pkl", .content = stored},
                              {.name = "x/byteorder", .content = order},
                              {.name = "x/data/0", .content = le(0x0000c03f, 4)}}))
        .tensors.at(0)
        .values;
  };
  EXPECT_EQ(read_in("big"), Values{1.5f});
  EXPECT_NE(read_in("little"), Values{1.5f});
  EXPECT_TRUE(says(thrown_by([&] { read_in("middle"); }), "byte order 'middle'"));
}

TEST(Torch, ReadsCompressedArchives) {
  const std::string content = floats(Values(1000, 2.5f));
  const std::string stored = pickle_of_dict({{.shape = {1000}, .items = 1000}});
  const Tensor tensor =
      only(test::zip_of({{.name = "x/data.pkl", .content = stored, .deflated = true},
                         {.name = "x/data/0", .content = content, .deflated = true}}));
  EXPECT_EQ(tensor.values, Values(1000, 2.5f));
}

TEST(Torch, JoinsNestedNames) {
  const std::string tensor = pickle_of_tensor({.shape = {1}, .items = 1});
  const std::string inner = "}(" + text("a") + tensor + integer(7) + tensor + "u";
  const std::string list = "](" + tensor + "N" + tensor + "e";
  const Tensors all = read(pth_of(
      pickle("}(" + text("model") + inner + text("epoch") + "K\3" + text("list") + list + "u"),
      {floats({1})}));
  std::vector<std::string> names;
  for (const Tensor& each : all.tensors) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"model.a", "model.7", "list.0", "list.2"}));
}

TEST(Torch, ReadsBareTensorsAndParameters) {
  const std::string tensor = pickle_of_tensor({.shape = {1}, .items = 1});
  EXPECT_EQ(only(pth_of(pickle(tensor), {floats({4})})).name, "");
  const std::string parameter = global("torch._utils", "_rebuild_parameter") + tensor + "\x88" +
                                global("collections", "OrderedDict") + ")R\x87R";
  EXPECT_EQ(only(pth_of(pickle(parameter), {floats({4})})).values, Values{4});
}

TEST(Torch, WritesWhatItReads) {
  const std::vector<Tensor> tensors{
      {"weight", {2, 3}, DType::float32, {1, -0.0f, 3.25f, 1e-40f, INFINITY, -6}},
      {"bias", {2}, DType::float64, {0.1f, 2}},
      {"half", {1, 2}, DType::float16, {0.5f, 65504}},
      {"brain", {1}, DType::bfloat16, {-3}},
      {"scalar", {}, DType::float32, {9}},
      {"empty", {0, 4}, DType::float32, {}},
  };
  const Tensors all = read(to_torch(tensors));
  ASSERT_EQ(all.tensors.size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(all.tensors[i].name, tensors[i].name);
    EXPECT_EQ(all.tensors[i].shape, tensors[i].shape);
    EXPECT_EQ(all.tensors[i].dtype, tensors[i].dtype);
    EXPECT_EQ(all.tensors[i].values, tensors[i].values);
  }
  EXPECT_TRUE(std::signbit(all.tensors[0].values[1]));
}

// ------------------------------------------------------------------------------------- bad input

TEST(Torch, RefusesTensorsLargerThanTheirStorage) {
  for (const test::PickledTensor& tensor :
       {test::PickledTensor{.shape = {2, 4}, .items = 6},
        test::PickledTensor{.shape = {2, 3}, .items = 6, .offset = 1},
        test::PickledTensor{.shape = {2, 3}, .strides = {4, 1}, .items = 6},
        test::PickledTensor{.shape = {1}, .items = 6, .offset = 6}}) {
    const Error error = refusal(pth_of(pickle_of_dict({tensor}), {floats(Values(6))}));
    EXPECT_EQ(error.code(), ErrorCode::bad_format);
    EXPECT_EQ(error.where().tensor, "weight");
    EXPECT_TRUE(says(error, "bytes, but its storage '0' holds 24")) << error.what();
  }
}

TEST(Torch, RefusesSizesThatOverflow) {
  const std::uint64_t huge = 1ull << 62;
  for (const test::PickledTensor& tensor :
       {test::PickledTensor{.shape = {huge}, .items = 1},
        test::PickledTensor{.shape = {1ull << 32, 1ull << 32}, .items = 1},
        test::PickledTensor{.shape = {huge, huge, 0}, .strides = {1, 1, 1}, .items = 1},
        test::PickledTensor{.shape = {3}, .strides = {1ull << 63}, .items = 1},
        test::PickledTensor{.shape = {2, 2}, .strides = {huge * 3, huge}, .items = 1},
        test::PickledTensor{.shape = {1}, .items = huge},
        test::PickledTensor{.shape = {1}, .items = ~0ull},
        test::PickledTensor{.shape = {2}, .strides = {1}, .items = 1, .offset = ~0ull}}) {
    const Error error = refusal(pth_of(pickle_of_dict({tensor}), {floats({1})}));
    EXPECT_EQ(error.code(), ErrorCode::too_large) << error.what();
    EXPECT_EQ(error.where().tensor, "weight");
  }
}

TEST(Torch, RefusesStoragesOfAnotherSize) {
  const std::string stored = pickle_of_dict({{.shape = {2}, .items = 2}});
  EXPECT_TRUE(says(refusal(pth_of(stored, {floats({1})})), "holds 4 bytes, but its pickle says 8"));
  EXPECT_TRUE(says(refusal(pth_of(stored, {floats({1, 2, 3})})), "holds 12 bytes"));
  EXPECT_TRUE(says(refusal(pth_of(stored)), "no entry for storage '0'"));
}

// The archive is consistent, but what is inflated is more than the tensor needs.
TEST(Torch, RefusesToInflateMoreThanTheTensorNeeds) {
  const std::uint64_t items = 1 << 20;
  const std::string bomb = test::zip_of(
      {{.name = "x/data.pkl", .content = pickle_of_dict({{.shape = {2}, .items = items}})},
       {.name = "x/data/0", .content = std::string(items * 4, '\0'), .deflated = true}});
  EXPECT_LT(bomb.size(), 10000u);
  EXPECT_TRUE(says(refusal(bomb), "more than the 8 that are needed")) << refusal(bomb).what();
}

TEST(Torch, RefusesToInflateAPickleThousandfold) {
  const std::string bomb = test::zip_of({{.name = "x/data.pkl",
                                          .content = pickle("](" + std::string(1000000, 'N') + "e"),
                                          .deflated = true}});
  EXPECT_TRUE(says(refusal(bomb), "holds 1000006 bytes, more than")) << refusal(bomb).what();
}

TEST(Torch, RefusesTensorsThatRepeatTheirStorageWithoutEnd) {
  const Error error =
      refusal(pth_of(pickle_of_dict({{.shape = {1 << 20, 1 << 20}, .strides = {0, 0}, .items = 1}}),
                     {floats({1})}));
  EXPECT_EQ(error.code(), ErrorCode::too_large);
}

TEST(Torch, RefusesForbiddenGlobals) {
  const Error error = refusal(test::pth_that_calls("os", "system"));
  EXPECT_EQ(error.code(), ErrorCode::unsafe);
  EXPECT_EQ(error.where().file, "f.pth");
  EXPECT_EQ(error.where().offset, 2u);
  EXPECT_TRUE(says(error, "'os.system'")) << error.what();
}

TEST(Torch, RefusesDictsWithinThemselves) {
  EXPECT_EQ(refusal(pth_of(pickle("}q\1" + text("a") + "h\1s"))).code(), ErrorCode::too_large);
  std::string opcodes = "}q" + le(0, 1);  // 2⁴⁰ paths, none deep
  for (unsigned level = 0; level < 40; ++level) {
    const std::string below{'h', static_cast<char>(level)};
    opcodes += "}(" + text("a") + below + text("b") + below + "uq" + le(level + 1, 1);
  }
  for (int level = 0; level < 40; ++level) opcodes += "\x86";
  EXPECT_EQ(refusal(pth_of(pickle(opcodes))).code(), ErrorCode::too_large);
}

TEST(Torch, RefusesOddDescriptions) {
  const auto bad = [](const std::string& opcodes) {
    return refusal(pth_of(pickle(opcodes), {floats({1})})).code();
  };
  const std::string tensor = pickle_of_tensor({.shape = {1}, .items = 1});
  EXPECT_EQ(bad("}"), ErrorCode::bad_format);                           // nothing in it
  EXPECT_EQ(bad("}N" + tensor + "s"), ErrorCode::bad_format);           // a key that is no name
  EXPECT_EQ(bad("}(" + text("a") + tensor + text("a") + tensor + "u"),  // the same name twice
            ErrorCode::bad_format);
  EXPECT_EQ(bad(global("torch._utils", "_rebuild_tensor_v2") + ")R"), ErrorCode::bad_format);
  EXPECT_EQ(bad(global("torch._utils", "_rebuild_parameter") + "N\x85R"), ErrorCode::bad_format);
  EXPECT_EQ(bad(pickle_of_tensor({.shape = {1, 1}, .strides = {1}, .items = 1})),
            ErrorCode::bad_format);
  EXPECT_EQ(bad(pickle_of_tensor({.shape = Shape(65, 1), .items = 1})), ErrorCode::bad_format);
}

TEST(Torch, SaysWhatIsNoTorchFile) {
  EXPECT_TRUE(says(refusal(""), "is empty"));
  EXPECT_TRUE(says(refusal("hello"), "not a zip"));
  EXPECT_TRUE(says(refusal(test::zip_of({{.name = "a"}})), "without data.pkl"));
}

TEST(Torch, RefusesEveryPrefix) {
  for (const std::string& whole : {test::small_pth(), to_torch(read(test::small_pth()).tensors)})
    test::expect_every_prefix_refused(whole, [](Bytes bytes) { return read_torch(bytes, "f"); });
}

TEST(Torch, SurvivesEveryFlippedByte) {
  const std::string whole = test::small_pth();
  EXPECT_GT(
      test::refusals_of_flipped_bytes(whole, [](Bytes bytes) { return read_torch(bytes, "f"); }),
      2 * whole.size());
}

TEST(Torch, GivesWholeNumbersToWhoAsks) {
  const std::string pth =
      test::pth_of(test::pickle_of_dict({{.shape = {2}, .items = 2, .storage = "LongStorage"}}),
                   {test::le(7, 8) + test::le(~std::uint64_t{0}, 8)});
  EXPECT_TRUE(read_torch(bytes_of(pth), "f").tensors.empty());
  const Tensors all = read_torch(bytes_of(pth), "f", Take::numbers);
  ASSERT_EQ(all.tensors.size(), 1u);
  EXPECT_TRUE(all.tensors[0].whole);
  EXPECT_EQ(all.tensors[0].values, (std::vector<float>{7, -1}));
  const std::string large =
      test::pth_of(test::pickle_of_dict({{.shape = {1}, .items = 1, .storage = "LongStorage"}}),
                   {test::le(16777217, 8)});
  EXPECT_EQ(
      read_torch(bytes_of(large), "f", Take::numbers).skipped,
      std::vector<std::string>{"tensor 'weight': int64 beyond what float32 can hold is not read"});
}

}  // namespace
}  // namespace humpty::io
