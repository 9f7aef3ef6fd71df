// A sample of what `make study` looks at in full.
#include <gtest/gtest.h>

#include "verify/many_nets.hpp"

namespace humpty {
namespace {

TEST(ManyNets, NoWrongOrderIsCalledExactAndNoTruthIsRefused) {
  test::Tally tally;
  for (unsigned seed = 1; seed <= 50; ++seed) test::study_one(seed, tally, false);
  EXPECT_EQ(tally.wrong_exact, 0u) << tally.first_failure;
  EXPECT_EQ(tally.refused, 0u) << tally.first_failure;
  EXPECT_GT(tally.exact, 15u);
  EXPECT_GT(tally.ambiguous, 5u);
  EXPECT_GT(tally.orders, 150u);
}

}  // namespace
}  // namespace humpty
