#include "puzzle/natural.hpp"

#include <gtest/gtest.h>

namespace humpty::puzzle {
namespace {

TEST(Natural, NumbersCountAsNumbers) {
  EXPECT_TRUE(natural_less("piece_9", "piece_10"));
  EXPECT_FALSE(natural_less("piece_10", "piece_9"));
  EXPECT_TRUE(natural_less("a2b3", "a2b10"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_TRUE(natural_less("x99999999999999999999998", "x99999999999999999999999"));
  EXPECT_NE(natural_less("x01", "x1"), natural_less("x1", "x01"));  // still a strict order
  EXPECT_FALSE(natural_less("same", "same"));
}

TEST(Natural, TheLastNumberOfAName) {
  EXPECT_EQ(last_number("piece_12"), 12);
  EXPECT_EQ(last_number("v2-piece_007b"), 7);
  EXPECT_EQ(last_number("piece"), std::nullopt);
  EXPECT_EQ(last_number("piece_99999999999999"), std::nullopt);
}

}  // namespace
}  // namespace humpty::puzzle
