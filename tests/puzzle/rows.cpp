#include "puzzle/rows.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace humpty::puzzle {
namespace {

using Names = std::vector<std::string>;
using Floats = std::vector<float>;

Data table(Names names, Floats row) {
  return {{"rows.csv", std::move(names), {1, row.size(), row}}, false};
}

Names notes;  // of the last call

Rows rows_of(const Data& data, const std::string& target = "pred",
             const std::string& features = "") {
  notes.clear();
  return to_rows(data, {target, features}, notes);
}

std::string refusal(const Data& data, const std::string& target = "pred",
                    const std::string& features = "") {
  try {
    rows_of(data, target, features);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

Data arrays(std::vector<io::NamedArray> found) {
  notes.clear();
  return {to_table({"rows.npz", std::move(found), {}}, notes), true};
}

TEST(Rows, FeaturesGoByTheirNumbersWhereverTheyStand) {
  const Rows rows =
      rows_of(table({"m_10", "pred", "m_2", "true", "m_0"}, {10, -1, 2, -2, 0}), "pred");
  EXPECT_EQ(rows.features.values, (std::vector<float>{0, 2, 10}));
  EXPECT_EQ(rows.target.values, (std::vector<float>{-1}));
  EXPECT_EQ(rows.feature_names, (std::vector<std::string>{"m_0", "m_2", "m_10"}));
}

TEST(Rows, FeaturesWithoutDistinctNumbersStayInPlace) {
  const Rows rows = rows_of(table({"z", "a_1", "b_1", "pred"}, {1, 2, 3, 4}), "pred");
  EXPECT_EQ(rows.feature_names, (std::vector<std::string>{"z", "a_1", "b_1"}));
}

TEST(Rows, SeveralTargetsGoByTheirNumbers) {
  const Rows rows = rows_of(
      table({"pred_1", "x0", "true_0", "pred_0", "pred_10", "predator"}, {1, 5, 9, 0, 10, 7}),
      "pred");
  EXPECT_EQ(rows.target.values, (std::vector<float>{0, 1, 10}));
  EXPECT_EQ(rows.feature_names, (std::vector<std::string>{"x0", "predator"}));
}

TEST(Rows, AnotherTargetCanBeNamed) {
  const Rows rows = rows_of(table({"x0", "pred", "true", "answer"}, {1, 2, 3, 4}), "answer");
  EXPECT_EQ(rows.target.values, (std::vector<float>{4}));
  EXPECT_EQ(rows.features.values, (std::vector<float>{1}));
}

TEST(Rows, AMissingTargetListsWhatThereIs) {
  try {
    rows_of(table({"x0", "forecast"}, {1, 2}), "pred");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("x0, forecast"), std::string::npos) << error.what();
    EXPECT_EQ(error.where().file, "rows.csv");
  }
}

TEST(Rows, WhatLooksLikeTheAnswersIsTakenAndSaid) {
  const Rows rows = rows_of(table({"a", "y_true", "prediction"}, {1, 2, 3}));
  EXPECT_EQ(rows.target.values, Floats{3});
  EXPECT_EQ(rows.features.values, Floats{1});
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("'prediction'"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("'y_true'"), std::string::npos) << notes[1];
}

TEST(Rows, NothingIsSaidWhereNothingIsGuessed) {
  rows_of(table({"a", "b", "true", "pred"}, {1, 2, 3, 4}));
  EXPECT_TRUE(notes.empty());
}

TEST(Rows, FeaturesAndTargetCanBeListed) {
  const Data data = table({"a", "b_0", "b_1", "c", "d"}, {1, 2, 3, 4, 5});
  const Rows rows = rows_of(data, "d,a", "c,b");
  EXPECT_EQ(rows.features.values, (Floats{4, 2, 3}));
  EXPECT_EQ(rows.target.values, (Floats{5, 1}));
  EXPECT_NE(refusal(data, "d", "a,e").find("no column 'e' for the features"), std::string::npos);
  EXPECT_NE(refusal(data, "e").find("no column 'e' for the target"), std::string::npos);
}

TEST(Rows, ANameMayHoldAComma) {
  EXPECT_EQ(rows_of(table({"a", "b,c"}, {1, 2}), "b,c").target.values, Floats{2});
}

TEST(Rows, ArraysAreColumnsSideBySide) {
  const Rows rows = rows_of(arrays(
      {{"preds", {2, 1, {7, 8}}}, {"inputs", {2, 2, {1, 2, 3, 4}}}, {"targets", {2, 1, {5, 6}}}}));
  EXPECT_EQ(rows.features.values, (Floats{1, 2, 3, 4}));
  EXPECT_EQ(rows.feature_names, (Names{"inputs_0", "inputs_1"}));
  EXPECT_EQ(rows.target.values, (Floats{7, 8}));
}

TEST(Rows, AnArrayCalledInputsLeavesOthersOut) {
  const Data data = arrays({{"X", {2, 2, {1, 2, 3, 4}}},
                            {"weight_of_row", {2, 1, {9, 9}}},
                            {"y", {2, 2, {5, 6, 7, 8}}}});
  const Rows rows = rows_of(data);
  EXPECT_EQ(rows.features.values, (Floats{1, 2, 3, 4}));
  EXPECT_EQ(rows.target.values, (Floats{5, 6, 7, 8}));
  EXPECT_EQ(rows_of(data, "y", "X,weight_of_row").features.cols, 3u);
}

TEST(Rows, OfABareArrayTheLastColumnIsTheTarget) {
  const Rows rows = rows_of(arrays({{"", {2, 3, {1, 2, 3, 4, 5, 6}}}}));
  EXPECT_EQ(rows.features.values, (Floats{1, 2, 4, 5}));
  EXPECT_EQ(rows.target.values, (Floats{3, 6}));
  EXPECT_FALSE(notes.empty());
}

TEST(Rows, ArraysOfOtherLengthsAreLeftOutAndSaid) {
  const Data data =
      arrays({{"mean", {1, 2, {0, 0}}}, {"x", {2, 2, {1, 2, 3, 4}}}, {"pred", {2, 1, {5, 6}}}});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("'mean'"), std::string::npos);
  EXPECT_EQ(rows_of(data).features.cols, 2u);
}

TEST(Rows, WhatIsTakenMustBeFinite) {
  const Data data = table({"a", "b", "c", "pred"}, {1, NAN, INFINITY, 4});
  EXPECT_EQ(rows_of(data, "pred", "a").features.values, Floats{1});
  EXPECT_NE(refusal(data, "pred", "a,b").find("'b' has no value"), std::string::npos);
  EXPECT_NE(refusal(data, "pred", "a,c").find("'c' holds 'inf'"), std::string::npos);
  EXPECT_NE(refusal(arrays({{"x", {1, 2, {1, NAN}}}, {"y", {1, 1, {1}}}})).find("row 0"),
            std::string::npos);
}

TEST(Rows, ThoseThatLackAValueCanBeDropped) {
  const Data data{{"f", {"a", "b", "pred"}, {4, 3, {1, NAN, 3, 4, 5, NAN, 7, 8, 9, NAN, 1, 2}}},
                  false};
  notes.clear();
  const Rows rows = to_rows(data, {"pred", "", true}, notes);
  EXPECT_EQ(rows.features.values, (Floats{7, 8}));
  EXPECT_EQ(rows.target.values, Floats{9});
  EXPECT_EQ(notes, Names{"3 of 4 rows lack a value and are left out"});
  EXPECT_EQ(to_rows(data, {"pred", "b", true}, notes).features.values, (Floats{8, 1}));
  EXPECT_THROW(to_rows(table({"a", "pred"}, {NAN, 1}), {"pred", "", true}, notes), Error);
  EXPECT_THROW(to_rows(table({"a", "pred"}, {INFINITY, 1}), {"pred", "", true}, notes), Error);
}

TEST(Rows, AnIndexAsPandasWritesItIsNoFeature) {
  for (const char* name : {"", "Unnamed: 0"}) {
    EXPECT_EQ(rows_of(table({name, "a", "pred"}, {7, 1, 2})).feature_names, Names{"a"});
    EXPECT_EQ(notes.size(), 1u);
    EXPECT_EQ(rows_of(table({name, "a", "pred"}, {7.5f, 1, 2})).features.cols, 2u);
  }
  EXPECT_EQ(rows_of(table({"", "a", "pred"}, {7, 1, 2}), "pred", ",a").features.cols, 2u);
  EXPECT_EQ(rows_of(table({"a", "", "pred"}, {7, 1, 2})).features.cols, 2u);
}

TEST(Rows, ATargetOfItsOwnMayBeCalledAnything) {
  const Data x = table({"a", "b"}, {1, 2});
  notes.clear();
  EXPECT_EQ(to_rows(x, table({"label"}, {7}), {}, notes).target.values, Floats{7});
  EXPECT_EQ(to_rows(x, table({"", "z_0", "z_1"}, {0, 7, 8}), {}, notes).target.values,
            (Floats{7, 8}));
  EXPECT_EQ(to_rows(x, table({"true", "pred"}, {6, 7}), {}, notes).target.values, Floats{7});
  EXPECT_EQ(to_rows(x, table({"u", "v"}, {6, 7}), {"v"}, notes).target.values, Floats{7});
  EXPECT_TRUE(notes.empty());
  EXPECT_THROW(to_rows(x, table({"u", "v"}, {6, 7}), {"w"}, notes), Error);
  const Data two{{"y.csv", {"y"}, {2, 1, {1, 2}}}, false};
  EXPECT_THROW(to_rows(x, two, {}, notes), Error);
}

TEST(Rows, IntegersAreFeaturesWhereThereAreNoFloats) {
  const io::NamedArray x{"a", {2, 2, {1, 2, 3, 4}}, true}, pred{"pred", {2, 1, {5, 6}}};
  EXPECT_EQ(rows_of(arrays({x, pred})).features.cols, 2u);
  const io::NamedArray id{"id", {2, 1, {8, 9}}, true}, floats{"b", {2, 1, {7, 7}}};
  EXPECT_EQ(rows_of(arrays({id, floats, pred})).features.values, (Floats{7, 7}));
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_EQ(rows_of(arrays({id, floats, pred}), "pred", "id,b").features.cols, 2u);
}

TEST(Rows, ArraysMustNotBeEmpty) {
  EXPECT_THROW(arrays({{"x", {0, 2, {}}}}), Error);
  EXPECT_THROW(arrays({{"x", {2, 0, {}}}}), Error);
  EXPECT_THROW(arrays({}), Error);
}

TEST(Rows, ArraysThatGiveOneNameTwiceAreRefused) {
  EXPECT_THROW(arrays({{"x", {1, 2, {1, 2}}}, {"x_1", {1, 1, {3}}}}), Error);
}

}  // namespace
}  // namespace humpty::puzzle
