// The ensemble on nets of our own, on the published puzzle and on some of the zoo: what it must
// find, and what must not change it.
#include <algorithm>
#include <chrono>
#include <map>

#include <gtest/gtest.h>

#include "disguise.hpp"
#include "nets.hpp"
#include "shared.hpp"

namespace humpty::test {
namespace {

using Partners = std::map<int, int>;

Partners partners_of(const PairReport& report) {
  Partners found;
  for (std::size_t i = 0; i < report.pairing.expand.size(); ++i)
    found[report.pairing.expand[i]] = report.pairing.contract[report.pairing.match[i]];
  return found;
}

Partners partners_in(const std::vector<int>& permutation) {
  Partners found;
  for (std::size_t i = 0; i + 2 < permutation.size(); i += 2)
    found[permutation[i]] = permutation[i + 1];
  return found;
}

// Twelve blocks, trained for as long as it takes to leave a trace that the ratio does not see.
const lab::Dropped& trained_net() {
  static const lab::Dropped dropped = [] {
    Rows rows = lab::make_task(lab::Task::regression, 1000, 16, 1, 3);
    lab::TrainOptions options;
    options.blocks = 12;
    options.hidden = {32};
    options.init = lab::Init::scaled;
    options.weight_decay = 1e-3;
    options.epochs = 30;
    options.lr = 2e-3;
    options.rng = 4;
    const lab::TrainedNet net = lab::train(options, rows.features, rows.target);
    return lab::drop(net.pieces, std::move(rows), Activation::relu, 5);
  }();
  return dropped;
}

TEST(Ensemble, PairsANetWhereTheRatioCannot) {
  const lab::Dropped& net = trained_net();
  const PairReport report = pair_pieces(net.puzzle);
  EXPECT_TRUE(report.trace);
  EXPECT_EQ(partners_of(report), partners_in(net.permutation));
  EXPECT_NE(partners_of(pair_pieces(net.puzzle, {.signal = PairSignal::ratio})),
            partners_in(net.permutation));
}

TEST(Ensemble, IsTheSameAtAnyNumberOfThreads) {
  const PairReport one = pair_pieces(trained_net().puzzle, {.threads = 1});
  const PairReport three = pair_pieces(trained_net().puzzle, {.threads = 3});
  EXPECT_EQ(one.pairing.scores, three.pairing.scores);
  EXPECT_EQ(one.confidence, three.confidence);
  EXPECT_EQ(one.chance, three.chance);
}

// Pieces renumbered (and so read in another order), units permuted and rescaled, coordinates
// permuted: see disguise.hpp.
TEST(Ensemble, SeesThroughADisguise) {
  const lab::Dropped& net = trained_net();
  for (unsigned seed : {1u, 2u}) {
    const Disguised other = disguise(net.puzzle, net.permutation, seed);
    const PairReport report = pair_pieces(other.puzzle);
    EXPECT_EQ(partners_of(report), partners_in(other.truth)) << seed;
  }
}

TEST(Ensemble, GivesNoConfidenceToANetThatWasNeverTrained) {
  lab::TrainOptions options;
  options.blocks = 16;
  options.hidden = {32};
  for (std::uint64_t rng : {1, 2, 3}) {
    options.rng = rng;
    Rows rows = lab::make_task(lab::Task::regression, 20, 16, 1, rng);
    const lab::Dropped net =
        lab::drop(lab::initial_pieces(options, 16, 1), std::move(rows), Activation::relu, rng);
    const PairReport report = pair_pieces(net.puzzle);
    EXPECT_FALSE(report.trace) << report.separation << " " << report.chance;
    for (double confidence : report.confidence) EXPECT_LT(confidence, 0.9);
  }
}

TEST(Ensemble, PairsNetsWithoutBiasesAndOfSeveralWidths) {
  std::mt19937 rng(8);
  auto net = random_net(8, 10, 14, 2, rng), wide = random_net(6, 10, 22, 2, rng);
  net.pop_back();
  for (Piece& piece : wide) piece.id += 16;
  net.insert(net.end(), wide.begin(), wide.end());
  for (std::size_t i = 0; i + 1 < net.size(); i += 2) make_partner(net[i], net[i + 1], 3);
  for (Piece& piece : net) piece.bias.clear();
  const PairReport report = pair_pieces(make_puzzle(net, random_rows(net, 3, rng)));
  EXPECT_EQ(partners_of(report), partners_in(ids_of(net)));
}

TEST(Ensemble, CandidatesAreShortAndHoldTheMatch) {
  const PairReport report = pair_pieces(trained_net().puzzle);
  const Partners match = partners_of(report);
  for (std::size_t i = 0; i < report.candidates.size(); ++i) {
    const auto& list = report.candidates[i];
    EXPECT_GE(list.size(), 5u);
    EXPECT_LE(list.size(), 12u);
    EXPECT_NE(std::find(list.begin(), list.end(), match.at(report.pairing.expand[i])), list.end());
  }
}

TEST(Ensemble, ABlockAloneIsCertain) {
  std::mt19937 rng(9);
  const auto net = random_net(1, 4, 6, 1, rng);
  const PairReport report = pair_pieces(make_puzzle(net, random_rows(net, 3, rng)));
  EXPECT_EQ(report.confidence, std::vector<double>{1});
}

TEST(Ensemble, ConstantWeightsAreNoTrouble) {
  std::mt19937 rng(10);
  auto net = random_net(5, 4, 6, 1, rng);
  const Rows rows = random_rows(net, 3, rng);
  for (Piece& piece : net) std::fill(piece.weight.values.begin(), piece.weight.values.end(), 0.0f);
  const PairReport report = pair_pieces(make_puzzle(net, rows));
  EXPECT_FALSE(report.trace);
  for (double confidence : report.confidence) EXPECT_LT(confidence, 0.9);
}

TEST(Ensemble, PairsThePublishedPuzzle) {
  HUMPTY_NEEDS(jane_street());
  const Puzzle puzzle = read_puzzle({jane_street()});
  const PairReport report = pair_pieces(puzzle);
  EXPECT_EQ(partners_of(report), partners_of(pair_pieces(puzzle, {.signal = PairSignal::ratio})));
  for (double confidence : report.confidence) EXPECT_GE(confidence, 0.99);
}

TEST(Ensemble, PairsNetsOfTheZooThatTheRatioDoesNot) {
  HUMPTY_NEEDS(zoo(""));
  for (const char* name : {"js48-10", "js48-adamw", "t16-d32", "t24-base", "t24-bf16", "t24-f16",
                           "t24-gelu", "t24-out10", "t24-scaled", "t24-tanh", "t8-d16"}) {
    const Puzzle puzzle = read_puzzle({zoo(name)});
    EXPECT_EQ(partners_of(pair_pieces(puzzle)), partners_in(*lab::read_answer(zoo(name)))) << name;
  }
}

TEST(Ensemble, SaysThatUntrainedWeightsHoldNoSignal) {
  HUMPTY_NEEDS(zoo("t24-untrained"));
  EXPECT_FALSE(pair_pieces(read_puzzle({zoo("t24-untrained")})).trace);
}

}  // namespace
}  // namespace humpty::test
