// What the program may replace, and what becomes of an answer whose file cannot be written.
#include <gtest/gtest.h>

#include "made_puzzle.hpp"

namespace humpty {
namespace {

using test::expect_refused;
using test::Folder;
using test::MadePuzzle;
using test::Outcome;
using test::read_text;
using test::run_program;
using test::write_text;

namespace fs = std::filesystem;

constexpr const char* kTrain =
    "train -o net --force --blocks 2 --dim 3 --hidden 4 --epochs 1 --rows 10";
constexpr const char* kOrder = "0,1,2,3,4,5,6,7,8\n";

// ----------------------------------------------------------------------------------------- --force

TEST(Force, ReplacesAPuzzleOfOurOwnAndNothingBesideIt) {
  const Folder folder;
  ASSERT_EQ(run_program(folder, kTrain).exit_code, 0);
  write_text(folder / "net/notes.txt", "mine");
  const std::string before = read_text(folder / "net/data.csv");
  const Outcome again = run_program(folder, std::string(kTrain) + " --rng 2");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(read_text(folder / "net/data.csv"), before);
  EXPECT_EQ(read_text(folder / "net/notes.txt"), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "net"), {}), 4);
}

TEST(Force, AStrangersFileAmongThePiecesIsNamedAndEverythingStays) {
  const Folder folder;
  ASSERT_EQ(run_program(folder, kTrain).exit_code, 0);
  const std::string before = read_text(folder / "net/answer.json");
  for (const char* name : {"net/pieces/thesis.tex", "net/pieces/piece_77.pth"}) {
    write_text(folder / name, "mine");
    expect_refused(run_program(folder, std::string(kTrain) + " --rng 2"), {name, "move it away"});
    EXPECT_EQ(read_text(folder / name), "mine");
    fs::remove(folder / name);
  }
  EXPECT_EQ(read_text(folder / "net/answer.json"), before);
}

TEST(Force, RowsWithoutAnAnswerOfOursAreAStrangers) {
  const Folder folder;
  write_text(folder / "net/data.csv", "a,b\n1,2\n");
  expect_refused(run_program(folder, kTrain), {"net/data.csv", "move it away"});
  write_text(folder / "net/answer.json", R"({"permutation": [0, 1, 2], "sha256": "made up"})");
  expect_refused(run_program(folder, kTrain), {"net/data.csv"});
  fs::remove(folder / "net/data.csv");
  expect_refused(run_program(folder, kTrain), {"net/answer.json"});
  for (const char* odd : {"[]", "", "{\"permutation\": [\"x\"]}", "{\"permutation\": 3}"}) {
    write_text(folder / "net/answer.json", odd);
    expect_refused(run_program(folder, kTrain), {"net/answer.json"});
    EXPECT_EQ(read_text(folder / "net/answer.json"), odd);
  }
}

TEST(Force, LinksAreNotFollowed) {
  const Folder folder;
  write_text(folder / "elsewhere/piece_0.pth", "mine");
  fs::create_directory(folder / "net");
  fs::create_directory_symlink(folder / "elsewhere", folder / "net/pieces");
  expect_refused(run_program(folder, kTrain), {"net/pieces"});
  EXPECT_EQ(read_text(folder / "elsewhere/piece_0.pth"), "mine");
}

TEST(Force, DemoAndDropKeepStrangersFilesAsWell) {
  const Folder folder;
  for (const char* name : {"net/solution.json", "net/report.html", "net/pieces/x"}) {
    write_text(folder / name, "mine");
    expect_refused(run_program(folder, "demo -o net --force"), {name, "move it away"});
    EXPECT_EQ(read_text(folder / name), "mine");
    fs::remove_all(folder / "net");
  }
  write_text(folder / "net/data.csv", "mine");
  expect_refused(run_program(folder, "drop model.pth -o net --force"), {"net/data.csv"});
}

// ------------------------------------------------------------------------- checked before the work

// Nothing was read yet where no line tells of the pieces.
void expect_refused_at_once(const Outcome& run, const std::vector<std::string>& words) {
  expect_refused(run, words);
  EXPECT_TRUE(run.err.starts_with("humpty: error: ")) << run.err;
}

TEST(Outputs, AreCheckedBeforeTheWork) {
  const MadePuzzle made;
  write_text(made.folder / "file", "x");
  for (const char* command :
       {"solve . --json", "solve . --report", "solve . --model", "pair . --json",
        "verify . --order 0,1,2,3,4,5,6,7,8 --json", "inspect . --json", "study signals . --json",
        "rename . --order 0,1,2,3,4,5,6,7,8 -o"})
    for (const char* place : {"nowhere/x.npz", "file/x.npz"})
      expect_refused_at_once(run_program(made.folder, fmt::format("{} {}", command, place)),
                             {place});
  expect_refused_at_once(run_program(made.folder, "solve . --json pieces"), {"pieces"});
}

TEST(Outputs, FoldersAreCheckedBeforeTheWork) {
  const MadePuzzle made;
  write_text(made.folder / "file", "x");
  for (const char* command : {"train", "demo", "drop model.pth", "paper ."})
    expect_refused_at_once(run_program(made.folder, fmt::format("{} -o file/sub", command)),
                           {"file"});
}

TEST(Outputs, TwoToOnePlaceAreRefused) {
  const MadePuzzle made;
  expect_refused_at_once(made.solve("--json x.html --report ./x.html"), {"--json", "--report"});
  expect_refused_at_once(made.solve("--json - --report -"),
                         {"--json", "--report", "standard output"});
  EXPECT_FALSE(fs::exists(made.folder / "x.html"));
}

TEST(Outputs, TheReportTakesTheLinesPlaceOnStandardOutput) {
  const MadePuzzle made;
  const Outcome run = made.solve("--report -");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("<!doctype html>")) << run.out.substr(0, 200);
  EXPECT_TRUE(run.out.ends_with("</html>\n")) << run.out.substr(run.out.size() - 200);
  EXPECT_FALSE(fs::exists(made.folder / "-"));
}

// ------------------------------------------------------------------------------- the answer is
// kept

TEST(Outputs, TheAnswerIsToldEvenIfItsFileCannotBeWritten) {
  const MadePuzzle made;
  for (const char* options :
       {"--json /dev/full", "--report /dev/full", "--json /dev/full --report r.html"}) {
    const Outcome run = made.solve(options);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, kOrder);
    EXPECT_NE(run.err.find("verdict  exact"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("humpty: error: /dev/full: cannot be written"), std::string::npos)
        << run.err;
  }
  EXPECT_TRUE(fs::exists(made.folder / "r.html"));
}

TEST(Outputs, OfOtherCommandsAreToldAsWell) {
  const MadePuzzle made;
  for (const char* command : {"pair .", "verify . --order 0,1,2,3,4,5,6,7,8", "inspect ."}) {
    const Outcome run = run_program(made.folder, fmt::format("{} --json /dev/full", command));
    EXPECT_EQ(run.exit_code, 2) << command;
    EXPECT_NE(run.out, "") << command;
    EXPECT_NE(run.err.find("humpty: error: /dev/full"), std::string::npos) << run.err;
  }
}

TEST(Outputs, FilesAreWrittenEvenIfStandardOutputFails) {
  const MadePuzzle made;
  // The shell goes on to "true", whose output is what run_program keeps.
  const Outcome run = made.solve("--json x.json --model m.npz >/dev/full 2>told || exit $?; true");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(read_text(made.folder / "told").find("standard output"), std::string::npos);
  EXPECT_TRUE(fs::exists(made.folder / "x.json"));
  EXPECT_TRUE(fs::exists(made.folder / "m.npz"));
}

}  // namespace
}  // namespace humpty
