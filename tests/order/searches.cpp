#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "nets.hpp"
#include "order/bradley_terry.hpp"
#include "order/climb.hpp"
#include "order/seeds.hpp"

namespace humpty::order {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A net whose block k is the k-th of the true order.
struct Bench {
  explicit Bench(std::size_t blocks, std::size_t rows = 100, unsigned seed = 1, std::size_t o = 1)
      : rng(seed) {
    applied = test::random_net(blocks, 6, 10, o, rng);
    data = test::random_rows(applied, rows, rng);
    std::vector<net::Net::Pair> pairs;
    for (std::size_t b = 0; b < blocks; ++b)
      pairs.push_back({&applied[2 * b], &applied[2 * b + 1]});
    net = std::make_unique<net::Net>(pairs, applied.back(), Activation::relu);
    batch = std::make_unique<net::Batch>(data, 0, rows);
    truth.resize(blocks);
    std::iota(truth.begin(), truth.end(), std::size_t{0});
  }
  double plain_error(const Order& order) const {
    std::vector<Piece> chain;
    for (std::size_t b : order) chain.insert(chain.end(), {applied[2 * b], applied[2 * b + 1]});
    chain.push_back(applied.back());
    double sum = 0;
    for (std::size_t r = 0; r < data.features.rows; ++r) {
      const auto y = test::plain_forward(chain, data.features.row(r));
      for (std::size_t o = 0; o < y.size(); ++o) sum += std::pow(y[o] - data.target.row(r)[o], 2);
    }
    return sum / static_cast<double>(data.target.values.size());
  }
  std::mt19937 rng;
  std::vector<Piece> applied;
  Rows data;
  std::unique_ptr<net::Net> net;
  std::unique_ptr<net::Batch> batch;
  Order truth;
  Threads threads{2};
  Watch watch{nullptr};
};

TEST(Walk, TheErrorIsThatOfAPlainLoopFromEveryPlace) {
  for (std::size_t outputs : {1, 3}) {
    Bench bench(5, 77, 2, outputs);
    const Order order{3, 1, 4, 0, 2};
    Walk walk(*bench.net, *bench.batch, bench.threads);
    for (std::size_t k = 0; k <= order.size(); ++k) {
      EXPECT_NEAR(walk.error(std::span(order).subspan(k), kInfinity) / bench.plain_error(order), 1,
                  1e-4);
      if (k < order.size()) walk.pass(order[k]);
    }
    EXPECT_EQ(walk.passed(), 5u);
  }
}

TEST(Walk, ALimitRefutesWhatIsAboveAndNothingElse) {
  Bench bench(4, 500);
  Walk walk(*bench.net, *bench.batch, bench.threads);
  const Order order{1, 0, 3, 2};
  const double error = walk.error(order, kInfinity);
  EXPECT_EQ(walk.error(order, error), error);
  EXPECT_EQ(walk.error(order, error / 2), kInfinity);
}

TEST(Walk, SortingTheRowsChangesNoAnswer) {
  Bench bench(5, 100, 2, 2);
  const Order order{3, 1, 4, 0, 2}, other{0, 1, 2, 3, 4};
  Walk walk(*bench.net, *bench.batch, bench.threads);
  const double expected = bench.plain_error(order), before = walk.error(other, kInfinity);
  for (std::size_t k = 0; k <= order.size(); ++k) {
    EXPECT_NEAR(walk.error(std::span(order).subspan(k), kInfinity) / expected, 1, 1e-4);
    const double again = walk.telling_rows_first();
    EXPECT_EQ(walk.error(std::span(order).subspan(k), kInfinity), again);
    EXPECT_NEAR(again / expected, 1, 1e-4);
    if (k < order.size()) walk.pass(order[k]);
  }
  walk.restart();
  EXPECT_NEAR(walk.error(other, kInfinity) / before, 1, 1e-12);
}

TEST(Walk, SwapsAreRefutedByTheFirstRowsOnlyWhereTheirErrorIsAboveTheLimit) {
  Bench bench(6, 32, 2, 2);  // one tile: its rows are all there are
  const Order order{3, 1, 4, 0, 5, 2};
  Walk walk(*bench.net, *bench.batch, bench.threads);
  walk.pass(order[0]);
  const std::span<const std::size_t> rest = std::span(order).subspan(1);
  const double limit = walk.error(rest, kInfinity);
  const std::vector<char> refuted = walk.refuted_swaps(rest, 100, limit);
  ASSERT_EQ(refuted.size(), rest.size() - 1);
  for (std::size_t k = 0; k < refuted.size(); ++k) {
    Order swapped(rest.begin(), rest.end());
    std::swap(swapped[k], swapped[k + 1]);
    EXPECT_EQ(bool(refuted[k]), walk.error(swapped, kInfinity) > limit) << k;
  }
  EXPECT_EQ(walk.refuted_swaps(rest, 2, limit).size(), 2u);
}

TEST(Bubble, IsTheSameAtAnyNumberOfThreads) {
  Bench bench(9, 200);
  const auto swept = [&](unsigned count) {
    Threads threads(count);
    Walk walk(*bench.net, *bench.batch, threads);
    const Order order{8, 1, 0, 3, 2, 4, 6, 5, 7};
    Standing standing{order, walk.error(order, kInfinity)};
    bubble_sweep(walk, standing, bench.watch);
    return standing;
  };
  const Standing alone = swept(1);
  for (const unsigned count : {2u, 3u}) {
    EXPECT_EQ(swept(count).order, alone.order);
    EXPECT_EQ(swept(count).error, alone.error);
  }
}

TEST(Walk, MovementIsTheMeanNormOfTheResidual) {
  Bench bench(3, 40);
  const Walk walk(*bench.net, *bench.batch, bench.threads);
  double sum = 0;
  for (std::size_t r = 0; r < 40; ++r) {
    const std::vector<double> x(bench.data.features.row(r), bench.data.features.row(r) + 6);
    auto hidden = test::plain_layer(bench.applied[2], x);
    for (double& z : hidden) z = std::max(z, 0.0);
    double square = 0;
    for (double f : test::plain_layer(bench.applied[3], hidden)) square += f * f;
    sum += std::sqrt(square);
  }
  const std::vector<double> movements = walk.movements(Order{2, 1});
  ASSERT_EQ(movements.size(), 2u);
  EXPECT_NEAR(movements[1], sum / 40, 1e-5);
}

TEST(Bubble, MendsOneExchangeAndCountsIt) {
  Bench bench(6);
  Walk walk(*bench.net, *bench.batch, bench.threads);
  Order order = bench.truth;
  std::swap(order[2], order[3]);
  Standing standing{order, walk.error(order, kInfinity)};
  EXPECT_EQ(bubble_sweep(walk, standing, bench.watch), 1u);
  EXPECT_EQ(standing.order, bench.truth);
  EXPECT_LT(standing.error, 1e-10);
}

TEST(Insertion, MendsABlockFarFromItsPlace) {
  Bench bench(8);
  Walk walk(*bench.net, *bench.batch, bench.threads);
  const Order order{7, 0, 1, 2, 3, 4, 5, 6};
  Standing standing{order, walk.error(order, kInfinity)};
  EXPECT_EQ(insertion_sweep(walk, standing, bench.watch), 1u);
  EXPECT_EQ(standing.order, bench.truth);
}

// At tiny sizes every permutation can be tried: the best one is the truth, and a sweep never makes
// anything worse.
TEST(Insertion, TheBestOfAllIsMadeAndNoneAtTheTruth) {
  Bench bench(6);
  Walk walk(*bench.net, *bench.batch, bench.threads);
  const Order order{2, 5, 0, 1, 4, 3};
  double least = kInfinity;
  for (std::size_t from = 0; from < order.size(); ++from)
    for (std::size_t to = 0; to < order.size(); ++to) {
      Order moved = order;
      moved.erase(moved.begin() + std::ptrdiff_t(from));
      moved.insert(moved.begin() + std::ptrdiff_t(to), order[from]);
      least = std::min(least, bench.plain_error(moved));
    }
  Standing standing{order, kInfinity};
  EXPECT_TRUE(best_insertion(walk, standing, bench.watch));
  EXPECT_NEAR(standing.error / least, 1, 1e-4);
  EXPECT_NEAR(bench.plain_error(standing.order) / least, 1, 1e-4);
  Standing truth{bench.truth, kInfinity};
  EXPECT_FALSE(best_insertion(walk, truth, bench.watch));
  EXPECT_EQ(truth.order, bench.truth);
}

TEST(Insertion, NeverGetsWorseAndTheTruthIsTheBestOfAll) {
  Bench bench(5);
  Walk walk(*bench.net, *bench.batch, bench.threads);
  Order order = bench.truth;
  do {
    walk.restart();
    const double before = walk.error(order, kInfinity);
    EXPECT_EQ(before < 1e-9, order == bench.truth);
    Standing standing{order, before};
    insertion_sweep(walk, standing, bench.watch);
    EXPECT_LE(standing.error, before);
    EXPECT_NEAR(standing.error, bench.plain_error(standing.order), 1e-6 + 1e-4 * standing.error);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Seeds, AscendingBreaksTiesByNumber) {
  EXPECT_EQ(ascending({2, 1, 2, 0}), (Order{3, 1, 0, 2}));
}

TEST(Seeds, WoutSortsByFrobeniusNorm) {
  Piece small, large;
  small.weight = {1, 2, {1, 1}};
  large.weight = {1, 2, {0, -2}};
  EXPECT_EQ(seed_wout({&large, &small}), (Order{1, 0}));
}

TEST(Seeds, GreedyTakesTheLeastMovementAtEachState) {
  Bench bench(5, 64);
  const Order order = seed_greedy(*bench.net, *bench.batch, bench.threads, bench.watch);
  Walk walk(*bench.net, *bench.batch, bench.threads);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::vector<double> movements = walk.movements(std::span(order).subspan(k));
    for (const double later : movements) EXPECT_LE(movements[0], later);
    walk.pass(order[k]);
  }
}

TEST(BradleyTerry, GapsAreTheErrorsOfExchanges) {
  Bench bench(4, 60);
  Walk walk(*bench.net, *bench.batch, bench.threads);
  const Order seed{2, 0, 3, 1};
  const Gaps gaps = compare_all(walk, seed, bench.watch);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = a + 1; b < 4; ++b) {
      Order swapped = seed;
      std::swap(swapped[a], swapped[b]);
      EXPECT_NEAR(gaps.before(a, b), bench.plain_error(swapped) - bench.plain_error(seed), 1e-5);
      EXPECT_EQ(gaps.before(a, b), -gaps.before(b, a));
    }
}

// With two players the maximum likelihood is known: s_0 / s_1 = p / (1 − p).
TEST(BradleyTerry, TwoBlocksGetTheirOdds) {
  const Gaps gaps{2, {0, 0.002, 0, 0}};
  const Ranking ranking = rank(gaps, 0.001);
  EXPECT_TRUE(ranking.converged);
  EXPECT_NEAR(ranking.strength[0] / ranking.strength[1], std::exp(2.0), 1e-6);
}

TEST(BradleyTerry, FindsExactlyTheCyclesThatAreThere) {
  // 0 before 1, 1 before 2, 2 before 0 (a cycle), everybody before 3.
  const Gaps gaps{4, {0, 1, -1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}};
  EXPECT_EQ(three_cycles(gaps), (std::vector<std::vector<std::size_t>>{{0, 1, 2}}));
}

}  // namespace
}  // namespace humpty::order
