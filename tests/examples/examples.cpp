// Each example does what its first comment says.
#include <gtest/gtest.h>

#include "cli/made_puzzle.hpp"

namespace humpty {
namespace {

using test::MadePuzzle;
using test::Outcome;

// On the made puzzle, whose answer is 0, 1, 2, …, 8.
class Examples : public testing::Test {
 protected:
  Outcome run(const std::string& example, const std::string& arguments) {
    return test::run(made_.folder, std::string(HUMPTY_EXAMPLES) + "/" + example, arguments);
  }
  MadePuzzle made_;
};

TEST_F(Examples, ConsumerSolvesAFolder) {
  const Outcome solved = run("consumer", ".");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_EQ(solved.out, "0,1,2,3,4,5,6,7,8\n");
  const Outcome refused = run("consumer", "nowhere");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "nowhere: there is no such file or folder\n");
}

TEST_F(Examples, PuzzleInMemory) {
  const Outcome solved = run("puzzle_in_memory", "");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_EQ(solved.out, "exact: 0,5,10,2,7,12,4,9,1,6,11,3,8\n");  // 5 i mod 13
}

TEST_F(Examples, CheckAnOrder) {
  const Outcome right = run("check_an_order", ". 0 1 2 3 4 5 6 7 8");
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_TRUE(right.out.starts_with("exact: ")) << right.out;
  EXPECT_NE(right.out.find("on 60 rows"), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("575 of 575 rivals refuted"), std::string::npos) << right.out;
  const Outcome wrong = run("check_an_order", ". 2 3 0 1 4 5 6 7 8");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(wrong.out.starts_with("unsolved: ")) << wrong.out;
}

TEST_F(Examples, WatchAndStop) {
  const Outcome stopped = run("watch_and_stop", ". 2");
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_NE(stopped.out.find("\nstopped, "), std::string::npos) << stopped.out;
  EXPECT_EQ(std::count(stopped.out.begin(), stopped.out.end(), '\n'), 3) << stopped.out;
  const Outcome finished = run("watch_and_stop", ". 1000000");
  EXPECT_NE(finished.out.find("\nfinished, exact, "), std::string::npos) << finished.out;
  EXPECT_TRUE(finished.out.ends_with(": 0,1,2,3,4,5,6,7,8\n")) << finished.out;
}

}  // namespace
}  // namespace humpty
