#include "puzzle/rows.hpp"

#include <gtest/gtest.h>

namespace humpty::puzzle {
namespace {

io::Table table(std::vector<std::string> names, std::vector<float> row) {
  return {"rows.csv", std::move(names), {1, row.size(), row}};
}

TEST(Rows, FeaturesGoByTheirNumbersWhereverTheyStand) {
  const Rows rows =
      to_rows(table({"m_10", "pred", "m_2", "true", "m_0"}, {10, -1, 2, -2, 0}), "pred");
  EXPECT_EQ(rows.features.values, (std::vector<float>{0, 2, 10}));
  EXPECT_EQ(rows.target.values, (std::vector<float>{-1}));
  EXPECT_EQ(rows.feature_names, (std::vector<std::string>{"m_0", "m_2", "m_10"}));
}

TEST(Rows, FeaturesWithoutDistinctNumbersStayInPlace) {
  const Rows rows = to_rows(table({"z", "a_1", "b_1", "pred"}, {1, 2, 3, 4}), "pred");
  EXPECT_EQ(rows.feature_names, (std::vector<std::string>{"z", "a_1", "b_1"}));
}

TEST(Rows, SeveralTargetsGoByTheirNumbers) {
  const Rows rows = to_rows(
      table({"pred_1", "x0", "true_0", "pred_0", "pred_10", "predator"}, {1, 5, 9, 0, 10, 7}),
      "pred");
  EXPECT_EQ(rows.target.values, (std::vector<float>{0, 1, 10}));
  EXPECT_EQ(rows.feature_names, (std::vector<std::string>{"x0", "predator"}));
}

TEST(Rows, AnotherTargetCanBeNamed) {
  const Rows rows = to_rows(table({"x0", "pred", "true", "answer"}, {1, 2, 3, 4}), "answer");
  EXPECT_EQ(rows.target.values, (std::vector<float>{4}));
  EXPECT_EQ(rows.features.values, (std::vector<float>{1}));
}

TEST(Rows, AMissingTargetListsWhatThereIs) {
  try {
    to_rows(table({"x0", "prediction"}, {1, 2}), "pred");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("x0, prediction"), std::string::npos) << error.what();
    EXPECT_EQ(error.where().file, "rows.csv");
  }
}

}  // namespace
}  // namespace humpty::puzzle
