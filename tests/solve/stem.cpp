// Nets with a stem: a projection of the features before the blocks.
#include <filesystem>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"
#include "nets.hpp"

namespace humpty::test {
namespace {

constexpr std::size_t kFeatures = 9, kWidth = 14, kHidden = 20, kBlocks = 5;

Matrix projected(const Piece& stem, const Matrix& features) {
  Matrix x{features.rows, stem.weight.rows, {}};
  for (std::size_t r = 0; r < features.rows; ++r) {
    const std::vector<double> row(features.row(r), features.row(r) + features.cols);
    for (double value : plain_layer(stem, row)) x.values.push_back(static_cast<float>(value));
  }
  return x;
}

lab::TrainOptions briefly() {
  lab::TrainOptions options;
  options.blocks = kBlocks;
  options.hidden = {kHidden};
  options.epochs = 15;
  options.lr = 3e-3;
  return options;
}

// Blocks and head trained on what a fixed random stem makes of the features.
std::vector<Piece> trained(const Rows& rows, unsigned seed, const lab::TrainOptions& options) {
  std::mt19937 rng(seed);
  const Piece stem = random_piece(0, kWidth, kFeatures, 0.5f, rng);
  std::vector<Piece> applied =
      lab::train(options, projected(stem, rows.features), rows.target).pieces;
  applied.insert(applied.begin(), stem);
  return applied;
}

lab::Dropped dropped(unsigned seed, const lab::TrainOptions& options = briefly()) {
  const Rows rows = lab::make_task(lab::Task::regression, 600, kFeatures, 1, seed);
  return lab::drop(trained(rows, seed, options), rows, Activation::relu, seed);
}

TEST(Stem, IsAppliedBeforeTheBlocks) {
  const lab::Dropped net = dropped(1);
  ASSERT_TRUE(net.puzzle.stem());
  EXPECT_EQ(net.puzzle.stem()->id, net.permutation[0]);
  std::vector<Piece> applied = arranged(net.puzzle.pieces, net.permutation);
  applied.erase(applied.begin());
  const Matrix x = projected(*net.puzzle.stem(), net.puzzle.rows.features);
  for (std::size_t r = 0; r < x.rows; ++r)
    EXPECT_NEAR(plain_forward(applied, x.row(r))[0], double{net.puzzle.rows.target.values[r]},
                1e-4);
}

TEST(Stem, IsPutFirstAndTheOrderIsExact) {
  for (unsigned seed : {1u, 2u, 3u}) {
    const lab::Dropped net = dropped(seed);
    const Solution solution = solve(make_puzzle(net.puzzle.pieces, net.puzzle.rows));
    EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
    EXPECT_EQ(solution.permutation, net.permutation);
    EXPECT_EQ(solution.stem, net.permutation[0]);
    EXPECT_EQ(solution.blocks.size(), kBlocks);
    EXPECT_EQ(solution.certificate.permutation, net.permutation);
  }
}

TEST(Stem, ItsRivalsAreThoseOfTheBlocks) {
  const lab::Dropped net = dropped(4);
  const Certificate c = verify(net.puzzle, net.permutation, {.scope = Scope::full});
  EXPECT_EQ(c.verdict, Verdict::exact) << c.why;
  // n − 1 exchanges of neighbours; of the other pairs an exchange and two insertions; two of
  // halves. Then runs reversed, windows of four and three, segments and cycles.
  const std::size_t n = kBlocks, pairs = n * (n - 1) / 2, neighbours = n - 1;
  EXPECT_EQ(c.rivals, neighbours + 3 * (pairs - neighbours) + 2 * pairs + (n - 2) * (n - 3) / 2 +
                          9 * (n - 3) + 20 * (n - 2) + (n - 1) * (n - 2) * (n - 3) / 6 +
                          4 * n * (n - 1) * (n - 2) / 6);
  ASSERT_TRUE(c.nearest);
  const std::vector<int> rival = after(*c.nearest, net.permutation);
  EXPECT_EQ(rival[0], net.permutation[0]);
  EXPECT_NEAR(verify(net.puzzle, rival).mse / c.nearest->mse, 1, 1e-9);
}

TEST(Stem, AFileBackAndForthKeepsIt) {
  const std::string folder = testing::TempDir() + "humpty-stem";
  const lab::Dropped net = dropped(5);
  lab::write_puzzle(folder, net, "{}", true);
  const Puzzle puzzle = read_puzzle({folder});
  EXPECT_EQ(solve(puzzle).permutation, net.permutation);
  for (const char* file : {"/m.safetensors", "/m.pth", "/m.npz", "/m.onnx"})
    write_model(folder + file, arranged(puzzle.pieces, net.permutation));
  const std::vector<Piece> again = lab::read_checkpoint(folder + "/m.pth");
  ASSERT_EQ(again.size(), net.permutation.size());
  for (std::size_t i = 0; i < again.size(); ++i)
    EXPECT_EQ(again[i].weight.values, puzzle.piece(net.permutation[i]).weight.values) << i;
  const std::vector<int> by_graph = graph_order(read_pieces({folder + "/m.onnx"}));
  EXPECT_EQ(by_graph.size(), net.permutation.size());
  std::filesystem::remove_all(folder);
}

TEST(Stem, ThePageShowsTheBlocksBehindIt) {
  const lab::Dropped net = dropped(7);
  const auto page = nlohmann::json::parse(report_json(solve(net.puzzle), net.puzzle));
  EXPECT_EQ(page["stem"], net.permutation[0]);
  EXPECT_EQ(page["anatomy"]["products"]["of"].size(), kBlocks);
  EXPECT_EQ(page["anatomy"]["motions"]["active"].size(), kBlocks);
}

TEST(Stem, WithoutRowsItIsStillFirst) {
  lab::Dropped net = dropped(6);
  net.puzzle.rows = {};
  net.puzzle.target = Target::none;
  const Solution guess = solve(net.puzzle);
  EXPECT_EQ(guess.permutation[0], net.permutation[0]);
  EXPECT_EQ(guess.verdict, Verdict::unsolved);
}

TEST(Stem, OfADamagedSetItIsFoundAndTheRestBehindIt) {
  lab::TrainOptions long_enough = briefly();  // for the ratio, which sorting a heap goes by
  long_enough.init = lab::Init::zero;
  long_enough.lr = 7e-3;
  long_enough.epochs = 80;
  const lab::Dropped net = dropped(8, long_enough);
  Puzzle heap = net.puzzle;
  std::mt19937 rng(99);
  heap.pieces.insert(heap.pieces.begin(),  // another stem, to be tried first
                     random_piece(100, kWidth, kFeatures, 0.5f, rng));
  heap.pieces.push_back(random_piece(101, kHidden, kWidth, 0.5f, rng));
  for (int id : {3, net.permutation[0]}) {
    heap.pieces.push_back(heap.piece(id));
    heap.pieces.back().id = 102 + id;
  }
  for (Piece& piece : heap.pieces) piece.role = Role::expand;  // nobody knows
  const Salvaged salvaged = salvage(heap);
  EXPECT_EQ(salvaged.solution.verdict, Verdict::exact) << salvaged.solution.certificate.why;
  EXPECT_EQ(salvaged.solution.permutation.size(), net.permutation.size());
  EXPECT_EQ(salvaged.solution.stem, net.permutation[0]);
  EXPECT_EQ(salvaged.left_out.size(), 4u);
  EXPECT_EQ(verify(salvaged.puzzle, salvaged.solution.permutation).verdict, Verdict::exact);
  const auto page = nlohmann::json::parse(report_json(salvaged));
  EXPECT_EQ(page["stem"], net.permutation[0]);
}

}  // namespace
}  // namespace humpty::test
