#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "io/npy.hpp"
#include "io/safetensors.hpp"
#include "made_puzzle.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

using nlohmann::json;
using test::MadePuzzle;
using test::Outcome;
using test::run_program;

constexpr const char* kAnswer = "0,1,2,3,4,5,6,7,8\n";

TEST(SolveCommand, PrintsThePermutationAlone) {
  const Outcome run = MadePuzzle().solve();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, kAnswer);
  for (const char* word :
       {"4 expand (8×5)", "60 rows", "margin", "verdict  exact", "sha256", "verify"})
    EXPECT_NE(run.err.find(word), std::string::npos) << word << " is missing in\n" << run.err;
  EXPECT_EQ(run.err.find('\033'), std::string::npos) << "colours although not on a terminal";
}

TEST(SolveCommand, JsonHoldsEverythingNamed) {
  MadePuzzle made;
  const Outcome run = made.solve("--json out.json");
  EXPECT_EQ(run.out, kAnswer);
  const json solution = json::parse(test::read_text(made.folder / "out.json"));
  EXPECT_EQ(solution["verdict"], "exact");
  EXPECT_EQ(solution["permutation"], json::parse("[0,1,2,3,4,5,6,7,8]"));
  // printf '0,1,2,3,4,5,6,7,8' | sha256sum
  EXPECT_EQ(solution["sha256"], "fde06d85d9ada317f4575cb50de0062b591f7a29ac1d0ce5a2797700304b548b");
  EXPECT_EQ(solution["blocks"].size(), 4u);
  for (const char* key : {"in", "out", "score", "margin"})
    EXPECT_TRUE(solution["blocks"][0].contains(key)) << key;
  EXPECT_EQ(solution["head"], 8);
  EXPECT_LT(solution["mse"].get<double>(), 1e-12);
  EXPECT_LT(solution["max_abs_error"].get<double>(), 1e-5);
  const json& certificate = solution["certificate"];
  EXPECT_GT(certificate["nearest"]["mse"].get<double>(), solution["mse"].get<double>());
  EXPECT_EQ(certificate["nearest"]["is_bound"], false);
  EXPECT_EQ(certificate["scope"], "all");
  EXPECT_EQ(solution["rows"], 60);
  EXPECT_EQ(solution["pieces"]["3"], "./pieces/piece_3.pth");
  for (const char* key : {"read", "pair", "search", "verify"})
    EXPECT_TRUE(solution["timings_ms"].contains(key)) << key;
  EXPECT_EQ(solution["version"].get<std::string>() + "\n",
            test::read_text(std::string(HUMPTY_SOURCE_DIR) + "/VERSION"));
}

TEST(SolveCommand, JsonOnStandardOutputReplacesTheLine) {
  const Outcome run = MadePuzzle().solve("--json -");
  EXPECT_EQ(json::parse(run.out)["permutation"].size(), 9u);
}

TEST(SolveCommand, ReportIsAPageThatSaysHowItWasMade) {
  const MadePuzzle made;
  const Outcome run = made.solve("--method paper --rows 50 --report 'a page.html'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "0,1,2,3,4,5,6,7,8\n");
  const std::string page = test::read_text(made.folder / "a page.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find(R"("humpty solve . --method paper --rows 50 --report 'a page.html'")"),
            std::string::npos);
}

TEST(SolveCommand, AReportThatCannotBeWrittenIsRefusedBeforeTheWork) {
  const MadePuzzle made;
  const Outcome run = made.solve("--report nowhere/page.html");
  test::expect_refused(run, {"nowhere/page.html", "no such folder"});
}

TEST(SolveCommand, ExpectedHashDecides) {
  MadePuzzle made;
  EXPECT_EQ(
      made.solve("--expect-sha256 FDE06D85D9ADA317F4575CB50DE0062B591F7A29AC1D0CE5A2797700304B548B")
          .exit_code,
      0);
  EXPECT_EQ(made.solve("--expect-sha256 00fe").exit_code, 1);
}

TEST(SolveCommand, TheOrderOfTheFilesDoesNotMatter) {
  MadePuzzle made;
  EXPECT_EQ(run_program(made.folder, "solve pieces --data data.csv").out, kAnswer);
  EXPECT_EQ(run_program(made.folder, "solve $(ls -r pieces/*) data.csv").out, kAnswer);
  EXPECT_EQ(run_program(made.folder,
                        "solve $(ls pieces/* | shuf --random-source=data.csv) --data data.csv")
                .out,
            kAnswer);
}

TEST(SolveCommand, FilesWithoutNumbersGetIdsInNaturalOrder) {
  MadePuzzle made;
  for (int id = 0; id < 9; ++id)
    std::filesystem::rename(
        made.piece_path(id),
        made.folder / fmt::format("pieces/{}.pth", static_cast<char>('i' - id)));
  EXPECT_EQ(made.solve().out, "8,7,6,5,4,3,2,1,0\n");
}

// Told by content: the same pieces as .npz and .safetensors, some under misleading names.
TEST(SolveCommand, PiecesMayComeInOtherContainers) {
  MadePuzzle made;
  for (int id = 0; id < 9; ++id) {
    const io::Tensors piece = io::read_torch(made.piece_path(id));
    std::filesystem::remove(made.piece_path(id));
    const std::string path =
        made.folder / fmt::format("pieces/piece_{}.{}", id, id % 3 ? "npz" : "pt");
    if (id % 2)
      io::write_npz(path, piece.tensors);
    else
      io::write_safetensors(path, piece.tensors);
  }
  EXPECT_EQ(made.solve().out, kAnswer);
}

TEST(SolveCommand, SeveralOutputsAndPaperRoutes) {
  MadePuzzle made(3);
  EXPECT_EQ(made.solve().out, kAnswer);
  for (const char* seed : {"delta", "wout"}) {
    const Outcome run = made.solve(
        fmt::format("--method paper --seed {} --bradley-terry --rows 50 --temperature 0.01", seed));
    EXPECT_LE(run.exit_code, 1) << run.err;
    EXPECT_NE(run.err.find("ranking"), std::string::npos);
  }
}

TEST(SolveCommand, WhatIsNotExactIsPrintedAndSaidToBeUnsolved) {
  MadePuzzle made;
  made.rows.target.values[7] += 1;
  io::write_csv(made.folder / "data.csv", test::to_table(made.rows));
  const Outcome run = made.solve("--json out.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), ','), 8);
  EXPECT_EQ(json::parse(test::read_text(made.folder / "out.json"))["verdict"], "unsolved");
}

TEST(VerifyCommand, AcceptsTheTruthAsListOrFile) {
  MadePuzzle made;
  test::write_text(made.folder / "order.txt", kAnswer);
  test::write_text(made.folder / "order.json", R"({"permutation": [0,1,2,3,4,5,6,7,8]})");
  test::write_text(made.folder / "text.json", R"({"permutation": "0,1,2,3,4,5,6,7,8"})");
  for (const char* order : {"0,1,2,3,4,5,6,7,8", "order.txt", "order.json", "text.json"}) {
    const Outcome run =
        run_program(made.folder, fmt::format("verify . --certificate full --order {}", order));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "exact\n");
  }
  const Outcome wrong = run_program(made.folder, "verify . --json - --order 2,3,0,1,4,5,6,7,8");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(json::parse(wrong.out)["verdict"], "unsolved");
}

TEST(VerifyCommand, RefusesWhatIsNoOrder) {
  MadePuzzle made;
  test::expect_refused(run_program(made.folder, "verify . --order 0,1,two"), {"not an order"});
  test::expect_refused(run_program(made.folder, "verify . --order 0,1"), {"2 pieces"});
  test::write_text(made.folder / "bad.json", R"({"order": []})");
  test::expect_refused(run_program(made.folder, "verify . --order bad.json"), {"bad.json"});
}

TEST(Help, Teaches) {
  const test::Folder folder;
  for (const char* arguments : {"--help", "solve --help", "verify --help", "demo --help"}) {
    const Outcome run = run_program(folder, arguments);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(run.out.size(), 300u) << arguments;
  }
  EXPECT_EQ(run_program(folder, "--version").out,
            test::read_text(std::string(HUMPTY_SOURCE_DIR) + "/VERSION"));
}

TEST(Help, UsageErrorsAreOneLine) {
  const test::Folder folder;
  test::expect_refused(run_program(folder, ""), {"humpty --help"});
  test::expect_refused(run_program(folder, "sovle x"), {"humpty --help"});
  test::expect_refused(run_program(folder, "solve"), {"PATH"});
  test::expect_refused(run_program(folder, "solve . --method fast"), {"--method"});
  test::expect_refused(run_program(folder, "solve . --activation swish"), {"swish", "relu"});
  test::expect_refused(run_program(folder, "solve . --threads 0"), {"--threads"});
}

}  // namespace
}  // namespace humpty
