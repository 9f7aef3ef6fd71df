// Blocks that are quiet at their own places, made so by hand.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "nets.hpp"
#include "order/climb.hpp"
#include "order/quiet.hpp"

namespace humpty::order {
namespace {

// Every block moves a clock, the stream's only feature, on by one. Of block k's hidden units the
// more are active the further the clock is from k; `loud` of them always are.
std::pair<Piece, Piece> clockwork(std::size_t k, std::size_t blocks, std::size_t loud) {
  Piece in, out;
  const std::size_t h = 2 * blocks + loud;
  in.weight = {h, 1, std::vector<float>(h)};
  in.bias.assign(h, 1);
  for (std::size_t i = 0; i < blocks; ++i)
    for (float side : {1.f, -1.f}) {
      const std::size_t unit = 2 * i + (side > 0 ? 0 : 1);
      in.weight.values[unit] = side;
      in.bias[unit] = -side * float(k) - float(i) - 0.5f;  // |clock − k| > i + 1/2
    }
  out.weight = {1, h, std::vector<float>(h)};
  out.bias = {1};
  return {in, out};
}

struct Clock {
  explicit Clock(const Order& truth, bool loud) {
    for (std::size_t b = 0; b < truth.size(); ++b) {
      const auto place = std::find(truth.begin(), truth.end(), b) - truth.begin();
      pieces.push_back(clockwork(std::size_t(place), truth.size(), loud ? 7 * b % 20 : 0));
    }
    head.weight = {1, 1, {1}};
    for (const auto& [in, out] : pieces) pairs.push_back({&in, &out});
    rows.features = {40, 1, std::vector<float>(40)};
    rows.target = {40, 1, std::vector<float>(40)};
  }
  std::vector<std::pair<Piece, Piece>> pieces;
  Piece head;
  std::vector<net::Net::Pair> pairs;
  Rows rows;
  Threads threads{2};
  Watch watch{nullptr};
};

const Order kTruth = {4, 2, 7, 0, 9, 5, 1, 8, 3, 6};

TEST(Quiet, ActivityIsTheShareOfUnitsAboveZero) {
  Clock clock(kTruth, false);
  const net::Net net(clock.pairs, clock.head, Activation::relu);
  const net::Batch batch(clock.rows, 0, 40);
  Walk walk(net, batch, clock.threads);
  for (std::size_t place = 0; place < kTruth.size(); ++place) {
    const std::vector<double> activity = walk.activities(kTruth);
    for (std::size_t k = 0; k < kTruth.size(); ++k)
      EXPECT_DOUBLE_EQ(activity[k], double(std::max(k, place) - std::min(k, place)) / 20);
    walk.pass(kTruth[place]);
  }
}

TEST(Quiet, BlocksGoWhereTheyAreLeastActive) {
  for (Activation activation : {Activation::relu, Activation::leaky, Activation::gelu})
    for (bool loud : {false, true}) {  // loud ones come late if asked greedily
      Clock clock(kTruth, loud);
      const net::Net net(clock.pairs, clock.head, activation);
      const net::Batch batch(clock.rows, 0, 40);
      const std::vector<Order> way = way_to_quiet(net, batch, clock.threads, clock.watch);
      EXPECT_EQ(way.back(), kTruth) << name(activation) << loud;
      EXPECT_EQ(way.size() > 1, loud);
    }
}

TEST(Quiet, WhoeverIsStoppedStillGivesEveryBlockOnce) {
  Clock clock(kTruth, true);
  const net::Net net(clock.pairs, clock.head, Activation::relu);
  const net::Batch batch(clock.rows, 0, 40);
  int asked = 0;
  Watch watch([&](const Progress&) { return ++asked < 4; });
  Order order = way_to_quiet(net, batch, clock.threads, watch).back();
  std::sort(order.begin(), order.end());
  Order all(kTruth.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(order, all);
}

}  // namespace
}  // namespace humpty::order
