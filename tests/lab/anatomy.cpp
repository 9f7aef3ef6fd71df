#include "lab/anatomy.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "lab/sampling.hpp"
#include "nets.hpp"

namespace humpty {
namespace {

constexpr double kNear = 1e-5;

struct Made {
  std::vector<Piece> applied;
  std::vector<int> order;
  Puzzle puzzle;
  Threads threads{2};

  explicit Made(std::size_t blocks = 3, std::size_t rows = 70) {
    std::mt19937 rng(3);
    applied = test::random_net(blocks, 4, 6, 1, rng);
    order = test::ids_of(applied);
    puzzle = make_puzzle(applied, test::random_rows(applied, rows, rng));
  }
  lab::Assembled net() const { return {puzzle, order, Activation::relu}; }
};

double length(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

// r(x), and how many hidden units are above zero, straight from the definition.
std::vector<double> plain_residual(const Made& made, std::size_t block,
                                   const std::vector<double>& x, double& active) {
  std::vector<double> hidden = test::plain_layer(made.applied[2 * block], x);
  for (double& z : hidden) {
    active += z > 0;
    z = std::max(z, 0.0);
  }
  return test::plain_layer(made.applied[2 * block + 1], hidden);
}

TEST(Anatomy, MotionsAreThoseOfTheNetByItsDefinition) {
  Made made;
  const std::size_t rows = 50;  // two tiles, the second not full; fewer than there are
  const std::vector<lab::Motion> motions = lab::motions(made.net(), rows, made.threads);
  ASSERT_EQ(motions.size(), 3u);
  std::vector<lab::Motion> expected(3);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* features = made.puzzle.rows.features.row(row);
    const std::vector<double> raw(features, features + 4);
    std::vector<double> x = raw;
    for (std::size_t k = 0; k < 3; ++k) {
      double ignored = 0, active = 0;
      expected[k].delta_norm += length(plain_residual(made, k, raw, ignored)) / rows;
      const std::vector<double> r = plain_residual(made, k, x, active);
      expected[k].active += active / 6 / rows;
      expected[k].relative += length(r) / length(x) / rows;
      for (std::size_t f = 0; f < 4; ++f) x[f] += r[f];
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(motions[k].delta_norm, expected[k].delta_norm, kNear);
    EXPECT_NEAR(motions[k].active, expected[k].active, kNear);
    EXPECT_NEAR(motions[k].relative, expected[k].relative, kNear);
  }
}

TEST(Anatomy, AProductIsWoutTimesWin) {
  Piece in, out;
  in.weight = {3, 2, {1, 2, 3, 4, 5, 6}};
  out.weight = {2, 3, {1, 0, -1, 2, 1, 0}};
  EXPECT_EQ(lab::product(in, out).values, (std::vector<float>{-4, -4, 5, 8}));
}

TEST(Anatomy, SingularValuesAreWhatRotationsLeaveAlone) {
  const float c = 0.6f, s = 0.8f;  // rotation · diag(2, 5)
  const std::vector<double> values = lab::singular_values({2, 2, {2 * c, -5 * s, 2 * s, 5 * c}});
  ASSERT_EQ(values.size(), 2u);
  EXPECT_NEAR(values[0], 5, kNear);
  EXPECT_NEAR(values[1], 2, kNear);
  EXPECT_NEAR(lab::frobenius_norm({1, 2, {3, 4}}), 5, kNear);
}

TEST(Anatomy, EffectiveRankCountsEvenlyUsedDirections) {
  EXPECT_NEAR(lab::effective_rank({1, 1, 1, 1}), 4, kNear);
  EXPECT_NEAR(lab::effective_rank({3, 0, 0}), 1, kNear);
  EXPECT_NEAR(lab::effective_rank({2, 1, 1}), std::pow(2, 1.5), kNear);  // entropy 1.5 bits
  EXPECT_EQ(lab::effective_rank({0, 0}), 0);
}

TEST(Anatomy, AnExchangeOfNeighboursCostsWhatThePlainNetSays) {
  Made made;
  const std::vector<double> errors = lab::adjacent_swaps(made.net(), 40, made.threads);
  ASSERT_EQ(errors.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<Piece> swapped = made.applied;
    std::swap(swapped[2 * k], swapped[2 * k + 2]);
    std::swap(swapped[2 * k + 1], swapped[2 * k + 3]);
    double error = 0;
    for (std::size_t row = 0; row < 40; ++row) {
      const double y = test::plain_forward(swapped, made.puzzle.rows.features.row(row))[0];
      error += std::pow(y - double{made.puzzle.rows.target.values[row]}, 2) / 40;
    }
    EXPECT_NEAR(errors[k], error, kNear * error);
  }
}

TEST(Anatomy, TheWorstAnswerIsAlwaysShown) {
  Made made(3, 500);
  made.puzzle.rows.target.values[217] += 1;
  const std::vector<lab::Answer> answers = lab::answers(made.net(), 100, made.threads);
  EXPECT_LE(answers.size(), 100u);
  EXPECT_GE(answers.size(), 90u);
  bool seen = false;
  for (const lab::Answer& answer : answers) {
    const double error = std::abs(answer.predicted - answer.target);
    EXPECT_EQ(answer.output, 0u);
    EXPECT_NEAR(error, answer.row == 217 ? 1 : 0, 1e-4);
    seen |= answer.row == 217;
  }
  EXPECT_TRUE(seen);
}

TEST(Sampling, TheFirstAndTheLastAreAmongThem) {
  EXPECT_EQ(lab::spread(5, 9), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(lab::spread(9, 3), (std::vector<std::size_t>{0, 4, 8}));
  EXPECT_EQ(lab::spread(9, 1), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(lab::spread(0, 4).empty());
}

TEST(Sampling, BinsCoverTheWholeMatrix) {
  Matrix matrix{3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  EXPECT_EQ(lab::binned(matrix, 2, lab::Bin::largest).values, (std::vector<float>{1, 3, 7, 9}));
  EXPECT_EQ(lab::binned(matrix, 2, lab::Bin::mean).values, (std::vector<float>{1, 2.5, 5.5, 7}));
  EXPECT_EQ(lab::binned(matrix, 9, lab::Bin::mean).values, matrix.values);
}

TEST(Sampling, PairsLieOnTheDiagonalAfterMatching) {
  Pairing pairing;
  pairing.expand = {1, 3};
  pairing.contract = {0, 2};
  pairing.scores = {0.1, 0.9, 0.8, 0.2};
  pairing.match = {1, 0};
  EXPECT_EQ(lab::scores_by_id(pairing).values, (std::vector<float>{0.1f, 0.9f, 0.8f, 0.2f}));
  EXPECT_EQ(lab::scores_by_pair(pairing, {}).values, (std::vector<float>{0.9f, 0.1f, 0.2f, 0.8f}));
  const std::vector<Block> blocks{{3, 0, 0, 0}, {1, 2, 0, 0}};  // as they run
  EXPECT_EQ(lab::scores_by_pair(pairing, blocks).values,
            (std::vector<float>{0.8f, 0.2f, 0.1f, 0.9f}));
}

}  // namespace
}  // namespace humpty
