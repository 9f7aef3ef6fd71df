#include "disguise.hpp"

#include <gtest/gtest.h>

#include "nets.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

TEST(Disguise, ThePublishedPuzzleIsRecoveredInAnyDisguise) {
  HUMPTY_NEEDS(test::jane_street());
  const Puzzle puzzle = read_puzzle({test::jane_street()});
  const std::vector<int> truth = solve(puzzle).permutation;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const test::Disguised other = test::disguise(puzzle, truth, seed);
    const Solution solution = solve(other.puzzle);
    EXPECT_EQ(solution.permutation, other.truth) << "disguise " << seed;
    EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
  }
}

TEST(Disguise, RandomNetsAreRecoveredInAnyDisguise) {
  std::mt19937 rng(5);
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const std::size_t blocks = 2 + seed % 7, d = 5 + seed, h = 2 * d + seed % 3, o = 1 + seed % 3;
    const auto applied = test::random_net(blocks, d, h, o, rng);
    const Puzzle puzzle = make_puzzle(applied, test::random_rows(applied, 300, rng));
    const test::Disguised other = test::disguise(puzzle, test::ids_of(applied), seed);
    const Solution solution = solve(other.puzzle);
    EXPECT_EQ(solution.permutation, other.truth) << "disguise " << seed;
    EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
  }
}

}  // namespace
}  // namespace humpty
