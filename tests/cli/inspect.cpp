#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/builders.hpp"
#include "made_puzzle.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::MadePuzzle;
using test::Outcome;
using test::run_program;

// Exit 0 and nothing on standard error, whatever the files hold.
std::string shown(const test::Folder& folder, const std::string& arguments) {
  const Outcome run = run_program(folder, "inspect " + arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return run.out;
}

json facts(const test::Folder& folder, const std::string& arguments) {
  return json::parse(shown(folder, arguments + " --json -"));
}

// The line that starts with these words, its runs of blanks made one.
std::string line_with(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string squeezed;
    for (std::string word; words >> word;) squeezed += (squeezed.empty() ? "" : " ") + word;
    if (squeezed.starts_with(start)) return squeezed;
  }
  return "no line starts with '" + start + "' in\n" + text;
}

TEST(InspectCommand, ShowsEachPieceOnALine) {
  const test::Folder folder;
  test::write_text(folder / "piece_7.pth", test::small_pth());
  // weight 1 … 6 and bias 7, 8: norms √91 and √113
  EXPECT_EQ(line_with(shown(folder, "piece_7.pth"), "7 "),
            "7 piece_7.pth 2×3 float32 ? 9.5394 1 … 6 0 10.6301");
}

TEST(InspectCommand, SaysOfAPuzzleThatItIsOne) {
  const MadePuzzle made;
  const std::string text = shown(made.folder, ".");
  EXPECT_EQ(line_with(text, "pieces "), "pieces 9 in ./pieces");
  EXPECT_TRUE(line_with(text, "0 ").starts_with("0 piece_0.pth 8×5 float32 expand "));
  EXPECT_TRUE(line_with(text, "1 ").starts_with("1 piece_1.pth 5×8 float32 contract "));
  EXPECT_TRUE(line_with(text, "8 ").starts_with("8 piece_8.pth 1×5 float32 head "));
  EXPECT_EQ(line_with(text, "data "), "data ./data.csv: 60 rows, 6 columns: 5 features, 1 targets");
  EXPECT_EQ(line_with(text, "puzzle "), "puzzle complete: humpty solve can take it");
}

TEST(InspectCommand, JsonHoldsTheSameFacts) {
  const MadePuzzle made;
  shown(made.folder, ". --json facts.json");
  const json all = json::parse(test::read_text(made.folder / "facts.json"));
  ASSERT_EQ(all["files"].size(), 9u);
  ASSERT_EQ(all["pieces"].size(), 9u);
  EXPECT_TRUE(all["files"][3]["error"].is_null());
  EXPECT_EQ(all["files"][3]["tensors"].size(), 2u);
  const json& piece = all["pieces"][3];
  EXPECT_EQ(piece["id"], 3);
  EXPECT_EQ(piece["file"], "./pieces/piece_3.pth");
  EXPECT_EQ(piece["role"], "contract");
  EXPECT_EQ(piece["transposed"], false);
  EXPECT_EQ(piece["bias"]["shape"], json::parse("[5]"));
  const json& weight = piece["weight"];
  EXPECT_EQ(weight["name"], "weight");
  EXPECT_EQ(weight["shape"], json::parse("[5, 8]"));
  EXPECT_EQ(weight["non_finite"], 0);
  double squares = 0;
  for (const double value : made.applied[3].weight.values) squares += value * value;
  EXPECT_NEAR(weight["norm"].get<double>(), std::sqrt(squares), 1e-9);
  const auto [least, most] = std::minmax_element(made.applied[3].weight.values.begin(),
                                                 made.applied[3].weight.values.end());
  EXPECT_EQ(weight["min"].get<float>(), *least);
  EXPECT_EQ(weight["max"].get<float>(), *most);
  EXPECT_EQ(all["tables"][0]["rows"], 60);
  EXPECT_EQ(all["tables"][0]["columns"][5]["use"], "target");
  EXPECT_TRUE(all["obstacle"].is_null());
}

TEST(InspectCommand, CountsWhatIsNotFinite) {
  const MadePuzzle made;
  Piece piece = made.applied[6];
  piece.weight.values = std::vector<float>(40, 0.5f);
  piece.weight.values[2] = std::nanf("");
  piece.weight.values[3] = INFINITY;
  piece.bias[1] = -INFINITY;
  test::write_piece(made.piece_path(6), piece);
  const json all = facts(made.folder, ".");
  EXPECT_EQ(all["pieces"][6]["weight"]["non_finite"], 2);
  EXPECT_EQ(all["pieces"][6]["bias"]["non_finite"], 1);
  EXPECT_NEAR(all["pieces"][6]["weight"]["norm"].get<double>(), 0.5 * std::sqrt(38), 1e-12);
  EXPECT_EQ(all["pieces"][6]["role"], "expand");
  EXPECT_NE(all["obstacle"].get<std::string>().find("piece 6"), std::string::npos);
}

TEST(InspectCommand, TensorsOfNothingOrOfNoFiniteValueHaveNoRange) {
  const test::Folder folder;
  io::write_torch(folder / "odd.pth",
                  std::vector<io::Tensor>{{"empty", {0, 3}, io::DType::float32, {}},
                                          {"scalar", {}, io::DType::float64, {2.5f}},
                                          {"lost", {1}, io::DType::float16, {INFINITY}}});
  const std::string text = shown(folder, "odd.pth");
  EXPECT_EQ(line_with(text, "empty"), "empty 0×3 float32 0.0000 - 0");
  EXPECT_EQ(line_with(text, "scalar"), "scalar scalar float64 2.5000 2.5 … 2.5 0");
  EXPECT_EQ(line_with(text, "lost"), "lost 1 float16 0.0000 - 1");
}

TEST(InspectCommand, DtypesAreAsStored) {
  const test::Folder folder;
  for (const io::DType dtype : {io::DType::float64, io::DType::float16, io::DType::bfloat16}) {
    io::write_torch(folder / "p.pth", std::vector<io::Tensor>{{"w", {1, 2}, dtype, {1, 2}}});
    EXPECT_EQ(facts(folder, "p.pth")["files"][0]["tensors"][0]["dtype"],
              std::string(io::name(dtype)));
  }
}

TEST(InspectCommand, WhatCannotBeReadHidesNothingOfTheRest) {
  const MadePuzzle made;
  test::write_text(made.piece_path(3), "no archive");
  test::write_text(made.folder / "bad.csv", "a,b\n1\n");
  const std::string text = shown(made.folder, ".");
  EXPECT_TRUE(line_with(text, "damaged ./pieces/piece_3.pth").find("looks like text") !=
              std::string::npos);
  EXPECT_TRUE(line_with(text, "damaged ./bad.csv:2:2").starts_with("damaged"));
  EXPECT_TRUE(line_with(text, "4 ").starts_with("4 piece_4.pth 8×5 float32 ?"));
  EXPECT_TRUE(line_with(text, "data ").starts_with("data ./data.csv: 60 rows"));
  EXPECT_NE(line_with(text, "roles unknown").find("4 expand and 3 contract"), std::string::npos);
  EXPECT_NE(line_with(text, "puzzle not as it is").find("piece_3.pth"), std::string::npos);
}

// golden.pth was written by torch.save: a matrix, a vector as long as its rows, an integer.
TEST(InspectCommand, SaysWhatWasSkippedAndWhatWasTurned) {
  const test::Folder folder;
  std::filesystem::copy_file(HUMPTY_SOURCE_DIR "/tests/io/data/golden.pth", folder / "net.pth");
  const std::string text = shown(folder, "net.pth");
  EXPECT_TRUE(line_with(text, "0 net.pth").starts_with("0 net.pth 3×2 (in × out) float32 ? 9.5394"))
      << text;
  EXPECT_EQ(line_with(text, "skipped"), "skipped net.pth: tensor 'steps': int64 is not read");
  EXPECT_EQ(line_with(text, "note"), "note 1 of 1 weights are stored in × out, and were turned");
}

TEST(InspectCommand, ListsTensorsThatMakeNoPieces) {
  const test::Folder folder;
  io::write_torch(folder / "net.pth",
                  std::vector<io::Tensor>{{"norm.weight", {2}, io::DType::float32, {3, 4}},
                                          {"cube", {1, 1, 1}, io::DType::float16, {2}}});
  const std::string text = shown(folder, "net.pth");
  EXPECT_NE(line_with(text, "no piece net.pth").find("'norm.weight' 2"), std::string::npos) << text;
  EXPECT_EQ(line_with(text, "norm.weight"), "norm.weight 2 float32 5.0000 3 … 4 0");
  EXPECT_EQ(line_with(text, "cube"), "cube 1×1×1 float16 2.0000 2 … 2 0");
}

TEST(InspectCommand, ShowsWhichTensorsOfAFileMakeAPiece) {
  const test::Folder folder;
  io::write_torch(
      folder / "net.pth",
      std::vector<io::Tensor>{{"p7.weight", {2, 3}, io::DType::float32, {1, 2, 3, 4, 5, 6}},
                              {"p7.bias", {2}, io::DType::float32, {1, 2}},
                              {"p9.weight", {1, 2}, io::DType::float32, {1, 2}}});
  const std::string text = shown(folder, "net.pth");
  EXPECT_TRUE(line_with(text, "7 ").starts_with("7 net.pth: p7.weight with p7.bias 2×3")) << text;
  EXPECT_TRUE(line_with(text, "9 ").starts_with("9 net.pth: p9.weight 1×2")) << text;
  EXPECT_EQ(line_with(text, "note biases"), "note biases were matched to weights: 1 by name");
}

TEST(InspectCommand, DataAloneCanBeLookedAt) {
  const test::Folder folder;
  test::write_text(folder / "rows.csv", "x_0,x_1,answer,true\n1,5,-1,0\n3,5,-2,1\n");
  const std::string text = shown(folder, "rows.csv --target answer");
  EXPECT_EQ(line_with(text, "data"), "data rows.csv: 2 rows, 4 columns: 2 features, 1 targets");
  EXPECT_EQ(line_with(text, "x_0"), "x_0 feature 1 … 3");
  EXPECT_EQ(line_with(text, "x_1"), "x_1 feature 5 … 5 constant");
  EXPECT_EQ(line_with(text, "answer"), "answer target -2 … -1");
  EXPECT_EQ(line_with(text, "true"), "true unused 0 … 1");
  EXPECT_EQ(line_with(shown(folder, "rows.csv"), "x_0"), "x_0 ? 1 … 3");
  EXPECT_NE(line_with(shown(folder, "rows.csv"), "target unknown").find("'pred'"),
            std::string::npos);
}

TEST(InspectCommand, NamesCannotSteerTheTerminal) {
  const test::Folder folder;
  io::write_torch(folder / "p.pth", std::vector<io::Tensor>{
                                        {"\033[31mred\n", {2, 2}, io::DType::float32, {1, 2, 3, 4}},
                                        {"other", {2, 2}, io::DType::float32, {1, 2, 3, 4}}});
  test::write_text(folder / "d.csv", "\033[31mx,pred\n1,2\n");
  const std::string text = shown(folder, "p.pth d.csv");
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[31mred\\x0a"), std::string::npos) << text;
}

TEST(InspectCommand, NothingToShowIsAnError) {
  const test::Folder folder;
  expect_refused(run_program(folder, "inspect nowhere"), {"nowhere", "no such file"});
  expect_refused(run_program(folder, "inspect ."), {"no pieces"});
  test::write_text(folder / "a.pth", "no archive");
  expect_refused(run_program(folder, "inspect a.pth"), {"a.pth", "looks like text"});
  test::write_text(folder / "b.pth", "nor this");
  expect_refused(run_program(folder, "inspect ."), {"a.pth", "1 more"});
  expect_refused(run_program(folder, "inspect a.pth --data gone.csv"), {"gone.csv"});
  expect_refused(run_program(folder, "inspect"), {"PATH", "humpty inspect --help"});
  expect_refused(run_program(folder, "inspect . --threads many"), {"--threads"});
}

TEST(InspectCommand, ThePublishedPuzzle) {
  HUMPTY_NEEDS(test::jane_street());
  const test::Folder folder;
  const json all = facts(folder, test::jane_street());
  std::map<std::string, int> roles;
  for (const json& piece : all["pieces"]) ++roles[piece["role"].get<std::string>()];
  EXPECT_EQ(roles, (std::map<std::string, int>{{"contract", 48}, {"expand", 48}, {"head", 1}}));
  EXPECT_EQ(all["pieces"][85]["role"], "head");
  EXPECT_EQ(all["tables"][0]["rows"], 10000);
  EXPECT_EQ(all["tables"][0]["columns"].size(), 50u);
  EXPECT_TRUE(all["obstacle"].is_null());
}

}  // namespace
}  // namespace humpty
