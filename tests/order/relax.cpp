#include "order/relax.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "nets.hpp"
#include "order/climb.hpp"

namespace humpty::order {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Bench {
  explicit Bench(std::size_t blocks, std::size_t count = 400) : rng(5) {
    applied = test::random_net(blocks, 6, 10, 1, rng);
    rows = test::random_rows(applied, count, rng);
    for (std::size_t k = 0; k < blocks; ++k) {
      expand.push_back(&applied[2 * k]);
      contract.push_back(&applied[2 * k + 1]);
      pairs.push_back({expand[k], contract[k]});
      one.push_back({k, k});
      for (std::size_t j = 0; j < blocks; ++j) all.push_back({k, j});
    }
  }
  net::Mixture mixture(const std::vector<net::Candidate>& candidates) const {
    return {expand, contract, candidates, applied.back(), Activation::relu};
  }
  std::mt19937 rng;
  std::vector<Piece> applied;
  Rows rows;
  std::vector<const Piece*> expand, contract;
  std::vector<net::Net::Pair> pairs;
  std::vector<net::Candidate> one, all;
  Threads threads{2};
  Watch watch{nullptr};
};

// Sums over places, expand and contract pieces.
std::vector<double> sums(const Weights& weights, const net::Mixture& mixture, std::size_t n) {
  std::vector<double> sums(3 * n);
  const std::size_t count = mixture.candidates().size();
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t c = 0; c < count; ++c) {
      const double weight = double{weights[t * count + c]};
      sums[t] += weight;
      sums[n + mixture.candidates()[c].in] += weight;
      sums[2 * n + mixture.candidates()[c].out] += weight;
    }
  return sums;
}

TEST(Polytope, ItsCentreUsesEverythingOnce) {
  Threads threads(1);
  const Bench bench(5);
  for (const auto& candidates : {bench.one, bench.all}) {
    const net::Mixture mixture = bench.mixture(candidates);
    for (double sum : sums(Polytope(Uses::of(mixture), mixture, threads).centre(), mixture, 5))
      EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(Polytope, ATangentChangesNoSum) {
  Threads threads(1);
  Bench bench(5);
  const net::Mixture mixture = bench.mixture(bench.all);
  Weights v = test::random_matrix(5, 25, 1, bench.rng).values.own();
  Polytope(Uses::of(mixture), mixture, threads).to_tangent(v.data(), 1);
  for (double sum : sums(v, mixture, 5)) EXPECT_NEAR(sum, 0, 1e-4);
}

TEST(Polytope, APieceOfEitherRoleIsUsedOnce) {
  Threads threads(1);
  std::mt19937 rng(9);
  const auto applied = test::random_net(3, 6, 6, 1, rng);
  std::vector<const Piece*> pieces;
  std::vector<net::Candidate> candidates;
  for (std::size_t i = 0; i < 6; ++i) pieces.push_back(&applied[i]);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      if (i != j) candidates.push_back({i, j});
  const net::Mixture mixture(pieces, pieces, candidates, applied.back(), Activation::relu);
  std::vector<std::size_t> own(6);
  std::iota(own.begin(), own.end(), std::size_t{0});
  const Weights centre = Polytope({3, own, own}, mixture, threads).centre();
  std::vector<double> used(6);
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      used[mixture.candidates()[c].in] += double{centre[t * candidates.size() + c]};
      used[mixture.candidates()[c].out] += double{centre[t * candidates.size() + c]};
    }
  for (double sum : used) EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(Relaxation, FindsTheOrderFromNothing) {
  Bench bench(6);
  const net::Mixture mixture = bench.mixture(bench.one);
  const net::Batch batch(bench.rows, 0, 400);
  Relaxation relaxation(mixture, batch, bench.threads);
  relaxation.start(relaxation.polytope().centre());
  double last = relaxation.loss();
  for (int step = 0; step < 30 && relaxation.step(bench.watch); ++step) {
    EXPECT_LT(relaxation.loss(), last);
    last = relaxation.loss();
  }
  std::size_t place = 0;
  for (const auto& [in, out] : relaxation.rounded()) EXPECT_EQ(in, place++);
}

TEST(Exchange, TwoTradedContractPiecesAreMended) {
  Bench bench(6);
  net::Net net(bench.pairs, bench.applied.back(), Activation::relu);
  net.exchange(0, 1);
  const net::Batch batch(bench.rows, 0, 100);
  Walk walk(net, batch, bench.threads);
  Order truth(6);
  std::iota(truth.begin(), truth.end(), std::size_t{0});
  Standing standing{truth, walk.error(truth, kInfinity)};
  EXPECT_GT(standing.error, 1e-4);
  const Exchange exchange = [&](std::size_t a, std::size_t b) { return net.exchange(a, b), true; };
  EXPECT_GE(exchange_sweep(walk, standing, exchange, bench.watch), 1u);
  EXPECT_LT(standing.error, 1e-10);
}

TEST(Swap, TwoBlocksChangePlaces) {
  Bench bench(6);
  const net::Net net(bench.pairs, bench.applied.back(), Activation::relu);
  const net::Batch batch(bench.rows, 0, 100);
  Walk walk(net, batch, bench.threads);
  const Order swapped{1, 0, 2, 3, 4, 5};
  Standing standing{swapped, walk.error(swapped, kInfinity)};
  EXPECT_GE(swap_sweep(walk, standing, bench.watch), 1u);
  EXPECT_LT(standing.error, 1e-10);
}

TEST(Insertion, AScreenedSweepPutsABlockBack) {
  Bench bench(6);
  const net::Net net(bench.pairs, bench.applied.back(), Activation::relu, net::Net::Passes::both);
  const net::Batch batch(bench.rows, 0, 200);
  Walk walk(net, batch, bench.threads);
  const Order moved{1, 0, 2, 3, 4, 5};
  Standing standing{moved, walk.error(moved, kInfinity)};
  EXPECT_GE(screened_sweep(walk, batch, standing, bench.threads, bench.watch), 1u);
  EXPECT_LT(standing.error, 1e-10);
}

}  // namespace
}  // namespace humpty::order
