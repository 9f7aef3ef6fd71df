// What torch.save wrote before 1.6, and TorchScript's archives.
#include <gtest/gtest.h>

#include "io/builders.hpp"
#include "io/golden.hpp"
#include "io/hostile.hpp"
#include "io/thrown.hpp"
#include "io/torch.hpp"

namespace humpty::io {
namespace {

using test::find;
using test::floats;
using test::global;
using test::golden;
using test::integer;
using test::le;
using test::names;
using test::pickle;
using test::pickle_of_tensor;
using test::says;
using test::Shape;
using test::text;
using test::thrown_by;
using test::tuple;
using test::Values;
using test::zip_of;
using Words = std::vector<std::string>;

Tensors read(Bytes bytes) { return read_torch(bytes, "f.pt"); }
Tensors read(const std::string& bytes) { return read(bytes_of(bytes)); }

Error refusal(const std::string& bytes) {
  return thrown_by([&] { read(bytes); });
}

const std::string kMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

std::string legacy(const std::string& object, const std::string& keys, const std::string& rest,
                   std::uint64_t version = 1001) {
  return kMagic + pickle(integer(version)) + pickle("}") + pickle(object) +
         pickle("](" + keys + "e") + rest;
}

// A tensor of two items from the middle of a storage of four, through a view.
std::string viewed(std::uint64_t start, std::uint64_t items, std::uint64_t offset) {
  return global("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") +
         global("torch", "FloatStorage") + text("0") + text("cpu") + integer(4) + "(" + text("v") +
         integer(start) + integer(items) + "ttQ" + integer(offset) + tuple({2}) + tuple({1}) +
         "\x89" + global("collections", "OrderedDict") + ")RtR";
}

TEST(LegacyTorch, ReadsTheGoldenFile) {
  const Tensors all = read(golden("golden_legacy.pt"));
  EXPECT_EQ(names(all), (Words{"weight", "bias", "turned"}));
  EXPECT_EQ(find(all, "weight").values, test::kWeight);
  EXPECT_EQ(find(all, "bias").values, test::kBias);
  EXPECT_EQ(find(all, "bias").dtype, DType::float16);
  EXPECT_EQ(find(all, "turned").shape, (Shape{3, 2}));
  EXPECT_EQ(find(all, "turned").values, test::kTurned);
  EXPECT_EQ(all.skipped, Words{"tensor 'steps': int64 is not read"});
}

TEST(LegacyTorch, FollowsViewsOfStorages) {
  const std::string storage = le(4, 8) + floats({1, 2, 3, 4});
  EXPECT_EQ(read(legacy(viewed(1, 2, 0), text("0"), storage)).tensors.at(0).values, (Values{2, 3}));
  EXPECT_EQ(read(legacy(viewed(1, 3, 1), text("0"), storage)).tensors.at(0).values, (Values{3, 4}));
  for (const std::string& bad : {viewed(1, 2, 1), viewed(3, 2, 0), viewed(~0ull, 2, 0),
                                 viewed(1ull << 62, 1ull << 62, 0), viewed(0, 1, 0)})
    EXPECT_THROW(read(legacy(bad, text("0"), storage)), Error);
}

TEST(LegacyTorch, RefusesStoragesThatAreNotAsDescribed) {
  const std::string object = pickle_of_tensor({.shape = {2}, .items = 2});
  const std::string storage = le(2, 8) + floats({1, 2});
  EXPECT_EQ(read(legacy(object, text("0"), storage)).tensors.at(0).values, (Values{1, 2}));
  const auto refused = [&](const std::string& keys, const std::string& rest, const char* words) {
    const Error error = refusal(legacy(object, keys, rest));
    EXPECT_TRUE(says(error, words)) << error.what();
  };
  refused(text("0"), le(3, 8) + floats({1, 2, 3}), "holds 3 items, but its pickle says 2");
  refused(text("0"), le(2, 8) + floats({1}), "cut short");
  refused(text("0"), "", "cut short");
  refused(text("1"), storage, "lists storage '1'");
  refused(text("0") + text("0"), storage + storage, "or twice");
  refused("N", storage, "lists storage ''");
  refused("", storage, "does not list every storage");
  EXPECT_TRUE(says(refusal(legacy(object, text("0"), storage, 1000)), "not 1001"));
}

TEST(LegacyTorch, RefusesHugeStorages) {
  for (const std::uint64_t items : {1ull << 61, 1ull << 62, ~0ull}) {
    const std::string object = pickle_of_tensor({.shape = {1}, .items = items});
    EXPECT_THROW(read(legacy(object, text("0"), le(items, 8) + floats({1}))), Error);
  }
}

TEST(LegacyTorch, RefusesForbiddenGlobals) {
  const std::string call = global("os", "system") + "(" + text("true") + "tR";
  EXPECT_EQ(refusal(legacy(call, "", "")).code(), ErrorCode::unsafe);
  EXPECT_EQ(refusal(kMagic + pickle(call)).code(), ErrorCode::unsafe);
  const Error module =
      refusal(legacy(global("torch.nn.modules.linear", "Linear") + ")\x81", "", ""));
  EXPECT_TRUE(says(module, "save model.state_dict() instead")) << module.what();
}

TEST(LegacyTorch, RefusesEveryPrefix) {
  test::expect_every_prefix_refused(golden("golden_legacy.pt"), [](Bytes b) { return read(b); });
}

TEST(LegacyTorch, SurvivesEveryFlippedByte) {
  const std::string whole = golden("golden_legacy.pt");
  EXPECT_GT(test::refusals_of_flipped_bytes(whole, [](Bytes b) { return read(b); }), whole.size());
}

// ----------------------------------------------------------------------------------- TorchScript

std::string script(const std::string& object, const std::string& constants = ")") {
  return zip_of({{.name = "x/data.pkl", .content = pickle(object)},
                 {.name = "x/code/__torch__.py", .content = "import os"},
                 {.name = "x/constants.pkl", .content = pickle(constants)},
                 {.name = "x/data/0", .content = floats({1})},
                 {.name = "x/constants/0", .content = floats({2})}});
}

std::string module_of(const std::string& members) {
  return global("__torch__", "Net") + ")\x81}(" + members + "ub";
}

TEST(TorchScript, ReadsTheGoldenFiles) {
  const Tensors all = read(golden("golden_script.pt"));
  EXPECT_EQ(names(all), (Words{"extra.0", "inp.weight", "inp.bias"}));
  EXPECT_EQ(find(all, "extra.0").values, Values{9});
  EXPECT_EQ(find(all, "inp.weight").shape, (Shape{2, 3}));
  EXPECT_EQ(find(all, "inp.weight").values, test::kWeight);
  EXPECT_EQ(find(all, "inp.bias").values, test::kBias);
  const Tensors frozen = read(golden("golden_frozen.pt"));
  EXPECT_EQ(names(frozen), (Words{"constants.0", "constants.1"}));
  EXPECT_EQ(frozen.tensors[0].values, test::kWeight);
}

TEST(TorchScript, KeepsConstantsApart) {
  const std::string tensor = pickle_of_tensor({.shape = {1}, .items = 1});
  const Tensors all = read(script(module_of(text("w") + tensor), tensor + "\x85"));
  EXPECT_EQ(names(all), (Words{"w", "constants.0"}));
  EXPECT_EQ(find(all, "w").values, Values{1});
  EXPECT_EQ(find(all, "constants.0").values, Values{2});
}

TEST(TorchScript, OpensNoOtherClasses) {
  const std::string tensor = pickle_of_tensor({.shape = {1}, .items = 1});
  const std::string members = text("w") + tensor;
  for (const auto& [module, name] :
       {std::pair("os", "system"), std::pair("__torch_", "Net"), std::pair("__torch__x", "Net"),
        std::pair("torch.nn.modules.linear", "Linear")}) {
    const Error error = refusal(script(global(module, name) + ")\x81}(" + members + "ub"));
    EXPECT_EQ(error.code(), ErrorCode::unsafe) << error.what();
  }
  EXPECT_EQ(refusal(test::pth_of(pickle(module_of(members)), {floats({1})})).code(),
            ErrorCode::unsafe);  // no constants.pkl: no TorchScript
  EXPECT_EQ(refusal(script(global("__torch__", "Net") + "N\x85\x81")).code(), ErrorCode::unsafe);
  EXPECT_EQ(refusal(script(global("torch", "FloatStorage") + ")\x81")).code(), ErrorCode::unsafe);
  EXPECT_THROW(read(script(module_of(members) + "}b")), Error);  // its state a second time
}

TEST(TorchScript, RefusesModulesWithinThemselves) {
  const std::string self = global("__torch__", "Net") + ")\x81q\1h\1b";
  EXPECT_EQ(refusal(script(self)).code(), ErrorCode::too_large);
  const std::string tagged =
      global("torch.jit._pickle", "restore_type_tag") + "]q\1h\1a" + text("List[Any]") + "\x86R";
  EXPECT_EQ(refusal(script(tagged)).code(), ErrorCode::too_large);
}

TEST(TorchScript, RefusesEveryPrefix) {
  test::expect_every_prefix_refused(golden("golden_frozen.pt"), [](Bytes b) { return read(b); });
}

TEST(TorchScript, SurvivesEveryFlippedByte) {
  const std::string whole = golden("golden_script.pt");
  EXPECT_GT(test::refusals_of_flipped_bytes(whole, [](Bytes b) { return read(b); }), whole.size());
}

}  // namespace
}  // namespace humpty::io
