// Nets on which the paper's method fails: it must say so. The truth, given, must be accepted.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"
#include "nets.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

struct ZooNet {
  Puzzle puzzle;
  std::vector<int> truth;
};

ZooNet read(const std::string& name) {
  const auto answer = nlohmann::json::parse(std::ifstream(test::zoo(name) + "/answer.json"));
  const Activation activation = activation_named(answer["activation"].get<std::string>());
  return {read_puzzle({test::zoo(name)}, {.activation = activation}),
          test::true_order(test::zoo(name))};
}

class Zoo : public ::testing::TestWithParam<const char*> {
  void SetUp() override { HUMPTY_NEEDS(test::zoo(GetParam())); }
};

TEST_P(Zoo, TheTruthIsExactAndThePapersAnswerIsNot) {
  const ZooNet net = read(GetParam());
  const Certificate truth = verify(net.puzzle, net.truth);
  EXPECT_EQ(truth.verdict, Verdict::exact) << truth.why;
  const Solution paper = solve(
      net.puzzle, {.method = Method::paper, .seed = Seed::wout, .rows = 200, .time_limit = 0});
  EXPECT_EQ(paper.verdict, Verdict::unsolved);
  EXPECT_NE(paper.permutation, net.truth);
}

INSTANTIATE_TEST_SUITE_P(Small, Zoo,
                         ::testing::Values("t8-d16", "t16-d32", "t24-bf16", "t24-gelu", "t24-out10",
                                           "t24-untrained"),
                         [](const auto& net) {
                           std::string name = net.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// 24!² arrangements are 158 bits; a row is worth some 15, and 30 more bits are wanted for safety.
TEST(Zoo24, FewRowsAreJudgedByWhatTheyCanTell) {
  HUMPTY_NEEDS(test::zoo("t24-base"));
  const ZooNet net = read("t24-base");
  EXPECT_EQ(verify(test::first_rows(net.puzzle, 100), net.truth).verdict, Verdict::exact);
  EXPECT_EQ(verify(test::first_rows(net.puzzle, 30), net.truth).verdict, Verdict::exact);
  const Certificate ten = verify(test::first_rows(net.puzzle, 10), net.truth);
  EXPECT_EQ(ten.verdict, Verdict::ambiguous);
  EXPECT_GT(ten.rows_needed, 10u);
  EXPECT_LE(ten.rows_needed, 30u);
}

TEST(Zoo24, ARoundedTargetIsExactWithACoarserFloor) {
  HUMPTY_NEEDS(test::zoo("t24-base"));
  ZooNet net = read("t24-base");
  for (float& y : net.puzzle.rows.target.values)
    y = static_cast<float>(std::nearbyint(double{y} * 1e4) / 1e4);
  const Certificate c = verify(net.puzzle, net.truth);
  EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
  EXPECT_EQ(c.floor, "float32 arithmetic and a target rounded to 4 decimals");
  EXPECT_NEAR(c.mse, 1e-8 / 12, 1e-10);
}

// In a wrong order their error is hundreds to millions of times the target's variance.
TEST(Zoo48, NetsThatBlowUpAreOrderedByWhereTheirBlocksAreQuiet) {
  for (const char* name : {"js48-2", "js48-5"}) {
    HUMPTY_NEEDS(test::zoo(name));
    const ZooNet net = read(name);
    const Solution solution = solve(net.puzzle, {.time_limit = 0});
    EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
    EXPECT_EQ(solution.permutation, net.truth) << name;
  }
}

}  // namespace
}  // namespace humpty
