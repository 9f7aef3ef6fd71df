#include "base/random.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace humpty {
namespace {

// As Rust's rand_xoshiro gives them for seed 0.
TEST(Random, IsXoshiro256PlusPlusSeededBySplitMix) {
  Random random(0);
  EXPECT_EQ(random.bits(), 5987356902031041503u);
  EXPECT_EQ(random.bits(), 7051070477665621255u);
  EXPECT_EQ(random.bits(), 6633766593972829180u);
  EXPECT_EQ(random.bits(), 211316841551650330u);
}

TEST(Random, UniformNumbersFillTheirRange) {
  Random random(1);
  double sum = 0, low = 9, high = -9;
  for (int i = 0; i < 100000; ++i) {
    const double u = random.uniform(-2, 3);
    sum += u, low = std::min(low, u), high = std::max(high, u);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.02);
  EXPECT_GE(low, -2);
  EXPECT_LT(low, -1.99);
  EXPECT_LT(high, 3);
  EXPECT_GT(high, 2.99);
}

TEST(Random, NormalNumbersHaveTheNormalMoments) {
  Random random(2);
  double moments[5] = {};
  for (int i = 0; i < 200000; ++i) {
    const double x = random.normal();
    for (int k = 1; k <= 4; ++k) moments[k] += std::pow(x, k) / 200000;
  }
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.015);
  EXPECT_NEAR(moments[3], 0, 0.04);
  EXPECT_NEAR(moments[4], 3, 0.1);
}

TEST(Random, IndicesAreEquallyLikely) {
  Random random(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 70000; ++i) ++seen.at(random.index(7));
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);
}

TEST(Random, ShufflesAreEquallyLikelyPermutations) {
  Random random(4);
  std::vector<int> first_place(4);
  for (int i = 0; i < 40000; ++i) {
    std::vector<int> list{0, 1, 2, 3};
    random.shuffle(list);
    ++first_place.at(list[0]);
    std::sort(list.begin(), list.end());
    ASSERT_EQ(list, (std::vector<int>{0, 1, 2, 3}));
  }
  for (const int count : first_place) EXPECT_NEAR(count, 10000, 500);
}

}  // namespace
}  // namespace humpty
