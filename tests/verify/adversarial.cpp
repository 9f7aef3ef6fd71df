// Nets and rows made to mislead, each with the verdict that it must get. What remains of an
// ambiguous one is compared with trying all arrangements.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "verify/freedom.hpp"
#include "verify/kin.hpp"

namespace humpty {
namespace {

using namespace test;

constexpr std::size_t kRows = 200;

std::vector<Piece> net(std::size_t blocks, unsigned seed, std::size_t d = 4, std::size_t h = 6,
                       std::size_t o = 1) {
  std::mt19937 rng(seed);
  return random_net(blocks, d, h, o, rng);
}

Case with_rows(const std::vector<Piece>& applied, std::size_t count = kRows, unsigned seed = 99) {
  std::mt19937 rng(seed);
  return case_of(applied, random_rows(applied, count, rng));
}

void expect_ambiguous(const Case& made, double tolerance = 1e-5) {
  const Certificate c = verify(made.puzzle, made.truth, {.scope = Scope::full});
  ASSERT_EQ(c.verdict, Verdict::ambiguous) << c.why;
  ASSERT_TRUE(c.freedom);
  EXPECT_FALSE(c.freedom->at_least);
  EXPECT_EQ(c.freedom->permutations, std::to_string(count_by_force(made.puzzle, tolerance)));
}

// ---- the net

TEST(Adversarial, IdenticalBlocksAreAmbiguous) {
  auto applied = net(3, 1);
  copy_weights(applied[0], applied[4]);
  copy_weights(applied[1], applied[5]);
  const Case made = with_rows(applied);
  expect_ambiguous(made);
  const Certificate c = verify(made.puzzle, made.truth, {.scope = Scope::full});
  EXPECT_EQ(c.freedom->expand, (std::vector<std::vector<int>>{{0, 4}}));
  EXPECT_EQ(c.freedom->contract, (std::vector<std::vector<int>>{{1, 5}}));
  EXPECT_EQ(c.freedom->permutations, "4");
  // Far apart as they are, the cheap certificate sees them too.
  EXPECT_EQ(verify(made.puzzle, made.truth, {.scope = Scope::adjacent}).verdict,
            Verdict::ambiguous);
}

TEST(Adversarial, ACopiedHalfIsAmbiguous) {
  auto applied = net(4, 2);
  copy_weights(applied[1], applied[7]);
  expect_ambiguous(with_rows(applied));
}

TEST(Adversarial, BlocksOnDisjointCoordinatesAreAmbiguous) {
  auto applied = net(4, 3);
  for (std::size_t b = 0; b < 4; ++b)
    confine(applied[2 * b], applied[2 * b + 1], b % 2 * 2, b % 2 * 2 + 2);
  const Case made = with_rows(applied);
  expect_ambiguous(made);  // 4 choose 2
  EXPECT_EQ(verify(made.puzzle, made.truth).freedom->permutations, "6");
}

TEST(Adversarial, ZeroBlocksAreAmbiguous) {
  auto applied = net(4, 4);
  kill(applied[3]);
  kill(applied[7]);
  expect_ambiguous(with_rows(applied));  // 4 choose 2 places, 2! W_in, 2! W_out
  auto one = net(4, 5);
  kill(one[5]);
  expect_ambiguous(with_rows(one));  // four places
}

TEST(Adversarial, TwinsWithinTheRoundingAreNotCalledExact) {
  std::mt19937 rng(6);
  std::normal_distribution<float> tiny(0, 1e-6f);
  for (unsigned seed = 0; seed < 5; ++seed) {
    auto applied = net(4, 60 + seed, 8, 12);
    copy_weights(applied[0], applied[6]);
    copy_weights(applied[1], applied[7]);
    for (float& w : applied[6].weight.values) w *= 1 + tiny(rng);
    for (float& w : applied[7].weight.values) w *= 1 + tiny(rng);
    Case made = with_rows(applied);
    EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::ambiguous);
    std::swap(made.truth[0], made.truth[6]);
    std::swap(made.truth[1], made.truth[7]);
    EXPECT_NE(verify(made.puzzle, made.truth).verdict, Verdict::exact);
  }
}

TEST(Adversarial, TwinsBeyondTheRoundingAreTold) {
  auto applied = net(4, 7, 8, 12);
  copy_weights(applied[0], applied[6]);
  copy_weights(applied[1], applied[7]);
  applied[6].weight.values[3] += 0.01f;
  applied[7].weight.values[5] += 0.01f;
  Case made = with_rows(applied);
  EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::exact);
  std::swap(made.truth[0], made.truth[6]);
  std::swap(made.truth[1], made.truth[7]);
  EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::unsolved);
}

TEST(Adversarial, ASingleBlockIsExact) {
  const Case made = with_rows(net(1, 8), 5);
  const Certificate c = verify(made.puzzle, made.truth);
  EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
  EXPECT_EQ(c.rivals, 0u);
}

// ---- the rows

TEST(Adversarial, AConstantTargetLeavesEverythingOpen) {
  auto applied = net(3, 9);
  std::fill(applied.back().weight.values.begin(), applied.back().weight.values.end(), 0.0f);
  expect_ambiguous(with_rows(applied));
  const Case made = with_rows(applied);
  EXPECT_EQ(verify(made.puzzle, made.truth).freedom->permutations, "36");  // 3!²
}

TEST(Adversarial, OneRowIsNotEnough) {
  for (unsigned seed = 10; seed < 20; ++seed) {
    const Case made = with_rows(net(4, seed), 1, seed);
    const Certificate c = verify(made.puzzle, made.truth);
    EXPECT_EQ(c.verdict, Verdict::ambiguous) << c.why;
    EXPECT_GT(c.rows_needed, 1u);
  }
}

TEST(Adversarial, TheSameRowAHundredTimesIsOneRow) {
  Case made = with_rows(net(4, 20), 100);
  for (std::size_t r = 1; r < 100; ++r) {
    std::copy_n(made.puzzle.rows.features.row(0), 4, made.puzzle.rows.features.row(r));
    made.puzzle.rows.target.values[r] = made.puzzle.rows.target.values[0];
  }
  EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::ambiguous);
}

// Blocks that read only the coordinates which are zero in all rows, and write none that matter
// before their turn, cannot be told apart by these rows.
TEST(Adversarial, RowsThatMissHalfTheInputSpace) {
  auto applied = net(4, 21);
  for (std::size_t b = 1; b < 3; ++b) {
    confine(applied[2 * b], applied[2 * b + 1], 2, 4);
    std::fill(applied[2 * b].bias.begin(), applied[2 * b].bias.end(), 0.0f);
    std::fill(applied[2 * b + 1].bias.begin(), applied[2 * b + 1].bias.end(), 0.0f);
  }
  for (std::size_t b : {0u, 3u}) confine(applied[2 * b], applied[2 * b + 1], 0, 2);
  std::mt19937 rng(22);
  Rows rows = random_rows(applied, kRows, rng);
  for (std::size_t r = 0; r < kRows; ++r) {
    rows.features.row(r)[2] = rows.features.row(r)[3] = 0;
    rows.target.values[r] = static_cast<float>(plain_forward(applied, rows.features.row(r))[0]);
  }
  expect_ambiguous(case_of(applied, rows));
}

// ---- the arithmetic

// Large weights, many blocks: float32 loses all digits, so its floor would cover any error.
TEST(Adversarial, WhatBlowsUpExplainsNothing) {
  auto applied = net(40, 25, 8, 12);
  for (std::size_t i = 0; i + 1 < applied.size(); ++i)
    for (float& w : applied[i].weight.values) w *= 2.5f;
  const Case made = with_rows(applied);
  for (std::size_t b : {0u, 10u, 30u}) {
    auto wrong = made.truth;
    std::swap(wrong[2 * b], wrong[2 * b + 4]);
    std::swap(wrong[2 * b + 1], wrong[2 * b + 5]);
    EXPECT_EQ(verify(made.puzzle, wrong, {.advise = false}).verdict, Verdict::unsolved);
  }
}

float half_of(float value) {  // to nearest, by way of the next lower and higher float16
  const int exponent = std::max(std::ilogb(value), -14);
  const float step = std::ldexp(1.0f, exponent - 10);
  return std::nearbyint(value / step) * step;
}

// Everything rounded to float16 after every operation, sums included.
float half_forward(const std::vector<Piece>& applied, const float* features) {
  std::vector<float> x(features, features + applied[0].weight.cols);
  for (float& value : x) value = half_of(value);
  const auto layer = [](const Piece& piece, const std::vector<float>& in) {
    std::vector<float> out;
    for (std::size_t i = 0; i < piece.weight.rows; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < in.size(); ++k) sum += half_of(piece.weight.row(i)[k]) * in[k];
      out.push_back(half_of(half_of(sum) + half_of(piece.bias[i])));
    }
    return out;
  };
  for (std::size_t b = 0; b + 1 < applied.size(); b += 2) {
    std::vector<float> hidden = layer(applied[b], x);
    for (float& z : hidden) z = std::max(z, 0.0f);
    const std::vector<float> r = layer(applied[b + 1], hidden);
    for (std::size_t f = 0; f < x.size(); ++f) x[f] = half_of(x[f] + r[f]);
  }
  return layer(applied.back(), x)[0];
}

TEST(Adversarial, TargetsComputedInFloat16AreExactAndTheFloorSaysSo) {
  const auto applied = net(4, 30, 8, 12);
  Case made = with_rows(applied, 2000);
  for (std::size_t r = 0; r < 2000; ++r)
    made.puzzle.rows.target.values[r] = half_forward(applied, made.puzzle.rows.features.row(r));
  const Certificate c = verify(made.puzzle, made.truth);
  EXPECT_EQ(c.verdict, Verdict::exact) << c.why << c.mse << " against " << c.floor_mse;
  EXPECT_EQ(c.floor, "float16 arithmetic");
  std::swap(made.truth[0], made.truth[2]);
  std::swap(made.truth[1], made.truth[3]);
  EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::unsolved);
}

// Summed backwards, in pairs, or all at once in double and rounded at the end.
TEST(Adversarial, TargetsComputedInAnotherOrderOfSummationAreExact) {
  enum class Way { backwards, pairwise, wide };
  for (Way way : {Way::backwards, Way::pairwise, Way::wide})
    for (unsigned seed = 40; seed < 45; ++seed) {
      const auto applied = net(12, seed, 12, 24);
      Case made = with_rows(applied, 500);
      const auto layer = [&](const Piece& piece, const std::vector<float>& x) {
        std::vector<float> y;
        for (std::size_t i = 0; i < piece.weight.rows; ++i) {
          std::vector<float> terms{piece.bias[i]};
          for (std::size_t k = 0; k < x.size(); ++k) terms.push_back(piece.weight.row(i)[k] * x[k]);
          if (way == Way::backwards) {
            float sum = 0;
            for (std::size_t k = terms.size(); k-- > 0;) sum += terms[k];
            y.push_back(sum);
            continue;
          }
          for (std::size_t step = 1; step < terms.size(); step *= 2)
            for (std::size_t k = 0; k + step < terms.size(); k += 2 * step)
              terms[k] += terms[k + step];
          y.push_back(terms[0]);
        }
        return y;
      };
      for (std::size_t r = 0; r < 500; ++r) {
        const float* features = made.puzzle.rows.features.row(r);
        std::vector<float> x(features, features + 12);
        for (std::size_t b = 0; b + 1 < applied.size(); b += 2) {
          std::vector<float> hidden = layer(applied[b], x);
          for (float& z : hidden) z = std::max(z, 0.0f);
          const std::vector<float> move = layer(applied[b + 1], hidden);
          for (std::size_t f = 0; f < x.size(); ++f) x[f] += move[f];
        }
        made.puzzle.rows.target.values[r] =
            way == Way::wide ? static_cast<float>(plain_forward(applied, features)[0])
                             : layer(applied.back(), x)[0];
      }
      const Certificate c = verify(made.puzzle, made.truth);
      EXPECT_EQ(c.verdict, Verdict::exact) << c.why << " " << c.mse << " against " << c.floor_mse;
    }
}

TEST(Adversarial, RoundedTargetsAreExactAndTheFloorSaysSo) {
  for (int decimals : {3, 4, 5, 6}) {
    Case made = with_rows(net(5, 50, 8, 12), 1000);
    const double scale = std::pow(10, decimals);
    for (float& y : made.puzzle.rows.target.values)
      y = static_cast<float>(std::nearbyint(double{y} * scale) / scale);
    const Certificate c = verify(made.puzzle, made.truth);
    EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
    // The sixth decimal is within what float32 leaves open.
    const bool said = c.floor.find(fmt::format("{} decimals", decimals)) != std::string::npos;
    EXPECT_TRUE(said || decimals == 6) << c.floor;
    std::swap(made.truth[2], made.truth[4]);
    std::swap(made.truth[3], made.truth[5]);
    EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::unsolved);
  }
}

TEST(Adversarial, NoiseIsBelievedOnlyWhereItIsDeclared) {
  Case made = with_rows(net(4, 51, 8, 12), 2000);
  std::mt19937 rng(52);
  std::normal_distribution<float> noise(0, 1e-3f);
  for (float& y : made.puzzle.rows.target.values) y += noise(rng);
  const Certificate undeclared = verify(made.puzzle, made.truth);
  EXPECT_EQ(undeclared.verdict, Verdict::unsolved);
  ASSERT_FALSE(undeclared.hints.empty());
  EXPECT_NE(undeclared.hints.back().find("--noise 0.001"), std::string::npos)
      << undeclared.hints.back();
  EXPECT_EQ(undeclared.firm.size(), 3u);
  const Certificate declared = verify(made.puzzle, made.truth, {.noise = 1e-3});
  EXPECT_EQ(declared.verdict, Verdict::exact) << declared.why;
  EXPECT_NE(declared.floor.find("as declared"), std::string::npos);
}

TEST(Adversarial, TheTruthInsteadOfTheOutputsIsNeverExact) {
  Case made = with_rows(net(4, 53));
  made.puzzle.target = Target::truth;
  EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::unsolved);
}

TEST(Adversarial, ProbabilitiesAreExact) {
  const auto applied = net(4, 54, 6, 9, 3);
  Case made = with_rows(applied, 300);
  for (std::size_t r = 0; r < 300; ++r) {
    float* y = made.puzzle.rows.target.row(r);
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::exp(double{y[k]});
    for (std::size_t k = 0; k < 3; ++k) y[k] = static_cast<float>(std::exp(double{y[k]}) / sum);
  }
  made.puzzle.target = Target::probabilities;
  EXPECT_EQ(verify(made.puzzle, made.truth).verdict, Verdict::exact);
  EXPECT_EQ(solve(made.puzzle, {.time_limit = 0}).verdict, Verdict::exact);
}

// ---- counting

verifier::Before chain(std::size_t n) {
  verifier::Before before(n, std::vector<char>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) before[i][j] = 1;
  return before;
}

TEST(Freedom, SequencesOfAPartialOrder) {
  EXPECT_NEAR(*verifier::log_sequences(chain(7)), 0, 1e-12);
  verifier::Before none(30, std::vector<char>(30));
  EXPECT_NEAR(*verifier::log_sequences(none), std::lgamma(31), 1e-9);
  // The zigzag 0 < 1 > 2 < 3 > 4: 16 alternating permutations of five, by André.
  verifier::Before zigzag(5, std::vector<char>(5));
  for (std::size_t even : {0u, 2u, 4u})
    for (std::size_t odd : {1u, 3u})
      if (even + 1 == odd || odd + 1 == even) zigzag[even][odd] = 1;
  EXPECT_NEAR(std::exp(*verifier::log_sequences(zigzag)), 16, 1e-9);
}

}  // namespace
}  // namespace humpty
