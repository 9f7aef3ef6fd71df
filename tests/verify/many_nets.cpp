// A sample of what `make study` looks at in full.
#include <gtest/gtest.h>

#include "verify/many_nets.hpp"
#include "verify/tiny_nets.hpp"

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

TEST(ManyNets, TheVerdictOnTinyNetsIsThatOfAllArrangements) {
  test::TinyTally tally;
  for (unsigned seed = 1; seed <= 100; ++seed) test::study_tiny(seed, tally);
  EXPECT_EQ(tally.by_kind.size(), 9u);
  for (const auto& [kind, count] : tally.by_kind) {
    EXPECT_EQ(count.wrong_exact, 0u) << kind << ": " << tally.first_failure;
    EXPECT_EQ(count.wrong_count, 0u) << kind << ": " << tally.first_failure;
    EXPECT_EQ(count.refused, 0u) << kind << ": " << tally.first_failure;
    EXPECT_GT(count.nets, 0u) << kind;
  }
  EXPECT_GT(tally.by_kind["random"].exact, 10u);
}

}  // namespace
}  // namespace humpty
