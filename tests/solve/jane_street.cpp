// The published puzzle, by every route the paper describes. The expected numbers are the paper's
// own tables (and ../shared/facts.md where the paper's print differs). No time limit:
// under sanitizers the paper's routes take minutes.
#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "paper_tables.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

class JaneStreet : public ::testing::Test {
 protected:
  void SetUp() override { HUMPTY_NEEDS(test::jane_street()); }
  Puzzle puzzle() const { return read_puzzle({test::jane_street()}); }

  void expect_solved(const Solution& solution) const {
    EXPECT_EQ(solution.sha256(), test::kSha256);
    EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
    EXPECT_LE(solution.certificate.mse, 1e-12);
    EXPECT_EQ(solution.certificate.rows, 10000u);
    // 48 · 47 / 2 exchanges each of blocks, W_in and W_out; 47² insertions, less 47 exchanges of
    // neighbours said twice.
    const std::size_t single = 3 * 1128 + 47 * 47 - 47;
    // Runs of four blocks or more reversed; nine orders of four neighbours and twenty arrangements
    // of the pieces of three that are nothing else.
    const std::size_t runs = 45 * 46 / 2, windows = 9 * 45 + 20 * 46;
    // 47 · 46 · 45 / 6 pairs of segments; 48 · 47 · 46 / 6 threes of W_in and of W_out, two ways.
    const std::size_t larger = 16215 + 4 * 17296;
    EXPECT_EQ(solution.certificate.rivals, single + runs + windows + larger);
    EXPECT_EQ(solution.certificate.refuted, solution.certificate.rivals);
    EXPECT_LE(solution.certificate.passes, 3);
  }
  void expect_rounds(const Solution& solution, double start, const test::PaperTable& table) const {
    EXPECT_NEAR(start, table.start, test::kPrinted);
    ASSERT_EQ(solution.rounds.size(), table.rounds.size());
    for (std::size_t i = 0; i < table.rounds.size(); ++i) {
      EXPECT_EQ(solution.rounds[i].swaps, std::size_t(table.rounds[i].swaps)) << "round " << i + 1;
      EXPECT_NEAR(solution.rounds[i].mse, table.rounds[i].mse, test::kPrinted) << "round " << i + 1;
    }
  }
};

TEST_F(JaneStreet, IsSolvedByDefault) { expect_solved(solve(puzzle())); }

TEST_F(JaneStreet, IsTheSameWithOneThreadAndTwo) {
  const Puzzle given = puzzle();
  const Solution one = solve(given, {.threads = 1}), two = solve(given, {.threads = 2});
  EXPECT_EQ(one.permutation, two.permutation);
  EXPECT_EQ(one.seed_mse, two.seed_mse);
  EXPECT_EQ(one.certificate.mse, two.certificate.mse);
  ASSERT_EQ(one.rounds.size(), two.rounds.size());
  for (std::size_t i = 0; i < one.rounds.size(); ++i)
    EXPECT_EQ(one.rounds[i].mse, two.rounds[i].mse);
}

TEST_F(JaneStreet, DeltaNormTable) {
  const Solution solution =
      solve(puzzle(), {.method = Method::paper, .seed = Seed::delta, .time_limit = 0});
  expect_solved(solution);
  expect_rounds(solution, solution.seed_mse, test::kDeltaTable);
}

TEST_F(JaneStreet, WoutTable) {
  const Solution solution =
      solve(puzzle(), {.method = Method::paper, .seed = Seed::wout, .time_limit = 0});
  expect_solved(solution);
  expect_rounds(solution, solution.seed_mse, test::kWoutTable);
}

TEST_F(JaneStreet, BradleyTerryTable) {
  const Solution solution =
      solve(puzzle(),
            {.method = Method::paper, .seed = Seed::delta, .bradley_terry = true, .time_limit = 0});
  expect_solved(solution);
  ASSERT_TRUE(solution.bradley_terry);
  const BradleyTerry& bt = *solution.bradley_terry;
  expect_rounds(solution, bt.mse, test::kBradleyTerryTable);
  EXPECT_EQ(bt.triples, 17296u);
  EXPECT_EQ(bt.cycles.size(), 22u);
  EXPECT_NEAR(bt.median_margin, 0.0408, 5e-5);
  std::vector<double> weakest;
  for (const Cycle& cycle : bt.cycles) weakest.push_back(cycle.weakest_margin);
  std::sort(weakest.begin(), weakest.end());
  EXPECT_NEAR((weakest[10] + weakest[11]) / 2, 1.83e-4, 5e-7);
}

TEST_F(JaneStreet, PairingScoresAndTraces) {
  const Solution solution =
      solve(puzzle(), {.method = Method::paper, .seed = Seed::wout, .time_limit = 0});
  const Pairing& pairing = solution.pairing;
  ASSERT_EQ(pairing.expand.size(), 48u);
  EXPECT_EQ(pairing.match, pairing.greedy);
  double right_low = INFINITY, right_high = 0, wrong_low = INFINITY, wrong_high = 0,
         trace_low = INFINITY, trace_high = -INFINITY;
  for (std::size_t i = 0; i < 48; ++i)
    for (std::size_t j = 0; j < 48; ++j) {
      const double score = pairing.scores[i * 48 + j], trace = pairing.traces[i * 48 + j];
      const bool right = pairing.match[i] == j;
      (right ? right_low : wrong_low) = std::min(right ? right_low : wrong_low, score);
      (right ? right_high : wrong_high) = std::max(right ? right_high : wrong_high, score);
      if (right) trace_low = std::min(trace_low, trace), trace_high = std::max(trace_high, trace);
    }
  EXPECT_NEAR(right_low, 1.7639, 5e-5);
  EXPECT_NEAR(right_high, 3.2320, 5e-5);
  EXPECT_NEAR(wrong_low, 0.00009, 5e-6);
  EXPECT_NEAR(wrong_high, 0.5838, 5e-5);
  EXPECT_NEAR(trace_low, -13.490, 5e-4);
  EXPECT_NEAR(trace_high, -7.367, 5e-4);
}

}  // namespace
}  // namespace humpty
