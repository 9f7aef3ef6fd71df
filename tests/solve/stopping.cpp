// Stops are prompt at any size, and what is told then is true.
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "nets.hpp"

namespace humpty::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Never trained, and in no order that the ids tell: the weights say nothing.
Puzzle untrained(std::size_t blocks, std::size_t d, std::size_t h, std::size_t rows,
                 std::vector<int>* truth = nullptr) {
  std::mt19937 rng(3);
  std::vector<Piece> applied;
  const float small = 1 / std::sqrt(static_cast<float>(blocks * h));
  for (std::size_t b = 0; b < blocks; ++b) {
    applied.push_back(random_piece(0, h, d, 1 / std::sqrt(static_cast<float>(d)), rng));
    applied.push_back(random_piece(0, d, h, small, rng));
  }
  applied.push_back(random_piece(0, 1, d, 1 / std::sqrt(static_cast<float>(d)), rng));
  Rows data = random_rows(applied, rows, rng);
  const lab::Dropped dropped = lab::drop(std::move(applied), std::move(data), Activation::relu, 5);
  if (truth) *truth = dropped.permutation;
  return dropped.puzzle;
}

// 300 blocks: every round of every search is long.
const Puzzle& deep() {
  static const Puzzle puzzle = untrained(300, 16, 32, 400);
  return puzzle;
}

// Six blocks of 512 × 2048: every single step is.
const Puzzle& wide() {
  static const Puzzle puzzle = untrained(6, 512, 2048, 40);
  return puzzle;
}

void expect_unverified(const Puzzle& puzzle, const Solution& solution) {
  EXPECT_EQ(solution.verdict, Verdict::unsolved);
  EXPECT_EQ(solution.permutation.size(), puzzle.pieces.size());
  EXPECT_FALSE(solution.certificate.why.empty());
  EXPECT_NO_THROW(verify(puzzle, solution.permutation, {.time_limit = 1e-3}));
}

TEST(Stopping, ATimeLimitIsKeptToASecondHoweverDeepOrWideTheNet) {
  for (const Puzzle* puzzle : {&deep(), &wide()})
    for (double limit : {0.01, 1.0}) {
      const auto start = Clock::now();
      const Solution solution = solve(*puzzle, {.time_limit = limit});
      EXPECT_LT(seconds_since(start), limit + 1);
      EXPECT_EQ(solution.stopped, "time limit");
      expect_unverified(*puzzle, solution);
    }
}

TEST(Stopping, WhoAsksForAStopWaitsNoLongerThanASecond) {
  for (const Puzzle* puzzle : {&deep(), &wide()}) {
    const auto start = Clock::now();
    const auto progress = [&](const Progress&) { return seconds_since(start) < 0.5; };
    const Solution solution = solve(*puzzle, {.time_limit = 0, .progress = progress});
    EXPECT_LT(seconds_since(start), 1.5);
    EXPECT_EQ(solution.stopped, "asked to");
    expect_unverified(*puzzle, solution);
  }
}

// A heap that holds whole nets; what was not chosen is named, so nothing is lost.
void expect_stopped_salvage(const Puzzle& heap, const Salvaged& salvaged, const char* why) {
  EXPECT_EQ(salvaged.solution.stopped, why);
  expect_unverified(salvaged.puzzle, salvaged.solution);
  EXPECT_EQ(salvaged.puzzle.pieces.size() + salvaged.left_out.size(), heap.pieces.size());
}

TEST(Stopping, SalvageKeepsItsTimeLimitToASecond) {
  for (const Puzzle* heap : {&deep(), &wide()})
    for (bool known : {true, false})
      for (double limit : {0.01, 1.0, 3.0}) {
        Puzzle given = *heap;
        given.activation_known = known;
        const auto start = Clock::now();
        const Salvaged salvaged = salvage(given, {.time_limit = limit});
        EXPECT_LT(seconds_since(start), limit + 1) << limit;
        expect_stopped_salvage(given, salvaged, "time limit");
      }
}

TEST(Stopping, WhoAsksSalvageForAStopWaitsNoLongerThanASecond) {
  for (const Puzzle* heap : {&deep(), &wide()}) {
    const auto start = Clock::now();
    const auto progress = [&](const Progress&) { return seconds_since(start) < 0.5; };
    const Salvaged salvaged = salvage(*heap, {.time_limit = 0, .progress = progress});
    EXPECT_LT(seconds_since(start), 1.5);
    expect_stopped_salvage(*heap, salvaged, "asked to");
  }
}

TEST(Stopping, TheBestSoFarIsGivenInTheMiddleOfASweep) {
  std::mt19937 rng(8);
  std::vector<Piece> applied = random_net(40, 8, 16, 1, rng);
  Rows rows = random_rows(applied, 200, rng);
  const Puzzle puzzle = lab::drop(std::move(applied), std::move(rows), Activation::relu, 3).puzzle;
  int sweeps = 0;
  const auto progress = [&](const Progress& now) {
    return now.note.rfind("adjacent swaps", 0) != 0 || ++sweeps < 30;
  };
  const Solution solution =
      solve(puzzle, {.method = Method::paper, .threads = 1, .time_limit = 0, .progress = progress});
  EXPECT_EQ(solution.stopped, "asked to");
  ASSERT_EQ(solution.certificate.rows, 200u) << solution.certificate.why;
  EXPECT_LT(solution.certificate.mse, solution.seed_mse);
}

TEST(Stopping, AVerificationThatIsStoppedSaysSoAndIsNeverExact) {
  std::mt19937 rng(2);
  const std::vector<Piece> applied = random_net(8, 16, 32, 1, rng);
  const Puzzle puzzle = make_puzzle(applied, random_rows(applied, 2000, rng));
  const std::vector<int> truth = ids_of(applied);
  ASSERT_EQ(verify(puzzle, truth).verdict, Verdict::exact);
  const Certificate at_once = verify(puzzle, truth, {.time_limit = 1e-6});
  EXPECT_FALSE(at_once.complete);
  EXPECT_EQ(at_once.verdict, Verdict::unsolved);
  EXPECT_EQ(at_once.rows, 0u);
  EXPECT_NE(at_once.why.find("not verified"), std::string::npos) << at_once.why;

  std::string last;
  const Certificate in_between = verify(puzzle, truth, {.progress = [&](const Progress& now) {
                                          return last = now.note, now.note != "refuting rivals";
                                        }});
  ASSERT_EQ(last, "refuting rivals");
  EXPECT_FALSE(in_between.complete);
  EXPECT_EQ(in_between.verdict, Verdict::unsolved);
  EXPECT_EQ(in_between.rows, 2000u);
  EXPECT_NE(in_between.why.find("at the floor"), std::string::npos) << in_between.why;
}

// The order of the last round, or else of the seed, is the answer's own.
void expect_own_story(const Solution& solution) {
  std::vector<int> order;
  for (const Block& block : solution.blocks) order.push_back(block.in);
  const std::vector<int>& told =
      solution.rounds.empty() ? solution.seed_order : solution.rounds.back().order;
  if (!told.empty()) {
    EXPECT_EQ(told, order) << solution.seed;
  }
}

TEST(Stopping, TheStoryToldIsThatOfTheAnswer) {
  const Puzzle some = untrained(9, 12, 16, 24);
  for (double limit : {0.3, 1.0, 2.0}) expect_own_story(solve(some, {.time_limit = limit}));
  for (double limit : {0.5, 2.0}) expect_own_story(solve(deep(), {.time_limit = limit}));
}

TEST(FewBlocks, OfThreeWideOnesAllArrangementsAreTried) {
  std::vector<int> truth;
  const Puzzle puzzle = untrained(3, 256, 1024, 40, &truth);
  const Solution solution = solve(puzzle, {.time_limit = 0});
  EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
  EXPECT_EQ(solution.permutation, truth);
  EXPECT_EQ(solution.seed, "all arrangements");
}

TEST(FewBlocks, FiveRowsAreEnoughForSix) {
  std::vector<int> truth;
  const Puzzle puzzle = untrained(6, 4, 6, 5, &truth);
  const Solution solution = solve(puzzle, {.time_limit = 0});
  EXPECT_NE(solution.verdict, Verdict::unsolved) << solution.certificate.why;
  EXPECT_EQ(solution.permutation, truth);
}

TEST(FewBlocks, AllArrangementsAreTriedUnderEveryActivation) {
  std::vector<int> truth;
  Puzzle puzzle = untrained(4, 6, 10, 6, &truth);
  puzzle.activation = Activation::tanh;
  puzzle.activation_known = false;
  const Solution solution = solve(puzzle, {.time_limit = 0});
  EXPECT_NE(solution.verdict, Verdict::unsolved) << solution.certificate.why;
  EXPECT_EQ(solution.permutation, truth);
  EXPECT_EQ(solution.activation, Activation::relu);
}

}  // namespace
}  // namespace humpty::test
