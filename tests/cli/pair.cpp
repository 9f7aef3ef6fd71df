#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "made_puzzle.hpp"

namespace humpty::test {
namespace {

TEST(PairCommand, WritesOneLinePerPair) {
  const MadePuzzle made;
  const Outcome run = run_program(made.folder, "pair . --signal ratio");
  EXPECT_EQ(run.out, "0,1\n2,3\n4,5\n6,7\n");
}

TEST(PairCommand, NeedsNoRows) {
  const MadePuzzle made;
  const Outcome run = run_program(made.folder, "pair pieces --signal ratio");
  EXPECT_EQ(run.out, "0,1\n2,3\n4,5\n6,7\n") << run.err;
}

TEST(PairCommand, JsonHasOneEntryPerPairInEveryList) {
  const MadePuzzle made;
  for (const char* signal : {"ensemble", "ratio", "norms", "whitened", "bilinear"}) {
    const Outcome run =
        run_program(made.folder, fmt::format("pair . --json - --signal {}", signal));
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["pairs"].size(), 4u) << signal;
    EXPECT_EQ(json["pairs"][1].size(), 2u);
    for (const char* list : {"scores", "margins", "confidence", "candidates"})
      EXPECT_EQ(json[list].size(), 4u) << signal << " " << list;
    for (double confidence : json["confidence"]) {
      EXPECT_GE(confidence, 0);
      EXPECT_LE(confidence, 1);
    }
  }
}

TEST(PairCommand, ExitCodeSaysWhetherItIsSure) {
  const MadePuzzle made;
  const Outcome run = run_program(made.folder, "pair . --json pairs.json");
  const auto json = nlohmann::json::parse(read_text(made.folder / "pairs.json"));
  bool sure = json["signal"];
  for (double confidence : json["confidence"]) sure = sure && confidence >= 0.9;
  EXPECT_EQ(run.exit_code, sure ? 0 : 1);
}

TEST(StudyCommand, CountsCorrectPairsOfEverySignal) {
  const Folder folder;
  const std::string small = "--blocks 6 --dim 8 --hidden 12 --rows 100 --epochs 2";
  ASSERT_EQ(run_program(folder, "train -o nets/a " + small).exit_code, 0);
  ASSERT_EQ(run_program(folder, "train -o nets/b --rng 2 " + small).exit_code, 0);
  const Outcome run = run_program(folder, "study signals nets --json table.json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("whitened"), std::string::npos) << run.out;
  const auto json = nlohmann::json::parse(read_text(folder / "table.json"));
  ASSERT_EQ(json["nets"].size(), 2u);
  EXPECT_EQ(json["nets"][0]["blocks"], 6);
  EXPECT_EQ(json["nets"][0]["correct"].size(), 5u);
  EXPECT_EQ(json["nets"][1]["pairs"].size(), 6u);
}

TEST(StudyCommand, AFolderWithoutAnswersIsRefused) {
  const Folder folder;
  fs::create_directories(folder / "empty");
  expect_refused(run_program(folder, "study signals empty"), {"answer.json"});
  expect_refused(run_program(folder, "study signals nowhere"), {"nowhere"});
}

TEST(RolesOption, StatesWhatShapesCannotTell) {
  const Folder folder;
  std::mt19937 rng(3);
  auto net = random_net(2, 5, 5, 5, rng);
  for (const Piece& piece : net)
    write_piece(folder / fmt::format("pieces/piece_{}.pth", piece.id), piece);
  io::write_csv(folder / "data.csv", to_table(random_rows(net, 60, rng)));
  expect_refused(run_program(folder, "solve ."), {"--roles"});
  write_text(folder / "roles.txt", "0 expand\n1 contract\n2 expand\n3 contract\n4 head\n");
  const Outcome run = run_program(folder, "solve . --roles roles.txt");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "0,1,2,3,4\n");
}

}  // namespace
}  // namespace humpty::test
