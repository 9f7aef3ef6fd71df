#include "humpty/humpty.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace humpty::lab {
namespace {

TEST(Tasks, RegressionIsStandardisedAndDependsOnTheFeatures) {
  const Rows rows = make_task(Task::regression, 4000, 6, 2, 1);
  ASSERT_EQ(rows.features.rows, 4000u);
  ASSERT_EQ(rows.features.cols, 6u);
  ASSERT_EQ(rows.target.cols, 2u);
  EXPECT_EQ(rows.target_names, (std::vector<std::string>{"true_0", "true_1"}));
  double mean = 0, square = 0, mixed = 0;
  for (std::size_t r = 0; r < 4000; ++r) {
    const float* y = rows.target.row(r);
    mean += y[1] / 4000, square += y[1] * y[1] / 4000, mixed += y[0] * y[1] / 4000;
  }
  EXPECT_NEAR(mean, 0, 1e-4);
  EXPECT_NEAR(square, 1, 1e-3);
  EXPECT_LT(std::fabs(mixed), 0.9);  // two functions, not one twice
}

TEST(Tasks, FeaturesAreStandardNormal) {
  const Rows rows = make_task(Task::regression, 10000, 3, 1, 2);
  double mean = 0, square = 0;
  for (const float x : rows.features.values) mean += x / 30000, square += x * x / 30000;
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(square, 1, 0.03);
}

TEST(Tasks, ClassificationIsOneHotAndUsesEveryClass) {
  const Rows rows = make_task(Task::classification, 1000, 5, 4, 3);
  std::vector<int> wins(4);
  for (std::size_t r = 0; r < 1000; ++r) {
    const float* row = rows.target.row(r);
    ASSERT_EQ(std::accumulate(row, row + 4, 0.0f), 1.0f);
    ++wins[static_cast<std::size_t>(std::max_element(row, row + 4) - row)];
  }
  for (const int count : wins) EXPECT_GT(count, 50);
}

TEST(Tasks, TheRandomNumberDecidesAll) {
  const auto values = [](std::uint64_t rng) {
    return make_task(Task::regression, 10, 3, 1, rng).target.values;
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

}  // namespace
}  // namespace humpty::lab
