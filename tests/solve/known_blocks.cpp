// Blocks that are known, starts that are stated, calls that are cancelled, nets that are whole.
#include <thread>

#include <gtest/gtest.h>

#include "nets.hpp"

namespace humpty::test {
namespace {

struct KnownBlocks : testing::Test {
  std::mt19937 rng{11};
  std::vector<Piece> applied = random_net(7, 9, 17, 2, rng);
  Rows rows = random_rows(applied, 300, rng);

  Puzzle shuffled(const std::vector<std::size_t>& order) const {
    Blocks blocks;
    for (std::size_t b : order) blocks.blocks.emplace_back(applied[2 * b], applied[2 * b + 1]);
    blocks.head = applied.back();
    return make_puzzle(std::move(blocks), rows, {.activation = Activation::relu});
  }
  static std::vector<std::pair<int, int>> pairs(int count) {
    std::vector<std::pair<int, int>> ids;
    for (int b = 0; b < count; ++b) ids.emplace_back(2 * b, 2 * b + 1);
    return ids;
  }
};

TEST_F(KnownBlocks, AreOrderedFromEveryStart) {
  const Puzzle puzzle = shuffled({3, 0, 6, 1, 5, 2, 4});
  const std::vector<int> truth{2, 3, 6, 7, 10, 11, 0, 1, 12, 13, 8, 9, 4, 5, 14};
  for (Seed seed : {Seed::automatic, Seed::delta, Seed::wout, Seed::greedy}) {
    const Solution solution = solve(puzzle, {.seed = seed, .pairs = pairs(7), .time_limit = 0});
    EXPECT_EQ(solution.permutation, truth);
    EXPECT_EQ(solution.verdict, Verdict::exact);
  }
  const std::vector<int> start{12, 10, 8, 6, 4, 2, 0};
  const Solution solution = solve(puzzle, {.start = start, .pairs = pairs(7), .time_limit = 0});
  EXPECT_EQ(solution.permutation, truth);
  EXPECT_EQ(solution.seed_order, start);
}

TEST_F(KnownBlocks, ThatAreWrongAreRefused) {
  const Puzzle puzzle = shuffled({0, 1, 2, 3, 4, 5, 6});
  EXPECT_THROW(solve(puzzle, {.pairs = {{0, 1}}}), Error);
  EXPECT_THROW(solve(puzzle, {.pairs = {{1, 0}, {2, 3}}}), Error);
  EXPECT_THROW(solve(puzzle, {.start = {0, 0}, .pairs = pairs(7)}), Error);
  EXPECT_THROW(solve(puzzle, {.start = {0, 2}, .pairs = pairs(7)}), Error);
}

TEST_F(KnownBlocks, RowsFromMemoryAreChecked) {
  rows.features.row(3)[1] = NAN;
  EXPECT_THROW(shuffled({0, 1, 2, 3, 4, 5, 6}), Error);
  rows.features.row(3)[1] = 0;
  rows.target.rows -= 1;
  EXPECT_THROW(make_puzzle(applied, rows, ReadOptions{}), Error);
}

TEST_F(KnownBlocks, AFlagEndsTheCall) {
  const Puzzle puzzle = shuffled({6, 5, 4, 3, 2, 1, 0});
  const CancelFlag set{true};
  const auto code = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::usage;
  };
  EXPECT_EQ(code([&] { solve(puzzle, {.cancel = &set}); }), ErrorCode::cancelled);
  EXPECT_EQ(code([&] { verify(puzzle, ids_of(puzzle.pieces), {.cancel = &set}); }),
            ErrorCode::cancelled);
  EXPECT_EQ(code([&] { pair_pieces(puzzle, {.cancel = &set}); }), ErrorCode::cancelled);
  lab::TrainOptions training;
  training.cancel = &set;
  EXPECT_EQ(code([&] { lab::train(training, rows.features, rows.target); }), ErrorCode::cancelled);
}

TEST_F(KnownBlocks, ForwardIsTheDefinition) {
  const Matrix found = forward(applied, rows.features);
  for (std::size_t i = 0; i < found.values.size(); ++i)
    ASSERT_NEAR(found.values[i], rows.target.values[i], 1e-4);
}

// By differences of the definition itself; a kink within the step spoils a few.
TEST_F(KnownBlocks, GradientsAreTheSlope) {
  constexpr float kStep = 1e-3f;
  const std::vector<Matrix> found = gradients(applied, rows.features, 1);
  ASSERT_EQ(found.size(), 8u);
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < 50; ++r)
    for (std::size_t f = 0; f < 9; ++f) {
      std::vector<float> above(rows.features.row(r), rows.features.row(r) + 9), below = above;
      above[f] += kStep, below[f] -= kStep;
      const double slope =
          (plain_forward(applied, above.data())[1] - plain_forward(applied, below.data())[1]) /
          (double{above[f]} - double{below[f]});
      wrong += std::abs(found[0].row(r)[f] - slope) > 1e-3;
    }
  EXPECT_LT(wrong, 25u);
  for (std::size_t f = 0; f < 9; ++f)
    EXPECT_EQ(found[7].row(0)[f], applied.back().weight.row(1)[f]);
}

TEST_F(KnownBlocks, SidesPairWithoutAHead) {
  std::vector<Piece> expand, contract;
  for (std::size_t b = 0; b < 7; ++b) {
    expand.push_back(applied[2 * b]);
    contract.push_back(applied[2 * (6 - b) + 1]);
  }
  const PairReport report = pair_pieces(expand, contract, nullptr, {.signal = PairSignal::ratio});
  EXPECT_EQ(report.pairing.match, (std::vector<std::size_t>{6, 5, 4, 3, 2, 1, 0}));
  contract.pop_back();
  EXPECT_THROW(pair_pieces(expand, contract), Error);
}

}  // namespace
}  // namespace humpty::test
