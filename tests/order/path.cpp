// The shortest path through the blocks, and the signals that say where they lie.
#include "order/path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "nets.hpp"
#include "order/signals.hpp"
#include "shared.hpp"

namespace humpty::test {
namespace {

using order::Distances;
using order::Order;

Order numbers(std::size_t n) {
  Order order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

Distances random_distances(std::size_t n, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform;
  Distances distances{n, std::vector<double>(n * n)};
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      distances.values[a * n + b] = distances.values[b * n + a] = uniform(rng);
  return distances;
}

double length(const Distances& distances, const Order& order) {
  double sum = 0;
  for (std::size_t i = 1; i < order.size(); ++i) sum += distances(order[i - 1], order[i]);
  return sum;
}

TEST(Path, IsTheShortestOfAllArrangementsOfFewPoints) {
  std::mt19937 rng(1);
  Threads threads(1);
  for (std::size_t n = 1; n <= 7; ++n)
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Distances distances = random_distances(n, rng);
      const order::Path path = order::shortest_path(distances, threads);
      EXPECT_TRUE(path.proven);
      EXPECT_TRUE(std::is_permutation(path.order.begin(), path.order.end(), numbers(n).begin()));
      EXPECT_NEAR(path.length, length(distances, path.order), 1e-12);
      Order other = numbers(n);
      do EXPECT_GE(length(distances, other), path.length - 1e-12);
      while (std::next_permutation(other.begin(), other.end()));
    }
}

// Points along a spiral in the plane, shaken a little, with shuffled numbers.
Distances along_a_curve(const Order& number_at, double shaking, std::mt19937& rng) {
  const std::size_t n = number_at.size();
  std::normal_distribution<double> normal(0, shaking);
  std::vector<double> x(n), y(n);
  for (std::size_t place = 0; place < n; ++place) {
    const double turn = 5.0 * double(place) / double(n), radius = 1 + turn;
    x[number_at[place]] = radius * std::cos(turn) + normal(rng);
    y[number_at[place]] = radius * std::sin(turn) + normal(rng);
  }
  Distances distances{n, std::vector<double>(n * n)};
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      distances.values[a * n + b] = std::hypot(x[a] - x[b], y[a] - y[b]);
  return distances;
}

TEST(Path, FollowsACurveFromOneEndToTheOther) {
  std::mt19937 rng(2);
  for (std::size_t n : {5u, 12u, 13u, 48u, 300u}) {
    Order truth = numbers(n);
    std::shuffle(truth.begin(), truth.end(), rng);
    if (truth.front() > truth.back()) std::reverse(truth.begin(), truth.end());
    const Distances distances = along_a_curve(truth, 1.0 / double(n), rng);
    for (unsigned count : {1u, 3u}) {
      Threads threads(count);
      const order::Path path = order::shortest_path(distances, threads);
      EXPECT_EQ(path.order, truth) << n;
      EXPECT_GT(order::standing_out(distances, path), n > 5 ? 1.2 : 0.5) << n;
    }
  }
}

TEST(Path, OfNothingOneAndTwoPoints) {
  Threads threads(1);
  std::mt19937 rng(3);
  EXPECT_TRUE(order::shortest_path({}, threads).order.empty());
  const Distances one = random_distances(1, rng), two = random_distances(2, rng);
  EXPECT_EQ(order::shortest_path(one, threads).order, Order{0});
  EXPECT_EQ(order::shortest_path(two, threads).order, (Order{0, 1}));
  EXPECT_EQ(order::standing_out(one, order::shortest_path(one, threads)), 0);
  EXPECT_EQ(order::standing_out(two, order::shortest_path(two, threads)), 0);
}

struct Sample {
  std::vector<Piece> pieces;  // in, out, in, out, …, head
  std::vector<const Piece*> expand = {}, contract = {};

  explicit Sample(std::vector<Piece> applied) : pieces(std::move(applied)) {
    for (std::size_t i = 0; i + 1 < pieces.size(); i += 2) {
      expand.push_back(&pieces[i]);
      contract.push_back(&pieces[i + 1]);
    }
  }
};

void expect_like(const Sample& a, const Sample& b) {
  Threads threads(2);
  for (const order::Signal& signal : order::kSignals) {
    const Distances before = signal.distances({a.expand, a.contract, Activation::relu}, threads),
                    after = signal.distances({b.expand, b.contract, Activation::relu}, threads);
    ASSERT_EQ(before.size, a.expand.size()) << signal.name;
    ASSERT_EQ(after.size, before.size) << signal.name;
    for (std::size_t i = 0; i < before.values.size(); ++i)
      EXPECT_NEAR(before.values[i], after.values[i], 1e-5) << signal.name;
  }
}

std::vector<Piece> some_net() {
  std::mt19937 rng(4);
  return random_net(7, 10, 14, 2, rng);
}

TEST(OrderSignals, DoNotSeeHowUnitsAndCoordinatesAreNumberedOrScaled) {
  std::mt19937 rng(5);
  std::vector<Piece> changed = some_net();
  Order units = numbers(14), stream = numbers(10);
  std::shuffle(stream.begin(), stream.end(), rng);
  for (std::size_t b = 0; b + 1 < changed.size(); b += 2) {
    std::shuffle(units.begin(), units.end(), rng);
    Piece in = changed[b], out = changed[b + 1];
    for (std::size_t k = 0; k < 14; ++k) {
      const float scale = std::exp(std::normal_distribution<float>(0, 1)(rng));
      for (std::size_t i = 0; i < 10; ++i) {
        in.weight.row(k)[i] = scale * changed[b].weight.row(units[k])[stream[i]];
        out.weight.row(i)[k] = changed[b + 1].weight.row(stream[i])[units[k]] / scale;
      }
      in.bias[k] = scale * changed[b].bias[units[k]];
    }
    for (std::size_t i = 0; i < 10; ++i) out.bias[i] = changed[b + 1].bias[stream[i]];
    changed[b] = in;
    changed[b + 1] = out;
  }
  expect_like(Sample(some_net()), Sample(std::move(changed)));
}

TEST(OrderSignals, AreSilentWhereThereIsNothingToCompare) {
  Threads threads(1);
  for (bool none : {true, false}) {
    std::vector<Piece> pieces = some_net();
    for (std::size_t b = 1; b + 1 < pieces.size(); b += 2) {
      std::fill(pieces[b].bias.begin(), pieces[b].bias.end(), 0.0f);
      if (none) pieces[b].bias.clear();
    }
    const Sample sample(std::move(pieces));
    EXPECT_TRUE(
        order::by_bias({sample.expand, sample.contract, Activation::relu}, threads).empty());
  }
}

std::string hash_without_data(const Puzzle& puzzle) {
  const Solution solution = solve(puzzle);
  EXPECT_EQ(solution.verdict, Verdict::unsolved);  // never more without rows
  EXPECT_EQ(solution.seed, "the path through b_out");
  return solution.sha256();
}

TEST(JaneStreetWithoutData, TheOrderIsThePathThroughTheOutputBiases) {
  HUMPTY_NEEDS(jane_street());
  Puzzle puzzle = read_puzzle({jane_street()});
  puzzle.rows = {};
  puzzle.target = Target::none;
  EXPECT_EQ(hash_without_data(puzzle), kSha256);
}

TEST(JaneStreetWithoutData, OfWhatBlocksWriteThePathIsNearlyTheOrder) {
  HUMPTY_NEEDS(jane_street());
  const Puzzle puzzle = read_puzzle({jane_street()});
  const Solution solution = solve(puzzle);
  ASSERT_EQ(solution.verdict, Verdict::exact);
  EXPECT_EQ(solution.seed, "the path through b_out");
  EXPECT_TRUE(solution.rounds.empty());
  std::vector<const Piece*> expand, contract;
  for (const Block& block : solution.blocks) {
    expand.push_back(&puzzle.piece(block.in));
    contract.push_back(&puzzle.piece(block.out));
  }
  Threads threads(2);
  const Order path =
      order::shortest_path(order::by_writes({expand, contract, Activation::relu}, threads), threads)
          .order;
  std::size_t inversions = 0;
  for (std::size_t i = 0; i < path.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) inversions += path[j] > path[i];
  const std::size_t pairs = path.size() * (path.size() - 1) / 2;
  EXPECT_LT(std::min(inversions, pairs - inversions), pairs / 20);
}

}  // namespace
}  // namespace humpty::test
