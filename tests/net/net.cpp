#include "net/net.hpp"

#include <array>

#include <gtest/gtest.h>

#include "net/plain.hpp"
#include "net/predict.hpp"

namespace humpty::net {
namespace {

// Three blocks of different hidden widths and a head.
struct Sample {
  std::size_t d, o;
  Activation activation;
  std::mt19937 random;
  std::vector<Piece> in, out;
  Piece head;

  Sample(std::size_t d_, std::size_t o_, Activation activation_, unsigned seed)
      : d(d_), o(o_), activation(activation_), random(seed) {
    for (const std::size_t h : {2 * d + 1, std::size_t{3}, d}) {
      in.push_back(plain::random_piece(h, d, random));
      out.push_back(plain::random_piece(d, h, random));
    }
    out[1].bias.clear();
    head = plain::random_piece(o, d, random);
  }

  Net net() const {
    return Net({{&in[0], &out[0]}, {&in[1], &out[1]}, {&in[2], &out[2]}}, head, activation,
               Net::Passes::both);
  }
};

std::vector<Sample> samples() {
  std::vector<Sample> list;
  unsigned seed = 1;
  for (const Activation kind : plain::activations())
    for (const std::size_t d : {1, 5, 16, 37, 70}) list.emplace_back(d, d % 4 + 1, kind, seed++);
  return list;
}

// Forward error of a handful of float32 layers with entries of order one.
constexpr double kRounding = 3e-6;

TEST(Net, KnowsItsSizes) {
  const Sample sample(6, 2, Activation::relu, 1);
  const Net net = sample.net();
  EXPECT_EQ(net.blocks(), 3u);
  EXPECT_EQ(net.d(), 6u);
  EXPECT_EQ(net.o(), 2u);
  EXPECT_EQ(net.hidden(), 13u);
}

TEST(Net, ResidualStepAndHeadMatchADoubleLoop) {
  for (Sample& sample : samples()) {
    const Net net = sample.net();
    const Floats x = plain::random_tile(sample.d, sample.random);
    Floats scratch = floats(net.scratch()), r = floats(sample.d * kTileRows);
    Floats next = floats(sample.d * kTileRows), y = floats(sample.o * kTileRows);
    for (std::size_t block = 0; block < 3; ++block) {
      net.residual(block, x.get(), r.get(), scratch.get());
      net.step(block, x.get(), next.get(), scratch.get());
      net.head(next.get(), y.get());
      for (std::size_t row = 0; row < kTileRows; ++row) {
        const auto in = plain::row_of(x, sample.d, row);
        const auto expected =
            plain::residual(sample.in[block], sample.out[block], sample.activation, in);
        const auto answer = plain::linear(sample.head, plain::sum(in, expected));
        for (std::size_t f = 0; f < sample.d; ++f) {
          ASSERT_NEAR(r[f * kTileRows + row], expected[f], kRounding) << name(sample.activation);
          ASSERT_NEAR(next[f * kTileRows + row], in[f] + expected[f], kRounding);
        }
        for (std::size_t o = 0; o < sample.o; ++o)
          ASSERT_NEAR(y[o * kTileRows + row], answer[o], 2 * kRounding);
      }
    }
  }
}

TEST(Net, StepInPlaceIsTheSameStep) {
  Sample sample(11, 1, Activation::gelu, 3);
  const Net net = sample.net();
  Floats x = plain::random_tile(11, sample.random), next = floats(11 * kTileRows);
  Floats scratch = floats(net.scratch());
  net.step(0, x.get(), next.get(), scratch.get());
  net.step(0, x.get(), x.get(), scratch.get());
  for (std::size_t i = 0; i < 11 * kTileRows; ++i) EXPECT_EQ(x[i], next[i]);
}

TEST(Net, AdjointOfOneStepMatchesADoubleLoop) {
  for (Sample& sample : samples()) {
    const Net net = sample.net();
    const Floats x = plain::random_tile(sample.d, sample.random);
    const Floats start = plain::random_tile(sample.d, sample.random);
    Floats scratch = floats(net.scratch()), g = floats(sample.d * kTileRows);
    for (std::size_t block = 0; block < 3; ++block) {
      std::copy_n(start.get(), sample.d * kTileRows, g.get());
      net.step_adjoint(block, x.get(), g.get(), scratch.get());
      for (std::size_t row = 0; row < kTileRows; ++row) {
        const auto expected = plain::step_adjoint(
            sample.in[block], sample.out[block], sample.activation, plain::row_of(x, sample.d, row),
            plain::row_of(start, sample.d, row));
        for (std::size_t f = 0; f < sample.d; ++f)
          ASSERT_NEAR(g[f * kTileRows + row], expected[f], 2 * kRounding)
              << name(sample.activation) << " d " << sample.d;
      }
    }
  }
}

plain::Doubles whole(const Sample& sample, plain::Doubles x) {
  for (const std::size_t block : {2, 0, 1})
    x = plain::sum(x, plain::residual(sample.in[block], sample.out[block], sample.activation, x));
  return plain::linear(sample.head, x);
}

TEST(Net, AdjointOfTheWholeNetMatchesCentralDifferences) {
  for (Sample& sample : samples()) {
    const Net net = sample.net();
    const std::size_t size = sample.d * kTileRows;
    Floats x[3], g = floats(size), scratch = floats(net.scratch());
    x[0] = plain::random_tile(sample.d, sample.random);
    x[1] = floats(size), x[2] = floats(size);
    net.step(2, x[0].get(), x[1].get(), scratch.get());
    net.step(0, x[1].get(), x[2].get(), scratch.get());
    const std::size_t output = sample.o - 1;
    net.head_adjoint(output, g.get());
    net.step_adjoint(1, x[2].get(), g.get(), scratch.get());
    net.step_adjoint(0, x[1].get(), g.get(), scratch.get());
    net.step_adjoint(2, x[0].get(), g.get(), scratch.get());
    for (const std::size_t row : {std::size_t{0}, kTileRows - 1})
      for (std::size_t f = 0; f < sample.d; ++f) {
        const double h = 1e-7;  // small, so that hardly any relu's kink lies between
        auto left = plain::row_of(x[0], sample.d, row), right = left;
        left[f] -= h, right[f] += h;
        const double expected =
            (whole(sample, right)[output] - whole(sample, left)[output]) / (2 * h);
        ASSERT_NEAR(g[f * kTileRows + row], expected, 2e-5)
            << name(sample.activation) << " d " << sample.d;
      }
  }
}

TEST(Net, EveryInstructionSetGivesTheSameWithinRounding) {
  Sample sample(19, 1, Activation::gelu, 7);
  const Net net = sample.net();
  const Floats start = plain::random_tile(19, sample.random);
  Floats scratch = floats(net.scratch());
  std::vector<float> first;
  plain::for_each_target([&](const char* target) {
    std::vector<float> x(start.get(), start.get() + 19 * kTileRows);
    for (const std::size_t block : {0, 1, 2, 0, 1})
      net.step(block, x.data(), x.data(), scratch.get());
    if (first.empty()) first = x;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], first[i], 2e-5) << target;
  });
}

// Widths and numbers of rows from 1 to 70: the corners, and a sample.
std::vector<std::array<std::size_t, 3>> odd_sizes() {
  std::vector<std::array<std::size_t, 3>> sizes{{1, 1, 1},   {70, 70, 70}, {1, 70, 33}, {70, 1, 31},
                                                {70, 69, 1}, {3, 2, 64},   {16, 32, 65}};
  std::mt19937 random(9);
  std::uniform_int_distribution<std::size_t> any(1, 70);
  while (sizes.size() < 40) sizes.push_back({any(random), any(random), any(random)});
  return sizes;
}

TEST(Net, AnswersOfOddSizesMatchADoubleLoopOnEveryInstructionSet) {
  Threads threads(2);
  std::mt19937 random(10);
  for (const auto& [d, h, rows] : odd_sizes()) {
    std::vector<Piece> applied{plain::random_piece(h, d, random), plain::random_piece(d, h, random),
                               plain::random_piece(3, d, random)};
    const Matrix features = plain::random_piece(rows, d, random).weight;
    std::vector<plain::Doubles> expected;
    for (std::size_t r = 0; r < rows; ++r) {
      const plain::Doubles x(features.row(r), features.row(r) + d);
      const auto step = plain::residual(applied[0], applied[1], Activation::relu, x);
      expected.push_back(plain::linear(applied[2], plain::sum(x, step)));
    }
    plain::for_each_target([&, sizes = std::array{d, h, rows}](const char* target) {
      const Matrix y = predict(applied, Activation::relu, features, threads);
      for (std::size_t r = 0; r < y.rows; ++r)
        for (std::size_t o = 0; o < 3; ++o)
          ASSERT_NEAR(y.row(r)[o], expected[r][o], 2 * kRounding)
              << target << " d " << sizes[0] << " h " << sizes[1] << " rows " << sizes[2];
    });
  }
}

TEST(Net, PiecesThatDoNotChainAreRefused) {
  std::mt19937 random(1);
  const Piece in = plain::random_piece(6, 3, random), out = plain::random_piece(3, 5, random);
  EXPECT_THROW(Net({{&in, &out}}, plain::random_piece(1, 3, random), Activation::relu), Error);
}

Rows numbered_rows(std::size_t count) {
  Rows rows;
  rows.features = {count, 2, {}};
  rows.target = {count, 1, {}};
  for (std::size_t r = 0; r < count; ++r) {
    const float number = static_cast<float>(r);
    for (const float value : {number, 1000 + number}) rows.features.values.push_back(value);
    rows.target.values.push_back(-number);
  }
  return rows;
}

TEST(Batch, HoldsTheRowsAskedForFeatureMajorAndFillsUpWithZeros) {
  const Batch batch(numbered_rows(100), 10, kTileRows + 5);
  EXPECT_EQ(batch.rows(), kTileRows + 5);
  ASSERT_EQ(batch.tiles(), 2u);
  EXPECT_EQ(batch.rows_in(0), kTileRows);
  EXPECT_EQ(batch.rows_in(1), 5u);
  EXPECT_EQ(batch.features(0)[3], 13.0f);
  EXPECT_EQ(batch.features(0)[kTileRows + 3], 1013.0f);
  EXPECT_EQ(batch.target(1)[4], -static_cast<float>(10 + kTileRows + 4));
  for (std::size_t r = 5; r < kTileRows; ++r) {
    EXPECT_EQ(batch.features(1)[r], 0.0f);
    EXPECT_EQ(batch.features(1)[kTileRows + r], 0.0f);
    EXPECT_EQ(batch.target(1)[r], 0.0f);
  }
}

TEST(Batch, AFullLastTileStaysFull) {
  const Batch batch(numbered_rows(2 * kTileRows), 0, 2 * kTileRows);
  EXPECT_EQ(batch.tiles(), 2u);
  EXPECT_EQ(batch.rows_in(1), kTileRows);
}

TEST(SquaredError, CountsOnlyTheRowsThatCount) {
  std::vector<float> y(2 * kTileRows, 1.0f), target(2 * kTileRows, 0.0f);
  target[1] = 3.0f;
  double squares[4] = {-1, -1, -1, -1};
  EXPECT_EQ(squared_errors(y.data(), target.data(), 2, 3, squares), 2.0 + 5.0 + 2.0);
  EXPECT_EQ(squares[1], 5.0);
  EXPECT_EQ(squares[3], -1.0);
}

}  // namespace
}  // namespace humpty::net
