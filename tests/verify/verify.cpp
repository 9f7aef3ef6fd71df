#include <algorithm>
#include <cmath>
#include <set>

#include <numeric>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "nets.hpp"

namespace humpty {
namespace {

using test::ids_of;
using test::random_net;
using test::random_rows;

struct Made {
  std::vector<Piece> applied;
  Puzzle puzzle;
  std::vector<int> truth;
};

Made make(std::size_t blocks, std::size_t d, std::size_t h, std::size_t o, std::size_t count,
          unsigned seed) {
  std::mt19937 rng(seed);
  auto applied = random_net(blocks, d, h, o, rng);
  Rows rows = random_rows(applied, count, rng);
  return {applied, make_puzzle(applied, rows), ids_of(applied)};
}

void swap_blocks(std::vector<int>& permutation, std::size_t a, std::size_t b) {
  std::swap(permutation[2 * a], permutation[2 * b]);
  std::swap(permutation[2 * a + 1], permutation[2 * b + 1]);
}

double plain_mse(const Made& made, const std::vector<int>& permutation) {
  std::vector<Piece> applied;
  for (int id : permutation) applied.push_back(made.puzzle.piece(id));
  double sum = 0;
  const Rows& rows = made.puzzle.rows;
  for (std::size_t r = 0; r < rows.features.rows; ++r) {
    const auto y = test::plain_forward(applied, rows.features.row(r));
    for (std::size_t o = 0; o < y.size(); ++o) sum += std::pow(y[o] - rows.target.row(r)[o], 2);
  }
  return sum / static_cast<double>(rows.target.values.size());
}

TEST(Verify, TheTruthIsExactForManyShapes) {
  unsigned seed = 10;
  for (auto [blocks, d, h, o, rows] : {std::array<std::size_t, 5>{5, 6, 9, 1, 100},
                                       {1, 3, 5, 2, 33},
                                       {12, 16, 7, 3, 257},
                                       {2, 1, 5, 1, 50}}) {
    const Made made = make(blocks, d, h, o, rows, ++seed);
    const Certificate c = verify(made.puzzle, made.truth);
    EXPECT_EQ(c.verdict, Verdict::exact)
        << c.why << ", " << blocks << " blocks: " << c.mse << " against " << c.floor_mse;
    EXPECT_EQ(c.rows, rows);
    EXPECT_EQ(c.refuted, c.rivals);
  }
}

TEST(Verify, TheErrorIsThatOfAPlainLoop) {
  Made made = make(6, 5, 8, 2, 77, 3);
  swap_blocks(made.truth, 1, 4);
  const Certificate c = verify(made.puzzle, made.truth);
  EXPECT_EQ(c.verdict, Verdict::unsolved);
  EXPECT_NEAR(c.mse / plain_mse(made, made.truth), 1, 1e-9);
}

TEST(Verify, EveryExchangeOfTwoBlocksIsUnsolved) {
  const Made made = make(6, 8, 12, 1, 200, 4);
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = a + 1; b < 6; ++b) {
      auto wrong = made.truth;
      swap_blocks(wrong, a, b);
      EXPECT_EQ(verify(made.puzzle, wrong).verdict, Verdict::unsolved);
      auto crossed = made.truth;
      std::swap(crossed[2 * a + 1], crossed[2 * b + 1]);
      EXPECT_EQ(verify(made.puzzle, crossed).verdict, Verdict::unsolved);
    }
}

using Orders = std::set<std::vector<int>>;

// Blocks first … last − 1 and whatever is behind them as iterators into an order.
auto block_at(std::vector<int>& order, std::size_t place) {
  return order.begin() + std::ptrdiff_t(2 * place);
}

// Exchanges, insertions, reversals, orders of four neighbours, arrangements of three neighbours'
// pieces.
Orders smaller_rivals(const std::vector<int>& truth) {
  const std::size_t n = truth.size() / 2;
  Orders rivals;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      auto swapped = truth, moved = truth, in = truth, out = truth, reversed = truth;
      swap_blocks(swapped, a, b);
      std::swap(in[2 * a], in[2 * b]);
      std::swap(out[2 * a + 1], out[2 * b + 1]);
      const std::vector<int> block(block_at(moved, a), block_at(moved, a + 1));
      moved.erase(block_at(moved, a), block_at(moved, a + 1));
      moved.insert(block_at(moved, b), block.begin(), block.end());
      for (std::size_t i = a, j = b; i < j; ++i, --j) swap_blocks(reversed, i, j);
      rivals.insert({swapped, moved, in, out, reversed});
    }
  const auto windows = [&](std::size_t size, bool whole) {
    std::vector<std::size_t> in(size), out(size);
    std::iota(in.begin(), in.end(), 0u);
    do {
      std::iota(out.begin(), out.end(), 0u);
      do {
        for (std::size_t a = 0; a + size <= n && (!whole || in == out); ++a) {
          auto changed = truth;
          for (std::size_t i = 0; i < size; ++i) {
            changed[2 * (a + i)] = truth[2 * (a + in[i])];
            changed[2 * (a + i) + 1] = truth[2 * (a + out[i]) + 1];
          }
          rivals.insert(changed);
        }
      } while (std::next_permutation(out.begin(), out.end()));
    } while (std::next_permutation(in.begin(), in.end()));
  };
  windows(4, true);
  windows(3, false);
  rivals.erase(truth);
  return rivals;
}

// Segments of any length exchanged, W_in and W_out cycled by threes.
Orders larger_rivals(const std::vector<int>& truth) {
  const std::size_t n = truth.size() / 2;
  Orders rivals;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t c = 0; c <= n; ++c) {
        if (a < b && b < c) {
          auto changed = truth;
          std::rotate(block_at(changed, a), block_at(changed, b), block_at(changed, c));
          rivals.insert(changed);
        }
        if (a == b || b == c || a == c || c == n) continue;
        for (std::size_t side : {0u, 1u}) {
          auto changed = truth;
          changed[2 * b + side] = truth[2 * a + side];
          changed[2 * c + side] = truth[2 * b + side];
          changed[2 * a + side] = truth[2 * c + side];
          rivals.insert(changed);
        }
      }
  return rivals;
}

TEST(Verify, EveryRivalIsThereAndTheNearestIsThatOfAPlainLoop) {
  const Made made = make(7, 6, 9, 1, 100, 5);
  Orders all = smaller_rivals(made.truth);
  double least = INFINITY;
  for (const auto& rival : all) least = std::min(least, plain_mse(made, rival));
  all.merge(larger_rivals(made.truth));
  for (bool every_row : {false, true}) {
    const Certificate c =
        verify(made.puzzle, made.truth, {.scope = Scope::full, .every_row = every_row});
    EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
    EXPECT_EQ(c.rivals, all.size());
    ASSERT_TRUE(c.nearest);
    EXPECT_FALSE(c.nearest->is_bound);
    EXPECT_NEAR(c.nearest->mse / least, 1, 1e-9);
    EXPECT_NEAR(plain_mse(made, after(*c.nearest, made.truth)) / least, 1, 1e-9);
  }
}

TEST(Verify, AFewBlocksAreTriedInEveryArrangement) {
  const Made made = make(4, 6, 9, 1, 100, 5);
  const Certificate c = verify(made.puzzle, made.truth);
  EXPECT_EQ(c.scope, Scope::all);
  EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
  EXPECT_EQ(c.rivals, 24u * 24 - 1);
  EXPECT_EQ(c.refuted, c.rivals);
  ASSERT_TRUE(c.nearest);
  EXPECT_NEAR(plain_mse(made, after(*c.nearest, made.truth)) / c.nearest->mse, 1, 1e-9);
}

TEST(Verify, TheNearestRivalIsTheSameInSolveAndVerify) {
  const Made made = make(9, 8, 12, 1, 400, 6);
  const Certificate thorough = verify(made.puzzle, made.truth),
                    quick = verify(made.puzzle, made.truth, {.quick = true});
  EXPECT_EQ(text(*thorough.nearest), text(*quick.nearest));
  EXPECT_TRUE(quick.nearest->is_bound);
  EXPECT_LE(quick.nearest->mse, thorough.nearest->mse * 1.001);
}

TEST(Verify, NeighboursAndLookAlikesAreAFewRivals) {
  const Made made = make(9, 6, 9, 1, 100, 5);
  const Certificate c = verify(made.puzzle, made.truth, {.scope = Scope::adjacent});
  EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
  EXPECT_GE(c.rivals, 8u);
  EXPECT_LE(c.rivals, 8u + 2 * 9u);
}

// Two blocks that never act on the same coordinates commute: nobody can order them.
TEST(Verify, CommutingNeighboursAreNotCalledExact) {
  std::mt19937 rng(6);
  auto applied = random_net(2, 4, 6, 1, rng);
  for (std::size_t b = 0; b < 2; ++b) {
    Piece &in = applied[2 * b], &out = applied[2 * b + 1];
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t f = 0; f < 4; ++f)
        if (f / 2 != b) in.weight.row(k)[f] = 0, out.weight.row(f)[k] = 0;
    for (std::size_t f = 0; f < 4; ++f)
      if (f / 2 != b) out.bias[f] = 0;
  }
  const Rows rows = random_rows(applied, 300, rng);
  const Certificate c = verify(make_puzzle(applied, rows), ids_of(applied));
  EXPECT_EQ(c.verdict, Verdict::ambiguous);
  EXPECT_LE(c.mse, c.floor_mse);
  EXPECT_EQ(c.refuted, 2u);  // the two exchanges of halves
}

// An error on one row of many hides in the mean; the largest error shows it.
TEST(Verify, OneWrongRowIsEnoughToRefuse) {
  Made made = make(4, 6, 8, 1, 5000, 7);
  made.puzzle.rows.target.values[4321] +=
      2e-4f * std::max(1.0f, std::abs(made.puzzle.rows.target.values[4321]));
  EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::unsolved);
}

TEST(Verify, TheSameAtAnyNumberOfThreads) {
  const Made made = make(7, 9, 11, 2, 1000, 8);
  const Certificate one = verify(made.puzzle, made.truth, {.threads = 1}),
                    three = verify(made.puzzle, made.truth, {.threads = 3});
  EXPECT_EQ(one.mse, three.mse);
  EXPECT_EQ(one.nearest->mse, three.nearest->mse);
  EXPECT_EQ(one.floor_mse, three.floor_mse);
}

TEST(Verify, AnOrderThatCannotBeRunIsRefusedInWords) {
  const Made made = make(3, 4, 5, 1, 10, 9);
  const auto refused = [&](std::vector<int> order, const std::string& word) {
    try {
      verify(made.puzzle, order);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused({0, 1, 2}, "names 3 pieces");
  refused({0, 1, 2, 3, 4, 5, 99}, "no piece 99");
  refused({0, 1, 0, 3, 4, 5, 6}, "twice");
  refused({1, 0, 2, 3, 4, 5, 6}, "expand");
}

}  // namespace
}  // namespace humpty
