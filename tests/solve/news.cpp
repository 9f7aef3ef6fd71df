// What a search shows on its way.
#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "nets.hpp"

namespace humpty::test {
namespace {

struct Seen {
  std::vector<Solution> all;

  OnNews listen() {
    return [this](const Solution& so_far) { all.push_back(so_far); };
  }
};

Puzzle small_puzzle() {
  std::mt19937 rng(7);
  std::vector<Piece> applied = random_net(10, 8, 16, 1, rng);
  Rows rows = random_rows(applied, 400, rng);
  return lab::drop(std::move(applied), std::move(rows), Activation::relu, 3).puzzle;
}

TEST(News, ComeInTheOrderInWhichThingsAreFound) {
  const Puzzle puzzle = small_puzzle();
  Seen seen;
  SolveOptions options;
  options.method = Method::paper;
  options.time_limit = 0;
  options.news = seen.listen();
  const Solution solution = solve(puzzle, options);
  ASSERT_GE(seen.all.size(), 3u);
  EXPECT_FALSE(seen.all[0].pairing.match.empty());
  EXPECT_TRUE(seen.all[0].seed_order.empty());
  EXPECT_EQ(seen.all[1].seed_order.size(), 10u);
  EXPECT_TRUE(seen.all[1].rounds.empty());
  ASSERT_FALSE(seen.all[2].rounds.empty());
  EXPECT_EQ(seen.all[2].rounds[0].order.size(), 10u);
  EXPECT_EQ(seen.all.back().rounds.size(), solution.rounds.size());
}

TEST(News, OfAHardNetStartWithItsPairingToo) {
  Seen seen;
  SolveOptions options;
  options.time_limit = 0;
  options.news = seen.listen();
  const Solution solution = solve(small_puzzle(), options);
  ASSERT_GE(seen.all.size(), 2u);
  EXPECT_FALSE(seen.all[0].pairing.match.empty());
  EXPECT_TRUE(seen.all[0].rounds.empty());
  EXPECT_EQ(seen.all.back().rounds.size(), solution.rounds.size());
}

TEST(News, ChangeNothing) {
  const Puzzle puzzle = small_puzzle();
  Seen seen;
  SolveOptions options;
  options.time_limit = 0;
  const Solution without = solve(puzzle, options);
  options.news = seen.listen();
  const Solution with = solve(puzzle, options);
  EXPECT_EQ(with.permutation, without.permutation);
  EXPECT_EQ(with.rounds.size(), without.rounds.size());
}

}  // namespace
}  // namespace humpty::test
