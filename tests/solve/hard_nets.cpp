// Nets on which the paper's method has nothing to go by.
#include <cmath>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "nets.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

// Never trained: the weights say nothing about pairs or order.
std::vector<Piece> untrained(std::size_t blocks, std::size_t d, std::size_t h, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<Piece> applied;
  for (std::size_t b = 0; b < blocks; ++b) {
    const int id = static_cast<int>(2 * b);
    applied.push_back(test::random_piece(id, h, d, 1 / std::sqrt(float(d)), rng));
    applied.push_back(test::random_piece(id + 1, d, h, 0.6f / std::sqrt(float(h)), rng));
  }
  applied.push_back(test::random_piece(int(2 * blocks), 1, d, 1 / std::sqrt(float(d)), rng));
  return applied;
}

TEST(HardNets, UntrainedOnesAreSolvedFromTheDataAlone) {
  for (unsigned seed : {1u, 2u, 3u}) {
    const std::vector<Piece> applied = untrained(6, 8, 12, seed);
    std::mt19937 rng(seed);
    const Puzzle puzzle = make_puzzle(applied, test::random_rows(applied, 600, rng));
    const Solution solution = solve(puzzle, {.time_limit = 0});
    EXPECT_EQ(solution.verdict, Verdict::exact);
    EXPECT_EQ(solution.permutation, test::ids_of(applied));
    EXPECT_FALSE(solution.story.empty());
  }
}

TEST(HardNets, TheAnswerIsTheSameAtAnyNumberOfThreads) {
  const std::vector<Piece> applied = untrained(5, 8, 12, 7);
  std::mt19937 rng(7);
  const Puzzle puzzle = make_puzzle(applied, test::random_rows(applied, 600, rng));
  const Solution one = solve(puzzle, {.threads = 1, .time_limit = 0}),
                 two = solve(puzzle, {.threads = 2, .time_limit = 0});
  EXPECT_EQ(one.permutation, two.permutation);
  EXPECT_EQ(one.story, two.story);
  EXPECT_EQ(one.rounds.size(), two.rounds.size());
}

TEST(HardNets, TheDataSettlesAnActivationThatNobodyStated) {
  for (Activation activation : {Activation::tanh, Activation::leaky, Activation::relu}) {
    std::mt19937 rng(4);
    Rows rows;
    rows.features = test::random_matrix(600, 8, 1, rng);
    const lab::Dropped dropped = lab::drop(untrained(5, 8, 12, 4), rows, activation, 1);
    Puzzle puzzle = dropped.puzzle;
    puzzle.activation = Activation::relu;
    puzzle.activation_known = false;
    const Solution solution = solve(puzzle, {.time_limit = 0});
    EXPECT_EQ(solution.verdict, Verdict::exact) << name(activation);
    EXPECT_EQ(solution.activation, activation);
    EXPECT_EQ(solution.permutation, dropped.permutation);
  }
}

TEST(HardNets, TheDataSettlesRolesThatShapesLeaveOpen) {
  const std::vector<Piece> applied = untrained(4, 8, 8, 5);
  std::mt19937 rng(5);
  const Puzzle puzzle = make_puzzle(applied, test::random_rows(applied, 800, rng));
  EXPECT_LT(puzzle.roles_confidence, 1);
  const Solution solution = solve(puzzle, {.time_limit = 0});
  EXPECT_EQ(solution.verdict, Verdict::exact);
  EXPECT_EQ(solution.permutation, test::ids_of(applied));
}

TEST(HardNets, ATimeLimitGivesTheBestSoFarAndSaysSo) {
  const std::vector<Piece> applied = untrained(24, 8, 12, 6);
  std::mt19937 rng(6);
  const Puzzle puzzle = make_puzzle(applied, test::random_rows(applied, 300, rng));
  const Solution solution = solve(puzzle, {.time_limit = 0.01});
  EXPECT_EQ(solution.verdict, Verdict::unsolved);
  EXPECT_EQ(solution.stopped, "time limit");
  EXPECT_EQ(solution.permutation.size(), 49u);
}

}  // namespace
}  // namespace humpty
