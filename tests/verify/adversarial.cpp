// Nets and rows made to mislead, each with the verdict that it must get. What remains of an
// ambiguous one is compared with trying all arrangements.
#include <cmath>
#include <complex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "verify/freedom.hpp"
#include "verify/kin.hpp"
#include "verify/screen.hpp"
#include "verify/tiny_nets.hpp"

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
  const std::string remain = std::to_string(count_by_force(made.puzzle, tolerance));
  for (Scope scope : {Scope::all, Scope::full}) {
    const Certificate c = verify(made.puzzle, made.truth, {.scope = scope});
    ASSERT_EQ(c.verdict, Verdict::ambiguous) << c.why;
    ASSERT_TRUE(c.freedom);
    EXPECT_EQ(c.freedom->at_least, scope == Scope::full);
    EXPECT_EQ(c.freedom->permutations, remain);
  }
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

// ---- changes of several blocks that do no harm, each single one of which does

void append(std::vector<Piece> block, std::vector<Piece>& applied) {
  for (Piece& each : block) applied.push_back(std::move(each));
}

void append_random(std::size_t blocks, std::size_t d, Random& random, std::vector<Piece>& applied) {
  for (std::size_t b = 0; b < blocks; ++b) {
    std::mt19937 rng(unsigned(random.bits()));
    applied.push_back(random_piece(0, 2 * d, d, 0.2f, rng));
    applied.push_back(random_piece(0, d, 2 * d, 0.2f, rng));
  }
}

// `before` blocks, P1 P2 P3 P4 with P2·P1 and P4·P3 functions of one matrix, `behind` blocks, head.
std::vector<Piece> with_commuting_segments(std::size_t d, std::size_t before, std::size_t behind,
                                           unsigned seed) {
  Random random(seed);
  std::vector<Piece> applied;
  append_random(before, d, random, applied);
  const Square identity = Square::identity(d), base = Square::random(d, random);
  for (int segment = 0; segment < 2; ++segment) {
    const Square first = identity.plus(0.3, Square::random(d, random)),
                 product = identity.plus(0.1 * random.normal(), base);
    for (const Square& p : {first, product * first.inverse()}) {
      const Square u = identity.plus(0.3, Square::random(d, random));
      append(linear_block(u, p.plus(-1, identity) * u.inverse(), true), applied);
    }
  }
  append_random(behind, d, random, applied);
  std::mt19937 rng(seed);
  applied.push_back(random_piece(0, 1, d, 1, rng));
  for (std::size_t i = 0; i < applied.size(); ++i) applied[i].id = int(i);
  return applied;
}

bool has(const Certificate& c, Rival::Kind kind) {
  return std::any_of(c.survivors.begin(), c.survivors.end(),
                     [&](const Rival& rival) { return rival.kind == kind; });
}

TEST(Adversarial, SegmentsWhoseProductsCommuteAreAmbiguous) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (std::size_t more : {0u, 3u}) {
      Case made = with_rows(with_commuting_segments(3, more, more, seed));
      std::vector<int> exchanged = made.truth;
      const auto first = exchanged.begin() + std::ptrdiff_t(2 * more);
      std::rotate(first, first + 4, first + 8);
      for (const std::vector<int>& order : {made.truth, exchanged})
        for (bool quick : {false, true}) {
          const Certificate c = verify(made.puzzle, order, {.quick = quick});
          EXPECT_EQ(c.verdict, Verdict::ambiguous) << c.why;
          EXPECT_TRUE(more == 0 || has(c, Rival::Kind::segments)) << c.why;
        }
      EXPECT_EQ(verify(made.puzzle, made.truth, {.scope = Scope::full}).verdict,
                Verdict::ambiguous);
    }
}

TEST(Adversarial, TheScreenFindsSegmentsThatCommuteAmongMany) {
  const Case made = with_rows(with_commuting_segments(12, 20, 20, 7));
  const Certificate c = verify(made.puzzle, made.truth, {.quick = true});
  EXPECT_GT(c.screened, 40000u);
  EXPECT_EQ(c.verdict, Verdict::ambiguous) << c.why;
  ASSERT_EQ(c.survivors.size(), 1u);
  EXPECT_EQ(text(c.survivors[0]), "running blocks 21 to 22 after blocks 23 to 24");
  EXPECT_EQ(c.refuted + 1, c.rivals);
}

TEST(Adversarial, TheSolverDoesNotCallThemExact) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Case made = with_rows(with_commuting_segments(3, 0, 0, seed));
    EXPECT_NE(solve(made.puzzle, {.time_limit = 5}).verdict, Verdict::exact);
  }
}

// Complex numbers as 2 × 2 matrices: (1 + v1·u1)(1 + v2·u2)(1 + v3·u3) with a u3 such that it is
// (1 + v1·u3)(1 + v2·u1)(1 + v3·u2) as well.
TEST(Adversarial, ACycleOfThreeExpandPiecesIsNotOverlooked) {
  using Complex = std::complex<double>;
  Random random(3);
  const auto draw = [&] { return Complex(random.normal(), random.normal()); };
  const Complex v[3] = {draw(), draw(), draw()}, u1 = draw(), u2 = draw(),
                a = (1.0 + v[0] * u1) * (1.0 + v[1] * u2),
                b = (1.0 + v[1] * u1) * (1.0 + v[2] * u2), u3 = (b - a) / (a * v[2] - b * v[0]),
                u[3] = {u1, u2, u3};
  const auto matrix = [](Complex z) {
    Square m(2);
    m.v = {z.real(), -z.imag(), z.imag(), z.real()};
    return m;
  };
  std::vector<Piece> applied;
  append_random(2, 2, random, applied);
  for (int i = 0; i < 3; ++i) append(linear_block(matrix(u[i]), matrix(v[i]), true), applied);
  append_random(2, 2, random, applied);
  std::mt19937 rng(4);
  applied.push_back(random_piece(0, 1, 2, 1, rng));
  for (std::size_t i = 0; i < applied.size(); ++i) applied[i].id = int(i);
  const Case made = with_rows(applied);
  const Certificate c = verify(made.puzzle, made.truth);
  EXPECT_EQ(c.verdict, Verdict::ambiguous) << c.why;
  EXPECT_TRUE(has(c, Rival::Kind::cycle_in));
  ASSERT_TRUE(c.freedom);
  EXPECT_TRUE(c.freedom->at_least);
}

// Small blocks: everything is nearly linear, and the estimate nearly the change itself.
TEST(Adversarial, TheScreenEstimatesWhatChangesDo) {
  auto applied = net(7, 80, 5, 6, 2);
  for (std::size_t i = 1; i < applied.size(); i += 2) {
    for (float& w : applied[i].weight.values) w *= 0.03f;
    for (float& w : applied[i].bias) w *= 0.03f;
  }
  const Case made = with_rows(applied, 1);
  Threads threads(1);
  const verifier::Chain<float> chain(made.puzzle, made.truth, threads);
  const verifier::Transposed transposed(chain);
  const auto found =
      verifier::Screen(chain, transposed, made.puzzle.rows.features.row(0)).near(INFINITY, threads);
  EXPECT_EQ(found.size(), 20u + 4 * 35u);  // C(6, 3) segments, C(7, 3) times four cycles
  double worst = 0, typical = 0;
  for (const verifier::Estimate& each : found) {
    Rival rival{each.kind, each.a, each.b};
    rival.c = each.c;
    std::vector<Piece> changed;
    for (int id : after(rival, made.truth)) changed.push_back(applied[std::size_t(id)]);
    const auto y = plain_forward(changed, made.puzzle.rows.features.row(0)),
               own = plain_forward(applied, made.puzzle.rows.features.row(0));
    const double moved = std::abs((y[0] - own[0]) - (y[1] - own[1])) / 2;
    worst = std::max(worst, std::abs(each.size - moved));
    typical += moved / double(found.size());
  }
  EXPECT_LT(worst, 0.2 * typical);
}

// ---- the rows

TEST(Adversarial, ARowThatDwarfsTheOthersIsSetAside) {
  const auto applied = net(7, 81, 8, 12);
  Case made = with_rows(applied, 500);
  Rows& rows = made.puzzle.rows;
  for (std::size_t f = 0; f < 8; ++f) rows.features.row(17)[f] *= 1e6f;
  rows.target.values[17] = static_cast<float>(plain_forward(applied, rows.features.row(17))[0]);
  const Certificate c = verify(made.puzzle, made.truth);
  EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
  EXPECT_EQ(c.set_aside, std::vector<std::size_t>{17});
  rows.target.values[17] *= 1.01f;
  const Certificate bad = verify(made.puzzle, made.truth);
  EXPECT_EQ(bad.verdict, Verdict::unsolved);
  EXPECT_NE(bad.why.find("row 18"), std::string::npos) << bad.why;
}

TEST(Adversarial, ABadRowIsNamed) {
  Case made = with_rows(net(4, 82, 8, 12), 500);
  made.puzzle.rows.target.values[123] += 0.5f;
  const Certificate c = verify(made.puzzle, made.truth);
  EXPECT_EQ(c.verdict, Verdict::unsolved);
  ASSERT_EQ(c.hints.size(), 1u);
  EXPECT_EQ(c.hints[0], "a look at row 124: all other rows are explained to the last digit");
}

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
