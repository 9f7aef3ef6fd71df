#include "pair/signals.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "nets.hpp"
#include "pair/assignment.hpp"
#include "pair/square.hpp"
#include "pair/whiten.hpp"

namespace humpty::pair {
namespace {

using test::random_net;
using test::random_rows;

// Blocks of two hidden widths, ids in the order of application, partners untied.
Puzzle two_widths(std::mt19937& rng) {
  auto net = random_net(4, 6, 5, 1, rng), wide = random_net(3, 6, 9, 1, rng);
  net.pop_back();
  for (Piece& piece : wide) piece.id += 8;
  net.insert(net.end(), wide.begin(), wide.end());
  return make_puzzle(net, random_rows(net, 3, rng));
}

Table random_table(const Sides& sides, std::mt19937& rng) {
  std::normal_distribution<double> normal(3, 2);
  Table table = forbidden_table(sides);
  for (const Width& width : sides.widths)
    for (std::size_t i : width.expand)
      for (std::size_t j : width.contract) table[i * sides.size() + j] = normal(rng);
  return table;
}

TEST(Sides, StandardisedTablesHaveMeanZeroInEveryRowAndColumnOfAWidth) {
  std::mt19937 rng(1);
  const Puzzle puzzle = two_widths(rng);
  const Sides sides(puzzle);
  Table table = random_table(sides, rng);
  standardise(table, sides);
  for (const Width& width : sides.widths)
    for (std::size_t k = 0; k < width.expand.size(); ++k) {
      double row = 0, column = 0;
      for (std::size_t l = 0; l < width.expand.size(); ++l) {
        row += table[width.expand[k] * sides.size() + width.contract[l]];
        column += table[width.expand[l] * sides.size() + width.contract[k]];
      }
      EXPECT_NEAR(row, 0, 1e-9);
      EXPECT_NEAR(column, 0, 1e-9);
    }
}

TEST(Sides, ATableOfNoiseGetsDeviationsOfAboutOne) {
  std::mt19937 rng(2);
  const auto net = random_net(40, 4, 3, 1, rng);
  const Puzzle puzzle = make_puzzle(net, random_rows(net, 3, rng));
  const Sides sides(puzzle);
  Table table = random_table(sides, rng);
  standardise(table, sides);
  const double square = std::inner_product(table.begin(), table.end(), table.begin(), 0.0);
  EXPECT_NEAR(std::sqrt(square / static_cast<double>(table.size())), 1, 0.1);
}

TEST(Sides, SoftAssignmentIsDoublyStochasticWithinEachWidth) {
  std::mt19937 rng(3);
  const Puzzle puzzle = two_widths(rng);
  const Sides sides(puzzle);
  const std::size_t n = sides.size();
  const Table soft = soft_assignment(random_table(sides, rng), 1.5, sides);
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0, column = 0;
    for (std::size_t j = 0; j < n; ++j) {
      row += soft[i * n + j];
      column += soft[j * n + i];
      const bool can_pair = sides.expand[i]->weight.rows == sides.contract[j]->weight.cols;
      EXPECT_EQ(soft[i * n + j] > 0, can_pair);
    }
    EXPECT_NEAR(row, 1, 1e-6);
    EXPECT_NEAR(column, 1, 1e-6);
  }
}

TEST(Sides, AVerySharpSoftAssignmentStaysFinite) {
  std::mt19937 rng(4);
  const auto net = random_net(12, 4, 3, 1, rng);
  const Puzzle puzzle = make_puzzle(net, random_rows(net, 3, rng));
  const Sides sides(puzzle);
  const Table table = random_table(sides, rng), soft = soft_assignment(table, 1e4, sides);
  for (double p : soft) EXPECT_TRUE(std::isfinite(p));
}

TEST(Norms, AreTheCorrelationOfUnitNorms) {
  Piece in, out, head;
  in.weight = {3, 2, {3, 4, 0, 1, 0, 3}};    // norms of the rows: 5, 1, 3
  out.weight = {2, 3, {0, 6, 8, 10, 0, 0}};  // norms of the columns: 10, 6, 8
  head.weight = {1, 2, {1, 1}};
  const Sides sides({&in}, {&out}, &head);
  // (2, −2, 0) and (2, −2, 0) after centring: correlation 1, over √3 units.
  EXPECT_NEAR(norm_balance(sides)[0], std::sqrt(3.0), 1e-9);
}

TEST(Whiten, LeavesUnitSecondMoments) {
  std::mt19937 rng(5);
  std::normal_distribution<float> normal;
  Threads threads(2);
  std::vector<Units> pieces;
  for (int p = 0; p < 20; ++p) {
    pieces.emplace_back(30, 4);
    for (std::size_t k = 0; k < 30; ++k) {
      const float shared = normal(rng);
      for (std::size_t c = 0; c < 4; ++c)
        pieces.back().row(k)[c] = static_cast<float>(c + 1) * normal(rng) + 2 * shared;
    }
  }
  whiten(pieces, 1e-9, threads);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b) {
      double sum = 0;
      for (const Units& piece : pieces)
        for (std::size_t k = 0; k < 30; ++k)
          sum += double{piece.row(k)[a]} * double{piece.row(k)[b]} / 600;
      EXPECT_NEAR(sum, a == b ? 1 : 0, 1e-3);
    }
}

// Units tied by a form that no plain signal knows: w_out = R w_in + noise, R a fixed rotation-like
// matrix without a trace.
std::vector<Piece> tied_net(std::size_t blocks, float strength, std::mt19937& rng) {
  const std::size_t d = 8, h = 24;
  std::vector<Piece> net;
  for (std::size_t b = 0; b < blocks; ++b) {
    Piece in = test::random_piece(static_cast<int>(2 * b), h, d, 1, rng);
    Piece out = test::random_piece(static_cast<int>(2 * b + 1), d, h, 1, rng);
    for (std::size_t k = 0; k < h; ++k)
      for (std::size_t f = 0; f < d; ++f)
        out.weight.row(f)[k] += strength * in.weight.row(k)[(f + 3) % d];
    net.push_back(in);
    net.push_back(out);
  }
  net.push_back(test::random_piece(static_cast<int>(2 * blocks), 1, d, 1, rng));
  return net;
}

TEST(Bilinear, LearnsAFormThatNobodyToldIt) {
  std::mt19937 rng(6);
  const auto net = tied_net(16, 0.6f, rng);
  const Puzzle puzzle = make_puzzle(net, random_rows(net, 3, rng));
  const Sides sides(puzzle);
  Threads threads(2);
  Watch watch(nullptr);
  const Table start = random_table(sides, rng);
  const std::vector<std::size_t> match = assign(bilinear(sides, start, {}, threads, watch), 16);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(match[i], i);
}

// Four square pieces 0 … 3 in the wrong roles: by the scores 2 expands for 0 and 3 for 1.
TEST(Square, PiecesArePairedTheWayRoundThatScoresBetter) {
  std::mt19937 rng(7);
  std::vector<Piece> pieces;
  for (int id = 0; id < 4; ++id) pieces.push_back(test::random_piece(id, 5, 5, 1, rng));
  const Piece head = test::random_piece(4, 1, 5, 1, rng);
  const Sides told({&pieces[0], &pieces[2]}, {&pieces[1], &pieces[3]}, &head);
  const Sides both = doubled(told);
  ASSERT_EQ(both.size(), 4u);
  Table scores(16, 0.0);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      const int in = both.expand[i]->id, out = both.contract[j]->id;
      if (in == 2 && out == 0) scores[i * 4 + j] = 5;
      if (in == 3 && out == 1) scores[i * 4 + j] = 4;
      if (in == 0 && out == 1) scores[i * 4 + j] = 6;  // tempting, but leaves 2 and 3 with nothing
    }
  const Sides found = oriented(told, scores);
  EXPECT_EQ(found.expand[0]->id, 2);
  EXPECT_EQ(found.expand[1]->id, 3);
  EXPECT_EQ(found.contract[0]->id, 0);
  EXPECT_EQ(found.contract[1]->id, 1);
}

}  // namespace
}  // namespace humpty::pair
