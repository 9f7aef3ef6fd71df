// The published puzzle, damaged in every way that `--salvage` promises to cope with.
#include <algorithm>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "nets.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

constexpr int kNewId = 1000;

class Salvage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!std::filesystem::exists(test::jane_street())) return;
    heap = new Puzzle(read_puzzle({test::jane_street()}, {.heap = true}));
    truth = new std::vector<int>(solve(read_puzzle({test::jane_street()})).permutation);
  }
  static void TearDownTestSuite() {
    delete heap;
    delete truth;
  }
  void SetUp() override {
    HUMPTY_NEEDS(test::jane_street());
    damaged = test::first_rows(*heap, 2500);
  }

  void add(Piece piece, int id) {
    piece.id = id;
    damaged.pieces.push_back(std::move(piece));
  }
  void remove(int id) {
    std::erase_if(damaged.pieces, [&](const Piece& piece) { return piece.id == id; });
  }
  Salvaged salvaged() const { return salvage(damaged, {.time_limit = 0}); }

  static std::vector<int> left_out(const Salvaged& result) {
    std::vector<int> ids;
    for (const auto& each : result.left_out) ids.push_back(each.piece);
    return ids;
  }
  void expect_whole(const Salvaged& result, const std::vector<int>& rest) const {
    EXPECT_EQ(result.solution.sha256(), test::kSha256);
    EXPECT_EQ(result.solution.verdict, Verdict::exact) << result.solution.certificate.why;
    EXPECT_EQ(left_out(result), rest);
    EXPECT_FALSE(result.gap);
  }
  // What is left of the true order is recovered up to a few exchanges of neighbours.
  void expect_nearly_in_order(const Salvaged& result, std::size_t blocks) const {
    std::vector<std::ptrdiff_t> places;
    const auto& found = result.solution.permutation;
    ASSERT_EQ(found.size(), 2 * blocks + 1);
    for (std::size_t i = 0; i + 1 < found.size(); i += 2)
      places.push_back(std::find(truth->begin(), truth->end(), found[i]) - truth->begin());
    std::size_t inversions = 0;
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = a + 1; b < places.size(); ++b) inversions += places[a] > places[b];
    EXPECT_LE(inversions, 5u);
  }

  static Puzzle* heap;
  static std::vector<int>* truth;
  Puzzle damaged;
};
Puzzle* Salvage::heap = nullptr;
std::vector<int>* Salvage::truth = nullptr;

TEST_F(Salvage, Decoys) {
  std::mt19937 rng(1);
  add(test::random_piece(0, 96, 48, 0.15f, rng), kNewId);
  add(test::random_piece(0, 48, 96, 0.1f, rng), kNewId + 1);  // for it to pair with
  add(test::random_piece(0, 50, 48, 0.1f, rng), kNewId + 2);  // fits nowhere
  expect_whole(salvaged(), {kNewId, kNewId + 1, kNewId + 2});
}

TEST_F(Salvage, APieceTwice) {
  add(heap->pieces[12], kNewId);
  const Salvaged result = salvaged();
  expect_whole(result, {kNewId});
  EXPECT_EQ(result.left_out[0].why, "a copy of piece 12");
}

TEST_F(Salvage, OneHalfMissing) {
  constexpr std::size_t place = 24;
  const int in = (*truth)[2 * place], out = (*truth)[2 * place + 1];
  remove(out);
  const Salvaged result = salvaged();
  EXPECT_EQ(result.solution.verdict, Verdict::unsolved);
  EXPECT_EQ(left_out(result), std::vector<int>{in});
  expect_nearly_in_order(result, 47);
  ASSERT_TRUE(result.gap);
  EXPECT_NEAR(double(*result.gap), double(place), 1);
}

TEST_F(Salvage, OneBlockMissing) {
  constexpr std::size_t place = 40;
  remove((*truth)[2 * place]);
  remove((*truth)[2 * place + 1]);
  const Salvaged result = salvaged();
  EXPECT_EQ(result.solution.verdict, Verdict::unsolved);
  EXPECT_TRUE(left_out(result).empty());
  expect_nearly_in_order(result, 47);
  ASSERT_TRUE(result.gap);
  EXPECT_NEAR(double(*result.gap), double(place), 5);  // roughly is all that is promised
}

// Half of its pieces, taken blindly; half of its blocks, which belong together.
TEST_F(Salvage, HalfOfAnotherNet) {
  for (const auto& [other, whole_blocks] : {std::pair{"js48-4", false}, {"js48-1", true}}) {
    HUMPTY_NEEDS(test::zoo(other));
    damaged = test::first_rows(*heap, 2500);
    const Puzzle stranger = read_puzzle({test::zoo(other)});
    std::vector<int> ids, added;
    if (whole_blocks) {
      const auto order = test::true_order(test::zoo(other));
      for (std::size_t i = 0; i + 1 < order.size(); i += 4)
        ids.insert(ids.end(), {order[i], order[i + 1]});
    } else {
      for (std::size_t i = 0; i < stranger.pieces.size(); i += 2)
        ids.push_back(stranger.pieces[i].id);
    }
    for (int id : ids) add(stranger.piece(id), added.emplace_back(kNewId + id));
    std::sort(added.begin(), added.end());
    expect_whole(salvaged(), added);
  }
}

TEST_F(Salvage, WithoutAHeadThereIsNothingToCompare) {
  remove(truth->back());
  EXPECT_THROW(salvaged(), Error);
}

// Blocks that do much, so that one of them is missed.
TEST(SalvageSmall, TheGapOfASmallNet) {
  std::mt19937 rng(3);
  auto applied = test::random_net(4, 5, 24, 1, rng);
  Puzzle heap{applied, test::random_rows(applied, 600, rng)};
  for (std::size_t place = 0; place < 4; ++place) {
    Puzzle damaged = heap;
    std::erase_if(damaged.pieces,
                  [&](const Piece& piece) { return piece.id == static_cast<int>(2 * place + 1); });
    const Salvaged result = salvage(damaged, {.time_limit = 5});
    EXPECT_EQ(result.solution.verdict, Verdict::unsolved);
    ASSERT_TRUE(result.gap);
    // What is in the answer and what is not, the orphan included, is everything.
    EXPECT_EQ(result.solution.permutation.size() + result.left_out.size(), 8u);
  }
}

}  // namespace
}  // namespace humpty
