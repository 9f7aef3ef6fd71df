// What people have: tables, archives and checkpoints as other programs write them.
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "io/builders.hpp"
#include "io/inflate.hpp"
#include "io/npy.hpp"
#include "io/tar_builder.hpp"
#include "made_puzzle.hpp"

namespace humpty {
namespace {

namespace fs = std::filesystem;
using test::expect_refused;
using test::MadePuzzle;
using test::Outcome;
using test::run_program;

const std::string kAnswer = "0,1,2,3,4,5,6,7,8\n";

void expect_solved(const Outcome& run, const std::string& words = "") {
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, kAnswer);
  EXPECT_NE(run.err.find(words), std::string::npos) << "no '" << words << "' in: " << run.err;
}

std::string data_of(const MadePuzzle& made) { return test::read_text(made.folder / "data.csv"); }

void write_data(const MadePuzzle& made, const std::string& text) {
  test::write_text(made.folder / "data.csv", text);
}

// The text with something in front of every line, which is told its number.
template <class Front>
std::string fronted(const std::string& text, Front front) {
  std::istringstream lines(text);
  std::string all;
  int number = 0;
  for (std::string line; std::getline(lines, line); ++number) all += front(number) + line + "\n";
  return all;
}

std::string gzipped(const std::string& content) {
  return "\x1f\x8b\x08" + std::string(7, '\0') + test::deflate_raw(content) +
         test::le(io::crc32(io::bytes_of(content)), 4) + test::le(content.size(), 4);
}

std::vector<std::pair<std::string, std::string>> files_of(const MadePuzzle& made) {
  std::vector<std::pair<std::string, std::string>> files{{"net/data.csv", data_of(made)}};
  for (int id = 0; id < 9; ++id)
    files.emplace_back(fmt::format("net/pieces/piece_{}.pth", id),
                       test::read_text(made.piece_path(id)));
  return files;
}

TEST(Inputs, ColumnsThatAreNotListedNeedNotBeNumbers) {
  const MadePuzzle made;
  write_data(made, fronted(data_of(made), [](int n) { return n ? "\"Bonn, Rhein\"," : "city,"; }));
  expect_refused(made.solve(), {"data.csv:2:1", "'city'", "'Bonn, Rhein'", "--features"});
  expect_solved(made.solve("--features measurement"));
}

TEST(Inputs, TablesMayBeSeparatedByAnything) {
  const MadePuzzle made;
  const std::string text = data_of(made);
  for (const auto& [separator, word] :
       {std::pair(';', "semicolons"), {'\t', "tabs"}, {'|', "bars"}, {' ', "spaces"}}) {
    std::string other = text;
    std::replace(other.begin(), other.end(), ',', separator);
    write_data(made, other);
    expect_solved(made.solve(), word);
  }
}

TEST(Inputs, TablesNeedNoHeader) {
  const MadePuzzle made;
  write_data(made, data_of(made).substr(data_of(made).find('\n') + 1));
  expect_solved(made.solve(), "no header");
}

TEST(Inputs, AnIndexIsNoFeature) {
  const MadePuzzle made;
  write_data(made,
             fronted(data_of(made), [](int n) { return n ? std::to_string(n - 1) + "," : ","; }));
  expect_solved(made.solve(), "row numbers");
}

TEST(Inputs, RowsThatLackAValueAreRefusedOrDropped) {
  const MadePuzzle made;
  write_data(made, data_of(made) + "1,,3,4,5,6\n1,2,3,4,5,NA\n");
  expect_refused(made.solve(), {"data.csv:62:2", "'measurement_1'", "--drop-missing"});
  expect_solved(made.solve("--drop-missing"), "2 of 62 rows");
}

TEST(Inputs, TablesMayBePacked) {
  const MadePuzzle made;
  test::write_text(made.folder / "data.csv.gz", gzipped(data_of(made)));
  test::write_text(made.folder / "data.zip",
                   test::zip_of({{.name = "data.csv", .content = data_of(made)}}));
  expect_solved(made.solve("--data data.zip"));
  fs::remove(made.folder / "data.csv");
  expect_solved(made.solve());
  test::write_text(made.folder / "data.csv.gz", gzipped("a,b\n1,2\n").substr(0, 20));
  expect_refused(made.solve(), {"data.csv.gz", "cut short"});
}

TEST(Inputs, RowsMayComeFromStandardInput) {
  const MadePuzzle made;
  fs::rename(made.folder / "data.csv", made.folder / "elsewhere");
  const auto shell = [&](const std::string& line) {
    return run(made.folder, "sh", "-c \"" + line + "\"");
  };
  expect_solved(shell("cat elsewhere | '" HUMPTY_PROGRAM "' solve . --data -"));
  expect_solved(shell("'" HUMPTY_PROGRAM "' solve . --data - <elsewhere"));
  const Outcome looked = shell("cat elsewhere | '" HUMPTY_PROGRAM "' inspect . --data -");
  EXPECT_EQ(looked.exit_code, 0) << looked.out << looked.err;
  expect_refused(made.solve("--data -"), {"neither a file nor a pipe"});
}

TEST(Inputs, TheTargetMayBeInAFileOfItsOwn) {
  const MadePuzzle made;
  const Matrix &x = made.rows.features, &y = made.rows.target;
  io::write_npy(made.folder / "X.npy", {"", {x.rows, x.cols}, io::DType::float32, x.values});
  io::write_npy(made.folder / "y.npy", {"", {y.rows}, io::DType::float32, y.values});
  expect_solved(made.solve("--data X.npy --target-file y.npy"));
  expect_solved(run_program(made.folder, "solve pieces X.npy --data X.npy --target-file y.npy"));
  io::write_npy(made.folder / "short.npy", {"", {2}, io::DType::float32, {1, 2}});
  expect_refused(made.solve("--data X.npy --target-file short.npy"), {"short.npy", "2 rows", "60"});
}

TEST(Inputs, ParquetAndArrowComeWithARecipe) {
  const MadePuzzle made;
  for (const auto& [magic, word] :
       {std::pair("PAR1", "read_parquet"), {"ARROW1", "read_feather"}}) {
    test::write_text(made.folder / "rows", magic + std::string(20, '\1'));
    expect_refused(made.solve("--data rows"), {"rows", word, "to_csv"});
  }
}

TEST(Inputs, ArchivesAreFolders) {
  const MadePuzzle made;
  std::vector<test::ZipEntry> entries;
  for (const auto& [name, content] : files_of(made))
    entries.push_back({.name = name, .content = content, .deflated = true});
  const std::string tar = test::tar_of(files_of(made));
  const test::Folder folder;
  for (const auto& [name, content] :
       {std::pair<std::string, std::string>("net.zip", test::zip_of(entries)),
        {"net.tar", tar},
        {"net.tar.gz", gzipped(tar)},
        {"net", tar}}) {
    test::write_text(folder / name, content);
    expect_solved(run_program(folder, "solve " + name));
    test::write_text(folder / name, content.substr(0, content.size() / 2));
    EXPECT_EQ(run_program(folder, "solve " + name).exit_code, 2) << name;
  }
}

TEST(Inputs, ArchivesMayHoldThePiecesAlone) {
  const MadePuzzle made;
  auto files = files_of(made);
  files.erase(files.begin());
  test::write_text(made.folder / "net.tar", test::tar_of(files));
  expect_solved(run_program(made.folder, "solve net.tar data.csv"));
  expect_solved(run_program(made.folder, "solve net.tar --data data.csv"));
  expect_refused(run_program(made.folder, "solve net.tar"), {"no data"});
  test::write_text(made.folder / "empty.tar", test::tar_of({{"readme", "nothing"}}));
  expect_refused(run_program(made.folder, "solve empty.tar"), {"empty.tar", "no pieces"});
}

TEST(Inputs, RowsMayLieOneLevelUp) {
  const MadePuzzle made;
  expect_solved(run_program(made.folder, "solve pieces"));
}

TEST(Inputs, OfATrainingCheckpointTheNetIsTaken) {
  const MadePuzzle made;
  std::vector<io::Tensor> tensors;
  for (const char* key : {"ema", "model", "optimizer.state"})
    for (const Piece& piece : made.applied) {
      const float scale = key == std::string("model") ? 1.0f : 0.5f;
      std::vector<float> weight(piece.weight.values.begin(), piece.weight.values.end());
      for (float& value : weight) value *= scale;
      tensors.push_back({fmt::format("{}.{}.weight", key, piece.id),
                         {piece.weight.rows, piece.weight.cols},
                         io::DType::float32,
                         weight});
      tensors.push_back({fmt::format("{}.{}.bias", key, piece.id),
                         {piece.bias.size()},
                         io::DType::float32,
                         piece.bias});
    }
  io::write_torch(made.folder / "last.pth", tensors);
  expect_solved(run_program(made.folder, "solve last.pth --data data.csv"), "taking 'model'");
  EXPECT_EQ(
      run_program(made.folder, "solve last.pth --data data.csv --key ema --time-limit 1").exit_code,
      1);
  expect_refused(run_program(made.folder, "solve last.pth --data data.csv --key nothing"),
                 {"last.pth", "'nothing'", "ema, model, optimizer"});
}

// Features of whole numbers, stored as int64, beside what the net answers to them.
TEST(Inputs, FeaturesMayBeIntegers) {
  MadePuzzle made;
  Matrix &x = made.rows.features, &y = made.rows.target;
  for (float& value : x.values) value = std::round(3 * value);
  for (std::size_t r = 0; r < x.rows; ++r)
    y.row(r)[0] = static_cast<float>(test::plain_forward(made.applied, x.row(r))[0]);
  std::string items;
  for (const float value : x.values)
    items += test::le(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 8);
  const std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (60, 5), }\n";
  test::write_text(made.folder / "X.npy",
                   "\x93NUMPY\1" + test::le(0, 1) + test::le(header.size(), 2) + header + items);
  io::write_npy(made.folder / "y.npy", {"", {y.rows}, io::DType::float32, y.values});
  expect_solved(made.solve("--data X.npy --target-file y.npy"));
}

}  // namespace
}  // namespace humpty
