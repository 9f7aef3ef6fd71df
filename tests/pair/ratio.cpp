#include "pair/ratio.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "nets.hpp"

namespace humpty::pair {
namespace {

using test::random_net;
using test::random_rows;

// d(i,j) straight from the definition: form the product, take its trace and its norm.
double ratio_by_definition(const Matrix& out, const Matrix& in) {
  double trace = 0, square = 0;
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < in.cols; ++j) {
      double m = 0;
      for (std::size_t k = 0; k < out.cols; ++k) m += double{out.row(i)[k]} * double{in.row(k)[j]};
      square += m * m;
      if (i == j) trace += m;
    }
  return std::abs(trace) / std::sqrt(square);
}

TEST(Ratio, AgreesWithTheDefinitionForManySizes) {
  std::mt19937 rng(2);
  Threads threads(2);
  for (auto [blocks, d, h] :
       {std::array<std::size_t, 3>{1, 2, 3}, {3, 5, 7}, {4, 9, 3}, {5, 16, 32}, {2, 31, 90}}) {
    auto net = random_net(blocks, d, h, 1, rng);
    const Rows rows = random_rows(net, 3, rng);
    const Puzzle puzzle = make_puzzle(net, rows);
    const Pairing pairing = pair_by_ratio(puzzle, threads);
    for (std::size_t i = 0; i < blocks; ++i)
      for (std::size_t j = 0; j < blocks; ++j)
        EXPECT_NEAR(pairing.scores[i * blocks + j],
                    ratio_by_definition(puzzle.piece(pairing.contract[j]).weight,
                                        puzzle.piece(pairing.expand[i]).weight),
                    1e-4)
            << blocks << " blocks, d " << d << ", h " << h;
  }
}

// Large enough for several parts on both axes; some scores are looked at.
TEST(Ratio, AgreesWithTheDefinitionWhenCutIntoParts) {
  std::mt19937 rng(4);
  Threads threads(2);
  constexpr std::size_t kBlocks = 33;
  auto net = random_net(kBlocks, 130, 500, 1, rng);
  const Puzzle puzzle = make_puzzle(net, random_rows(net, 3, rng));
  const Pairing pairing = pair_by_ratio(puzzle, threads);
  for (std::size_t i = 0; i < kBlocks; i += 8)
    for (const std::size_t j : {i, (i + 1) % kBlocks})
      EXPECT_NEAR(pairing.scores[i * kBlocks + j],
                  ratio_by_definition(puzzle.piece(pairing.contract[j]).weight,
                                      puzzle.piece(pairing.expand[i]).weight),
                  1e-4);
}

TEST(Ratio, PairsOnlyEqualWidths) {
  std::mt19937 rng(3);
  Threads threads(1);
  auto narrow = random_net(2, 6, 5, 1, rng), wide = random_net(3, 6, 11, 1, rng);
  narrow.pop_back();
  for (Piece& piece : wide) piece.id += 4;
  narrow.insert(narrow.end(), wide.begin(), wide.end());
  const Puzzle puzzle = make_puzzle(narrow, random_rows(narrow, 3, rng));
  const Pairing pairing = pair_by_ratio(puzzle, threads);
  for (std::size_t i = 0; i < pairing.expand.size(); ++i) {
    const int partner = pairing.contract[pairing.match[i]];
    EXPECT_EQ(partner, pairing.expand[i] + 1);
    EXPECT_EQ(puzzle.piece(partner).weight.cols, puzzle.piece(pairing.expand[i]).weight.rows);
  }
}

TEST(Ratio, MarginIsAgainstTheBestRivalInRowAndColumn) {
  Pairing pairing;
  pairing.expand = {0, 1};
  pairing.contract = {2, 3};
  pairing.scores = {2.0, 0.5, 0.75, 3.0};
  pairing.match = {0, 1};
  EXPECT_DOUBLE_EQ(margin(pairing, 0), 2.0 - 0.75);
  EXPECT_DOUBLE_EQ(margin(pairing, 1), 3.0 - 0.75);
}

}  // namespace
}  // namespace humpty::pair
