#include "puzzle/layers.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "puzzle/biases.hpp"

namespace humpty::puzzle {
namespace {

using Shape = std::vector<std::uint64_t>;

Entry in_file(const std::string& file, const std::string& name, Shape shape) {
  return {file, name, std::move(shape)};
}
Entry tensor(const std::string& name, Shape shape) {
  return in_file("net.npz", name, std::move(shape));
}

// "id: weight+bias" of each layer, an apostrophe after those that were turned.
std::string found(const std::vector<Entry>& entries, bool transposed = false,
                  std::size_t features = 0) {
  std::vector<std::string> parts;
  for (const Layer& layer : find_layers(entries, transposed, features).layers)
    parts.push_back(fmt::format("{}: {}{}{}", layer.id, entries[layer.weight].name,
                                layer.turned ? "'" : "",
                                layer.bias ? "+" + entries[*layer.bias].name : ""));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> sources(const std::vector<Entry>& entries) {
  std::vector<std::string> all;
  for (const Layer& layer : find_layers(entries, false, 0).layers) all.push_back(layer.source);
  return all;
}

std::string notes(const std::vector<Entry>& entries) {
  return fmt::format("{}", fmt::join(find_layers(entries, false, 0).notes, "; "));
}

std::string refusal(const std::vector<Entry>& entries) {
  try {
    find_layers(entries, false, 0);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_shape);
    return error.what();
  }
  return "accepted";
}

TEST(Stem, IsTheNameWithoutWeightOrBias) {
  EXPECT_EQ(stem_of(tensor("blocks.3.inp.weight", {2, 2})), "blocks 3 inp");
  EXPECT_EQ(stem_of(tensor("blocks_3_inp_bias", {2})), "blocks 3 inp");
  EXPECT_EQ(stem_of(tensor("W12", {2, 2})), "12");
  EXPECT_EQ(stem_of(tensor("b12", {2})), "12");
  EXPECT_EQ(stem_of(tensor("dense_1/kernel:0", {2, 2})), "dense 1 0");
  EXPECT_EQ(stem_of(tensor("norm.weight", {2})), std::nullopt);  // a vector is no weight
  EXPECT_EQ(stem_of(tensor("a7f3", {2})), std::nullopt);
  EXPECT_EQ(stem_of(in_file("p/piece_3.pth", "weight", {2, 2})), "p piece 3");
  EXPECT_EQ(stem_of(in_file("p/w_3.npy", "", {2, 2})), "p 3");
  EXPECT_EQ(stem_of(in_file("p/b_3.npy", "", {2})), "p 3");
}

TEST(Layers, OneInEachFile) {
  const std::vector<Entry> entries{
      in_file("p_10.pth", "bias", {3}), in_file("p_10.pth", "weight", {3, 2}),
      in_file("p_9.pth", "anything", {2, 3}), in_file("p_9.pth", "else", {2})};
  EXPECT_EQ(found(entries), "9: anything+else, 10: weight+bias");
  EXPECT_EQ(sources(entries), (std::vector<std::string>{"p_9.pth", "p_10.pth"}));
  EXPECT_EQ(notes(entries), "");
}

TEST(Layers, SeveralInAFileGoByTheirNames) {
  const std::vector<Entry> entries{
      tensor("x.7.weight", {3, 2}), tensor("x.5.weight", {3, 2}), tensor("x.7.bias", {3}),
      tensor("x.5.bias", {3}),      tensor("x.6.weight", {2, 3}),
  };
  EXPECT_EQ(found(entries), "5: x.5.weight+x.5.bias, 6: x.6.weight, 7: x.7.weight+x.7.bias");
  EXPECT_EQ(sources(entries)[0], "net.npz: x.5.weight with x.5.bias");
  EXPECT_EQ(sources(entries)[1], "net.npz: x.6.weight");
  EXPECT_NE(notes(entries).find("2 by name"), std::string::npos) << notes(entries);
}

TEST(Layers, NamesCountForMoreThanFilesAsShardsAreCutAnywhere) {
  const std::vector<Entry> entries{in_file("s1", "a.weight", {3, 2}), in_file("s2", "a.bias", {3}),
                                   in_file("s2", "c.weight", {3, 2}), in_file("s3", "c.bias", {3})};
  EXPECT_EQ(found(entries), "1: a.weight+a.bias, 2: c.weight+c.bias");
  EXPECT_EQ(sources(entries)[0], "s1: a.weight with s2: a.bias");
}

TEST(Layers, FilesOfBareWeightsAndBiases) {
  const std::vector<Entry> entries{in_file("b_0.npy", "", {3}), in_file("b_1.npy", "", {3}),
                                   in_file("w_0.npy", "", {3, 2}), in_file("w_1.npy", "", {3, 2})};
  EXPECT_EQ(sources(entries),
            (std::vector<std::string>{"w_0.npy with b_0.npy", "w_1.npy with b_1.npy"}));
}

TEST(Layers, ALengthThatOccursOnceNeedsNoNames) {
  EXPECT_EQ(found({tensor("q", {3}), tensor("r", {5, 2}), tensor("s", {3, 2}), tensor("t", {5})}),
            "0: r+t, 1: s+q");
}

// As a state dict has them, whatever they are called.
TEST(Layers, AWeightIsFollowedByItsBiasWhereNamesAreSilent) {
  const std::vector<Entry> entries{tensor("z", {3, 2}), tensor("q", {3}), tensor("m", {3, 2}),
                                   tensor("a", {3})};
  EXPECT_EQ(found(entries), "0: m+a, 1: z+q");
  EXPECT_NE(notes(entries).find("2 by the order"), std::string::npos) << notes(entries);
}

// Some writers sort names as text: t10 stands before t2.
TEST(Layers, NumbersInTheNamesAreTheOrder) {
  EXPECT_EQ(found({tensor("t10", {3, 2}), tensor("t11", {3}), tensor("t2", {3, 2}),
                   tensor("t20", {3, 2}), tensor("t21", {3}), tensor("t3", {3})}),
            "2: t2+t3, 10: t10+t11, 20: t20+t21");
}

TEST(Layers, TheFirstBiasGoesWithTheFirstWeightWhereTheyStandApart) {
  EXPECT_EQ(found({tensor("arr_0", {3, 2}), tensor("arr_1", {2, 3}), tensor("arr_10", {3}),
                   tensor("arr_2", {3, 2}), tensor("arr_8", {3}), tensor("arr_9", {2})}),
            "0: arr_0+arr_8, 1: arr_1+arr_9, 2: arr_2+arr_10");
}

TEST(Layers, SomeMayHaveNoBias) {
  EXPECT_EQ(found({tensor("a.weight", {3, 2}), tensor("c.weight", {3, 2}), tensor("c.bias", {3})}),
            "0: a.weight, 1: c.weight+c.bias");
  EXPECT_EQ(found({tensor("q", {3, 2}), tensor("r", {3, 2}), tensor("s", {3})}), "0: q, 1: r+s");
  EXPECT_EQ(found({tensor("q", {3, 2}), tensor("r", {2, 3})}), "0: q, 1: r");
}

TEST(Layers, WhoseBiasItIsMustBeTold) {
  const std::string said = refusal({tensor("q", {3, 2}), tensor("s", {3}), tensor("r", {3, 2}),
                                    tensor("u", {3, 2}), tensor("v", {2, 3}), tensor("t", {3})});
  EXPECT_NE(said.find("3 weights have 3 outputs but only 2 vectors"), std::string::npos) << said;
}

TEST(Layers, AVectorOfNoWeightIsRefused) {
  EXPECT_NE(refusal({tensor("a.weight", {3, 2}), tensor("norm", {7})}).find("'norm'"),
            std::string::npos);
  EXPECT_NE(refusal({tensor("norm", {7})}).find("'norm' 7"), std::string::npos);
  EXPECT_NE(refusal({}).find("no tensor"), std::string::npos);
}

TEST(Layers, ScalarsAndCubesAreLeftOutAndSaid) {
  const std::vector<Entry> entries{tensor("a", {3, 2}), tensor("half", {}), tensor("c", {1, 2, 3}),
                                   tensor("none", {0, 2})};
  EXPECT_EQ(found(entries), "0: a");
  EXPECT_NE(notes(entries).find("'half' scalar, 'c' 1×2×3, 'none' 0×2"), std::string::npos)
      << notes(entries);
}

// ------------------------------------------------------------------------------- which way round

TEST(Transposed, ABiasOfTheSameNameTells) {
  EXPECT_EQ(found({tensor("p.weight", {2, 3}), tensor("p.bias", {3})}), "0: p.weight'+p.bias");
  EXPECT_EQ(found({tensor("p.weight", {2, 3}), tensor("p.bias", {2})}), "0: p.weight+p.bias");
}

TEST(Transposed, EachTensorByItself) {
  EXPECT_EQ(found({tensor("p.weight", {2, 3}), tensor("p.bias", {3}), tensor("q.weight", {2, 3}),
                   tensor("q.bias", {2})}),
            "0: p.weight'+p.bias, 1: q.weight+q.bias");
}

TEST(Transposed, WithoutBiasesTheShapesOfTheNetTell) {
  EXPECT_EQ(found({tensor("p1", {5, 8}), tensor("p2", {8, 5}), tensor("p3", {5, 1})}),
            "1: p1', 2: p2', 3: p3'");
  EXPECT_EQ(found({tensor("p1", {8, 5}), tensor("p2", {5, 8}), tensor("p3", {1, 5})}),
            "1: p1, 2: p2, 3: p3");
}

TEST(Transposed, TheNumberOfFeaturesTellsWhereTheHeadIsAsWideAsTheHiddenLayer) {
  const std::vector<Entry> entries{tensor("p1", {8, 5}), tensor("p2", {5, 8}),
                                   tensor("p3", {8, 5})};
  EXPECT_EQ(found(entries, false, 5), "1: p1, 2: p2, 3: p3");
  EXPECT_EQ(found(entries, false, 8), "1: p1', 2: p2', 3: p3'");
}

TEST(Transposed, WhereNothingTellsItIsSaidAndTheOptionDecides) {
  const std::vector<Entry> entries{tensor("p1", {5, 8}), tensor("p2", {8, 5}),
                                   tensor("p3", {5, 5})};
  EXPECT_EQ(found(entries), "1: p1, 2: p2, 3: p3");
  EXPECT_NE(notes(entries).find("--transposed"), std::string::npos) << notes(entries);
  EXPECT_EQ(found(entries, true), "1: p1', 2: p2', 3: p3'");
}

TEST(Transposed, TheFilesOwnGraphTells) {
  std::vector<Entry> entries{tensor("p1", {5, 8}), tensor("p2", {8, 5}), tensor("p3", {5, 5})};
  for (Entry& entry : entries) entry.use = io::Use{true, 0};
  EXPECT_EQ(found(entries), "1: p1', 2: p2', 3: p3'");
}

TEST(Transposed, ASquareWeightIsTurnedWithTheOthers) {
  EXPECT_EQ(found({tensor("p1.weight", {5, 8}), tensor("p1.bias", {8}), tensor("p2.weight", {8, 5}),
                   tensor("p2.bias", {5}), tensor("p3.weight", {5, 5}), tensor("p3.bias", {5})}),
            "1: p1.weight'+p1.bias, 2: p2.weight'+p2.bias, 3: p3.weight'+p3.bias");
}

// ---------------------------------------------------------------------------------------- numbers

TEST(Ids, AreTheNumbersInTheFilesOrElseInTheTensorsNames) {
  EXPECT_EQ(found({in_file("p_4.npz", "t9", {3, 2}), in_file("p_3.npz", "t8", {3, 2})}),
            "3: t8, 4: t9");
  EXPECT_EQ(found({in_file("p_4.npz", "t9", {3, 2}), in_file("p_4.npz", "t8", {3, 2})}),
            "8: t8, 9: t9");
}

TEST(Ids, ArePlacesInNaturalOrderWhereNumbersAreMissingOrTheSame) {
  const std::vector<Entry> entries{tensor("a10.fc1", {3, 2}), tensor("a9.fc1", {3, 2}),
                                   tensor("a9.fc2", {2, 3})};
  EXPECT_EQ(found(entries), "0: a9.fc1, 1: a9.fc2, 2: a10.fc1");
  EXPECT_NE(notes(entries).find("natural order"), std::string::npos) << notes(entries);
  EXPECT_EQ(found({in_file("x_3.npy", "", {3, 2}), in_file("y_3.npy", "", {2, 3})}), "0: , 1: ");
}

}  // namespace
}  // namespace humpty::puzzle
