// Every kind of bad input: one line that says what, where and what to do; exit 2; nothing written.
#include <cmath>

#include <gtest/gtest.h>

#include "io/builders.hpp"
#include "io/npy.hpp"
#include "made_puzzle.hpp"

namespace humpty {
namespace {

using test::expect_refused;
using test::MadePuzzle;
using test::run_program;

// Also checks that no output was left behind, half-written or whole.
void expect_refused_cleanly(const MadePuzzle& made, const std::vector<std::string>& words) {
  expect_refused(made.solve("--json out.json"), words);
  EXPECT_FALSE(std::filesystem::exists(made.folder / "out.json"));
  for (const auto& entry : std::filesystem::directory_iterator(made.folder.path()))
    EXPECT_TRUE(entry.path().filename() == "pieces" || entry.path().filename() == "data.csv")
        << entry.path();
}

TEST(BadInput, MissingPath) {
  const test::Folder folder;
  expect_refused(run_program(folder, "solve nowhere"), {"nowhere", "no such file"});
}

TEST(BadInput, EmptyFolder) {
  const test::Folder folder;
  expect_refused(run_program(folder, "solve ."), {"no pieces"});
}

TEST(BadInput, NotAZip) {
  const MadePuzzle made;
  test::write_text(made.piece_path(3),
                   "this is no archive, but it is long enough to look like one");
  expect_refused_cleanly(made, {"piece_3.pth", "looks like text"});
  test::write_text(made.piece_path(3), "PK\x03\x04 but nothing of a zip follows");
  expect_refused_cleanly(made, {"piece_3.pth", "zip"});
}

TEST(BadInput, TruncatedPiece) {
  const MadePuzzle made;
  const std::string whole = test::read_text(made.piece_path(3));
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    test::write_text(made.piece_path(3), whole.substr(0, size));
    expect_refused(made.solve(), {"piece_3.pth"});
  }
}

TEST(BadInput, ForbiddenGlobal) {
  const MadePuzzle made;
  test::write_text(made.piece_path(3), test::pth_that_calls("os", "system"));
  expect_refused_cleanly(made, {"piece_3.pth", "os.system", "byte 2"});
}

TEST(BadInput, TensorLargerThanItsStorage) {
  const MadePuzzle made;
  test::write_text(made.piece_path(3),
                   test::pth_of(test::pickle_of_dict({{.shape = {100, 100}, .items = 4}}),
                                {test::floats({1, 2, 3, 4})}));
  expect_refused_cleanly(made, {"piece_3.pth", "weight"});
}

TEST(BadInput, SizesThatOverflow) {
  const MadePuzzle made;
  const std::uint64_t huge = std::uint64_t{1} << 62;
  test::write_text(made.piece_path(3),
                   test::pth_of(test::pickle_of_dict({{.shape = {huge, 8}, .items = 4}}),
                                {test::floats({1, 2, 3, 4})}));
  expect_refused_cleanly(made, {"piece_3.pth", "weight"});
}

TEST(BadInput, EntryThatLiesAboutItsSize) {
  const MadePuzzle made;
  const std::string pickle = test::pickle_of_dict({{.shape = {2, 2}, .items = 4}});
  test::write_text(made.piece_path(3),
                   test::zip_of({{.name = "archive/data.pkl", .content = pickle},
                                 {.name = "archive/data/0",
                                  .content = test::floats({1, 2, 3, 4}),
                                  .size = 1 << 30,
                                  .packed = 1 << 30}}));
  expect_refused_cleanly(made, {"piece_3.pth"});
}

TEST(BadInput, EntryThatInflatesPastItsTensor) {
  const MadePuzzle made;
  const std::string pickle = test::pickle_of_dict({{.shape = {2, 2}, .items = 4}});
  test::write_text(made.piece_path(3),
                   test::zip_of({{.name = "archive/data.pkl", .content = pickle},
                                 {.name = "archive/data/0",
                                  .content = std::string(50 << 20, '\0'),
                                  .deflated = true,
                                  .size = 16}}));
  expect_refused_cleanly(made, {"piece_3.pth", "data/0"});
}

TEST(BadInput, ShapesOfNoResidualNet) {
  const MadePuzzle made;
  std::mt19937 rng(1);
  test::write_piece(made.piece_path(3), test::random_piece(3, 11, 13, 1, rng));
  expect_refused_cleanly(made, {"fit no residual net", "1 of 11×13", "4 of 8×5"});
}

TEST(BadInput, UnequalNumbersOfExpandAndContract) {
  const MadePuzzle made;
  std::filesystem::remove(made.piece_path(3));
  expect_refused_cleanly(made, {"4 expand and 3 contract"});
}

TEST(BadInput, NoHeadOrSeveral) {
  const MadePuzzle made;
  std::filesystem::copy_file(made.piece_path(8), made.piece_path(9));
  expect_refused_cleanly(made, {"2 pieces that could be the head"});
  std::filesystem::remove(made.piece_path(8));
  std::filesystem::remove(made.piece_path(9));
  expect_refused_cleanly(made, {"no head"});
}

TEST(BadInput, NanOrInfiniteWeights) {
  const MadePuzzle made;
  for (float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    Piece piece = made.applied[6];
    piece.weight.values[2] = bad;
    test::write_piece(made.piece_path(6), piece);
    expect_refused_cleanly(made, {"piece 6", "weight"});
    piece = made.applied[6];
    piece.bias[1] = bad;
    test::write_piece(made.piece_path(6), piece);
    expect_refused_cleanly(made, {"piece 6", "bias"});
  }
}

TEST(BadInput, TensorsThatAreNoLayer) {
  const MadePuzzle made;
  io::write_torch(made.piece_path(6),
                  std::vector<io::Tensor>{{"a", {2, 2}, io::DType::float32, {1, 2, 3, 4}},
                                          {"b", {1, 2}, io::DType::float32, {1, 2}}});
  expect_refused_cleanly(made, {"1 of 2×2", "1 of 1×2"});
  io::write_torch(
      made.piece_path(6),
      std::vector<io::Tensor>{{"norm", {7}, io::DType::float32, std::vector<float>(7)}});
  expect_refused_cleanly(made, {"piece_6.pth", "norm", "vector of 7", "no weight"});
}

TEST(BadInput, AFileWithoutAnyLayer) {
  const MadePuzzle made;
  const test::Folder folder;
  io::write_torch(folder / "a.pth",
                  std::vector<io::Tensor>{{"cube", {1, 1, 2}, io::DType::float32, {1, 2}}});
  expect_refused(run_program(folder, "solve a.pth --data " + made.folder / "data.csv"),
                 {"a.pth", "'cube' 1×1×2"});
}

TEST(BadInput, MissingTargetColumnListsWhatThereIs) {
  const MadePuzzle made;
  made.replace_in_data("pred", "prod");
  expect_refused_cleanly(made, {"data.csv", "'pred'", "measurement_0", "prod"});
}

TEST(BadInput, RaggedRow) {
  const MadePuzzle made;
  std::string text = test::read_text(made.folder / "data.csv");
  test::write_text(made.folder / "data.csv", text + "1,2,3\n");
  expect_refused_cleanly(made, {"data.csv:62"});
}

TEST(BadInput, CellsThatAreNoFiniteNumbers) {
  const MadePuzzle made;
  const std::string text = test::read_text(made.folder / "data.csv");
  for (const char* bad : {"nan", "inf", "-inf", "1e99", "abc", "", "1.5x", "0x10"}) {
    test::write_text(made.folder / "data.csv", text + fmt::format("1,2,{},4,5,6\n", bad));
    expect_refused_cleanly(made, {"data.csv:62:3", "measurement_2"});
  }
}

TEST(BadInput, NoRowsAndNoData) {
  const MadePuzzle made;
  const std::string text = test::read_text(made.folder / "data.csv");
  test::write_text(made.folder / "data.csv", text.substr(0, text.find('\n') + 1));
  expect_refused_cleanly(made, {"data.csv", "no rows"});
  test::write_text(made.folder / "data.csv", "");
  expect_refused_cleanly(made, {"data.csv"});
  std::filesystem::remove(made.folder / "data.csv");
  expect_refused_cleanly(made, {"no data", "--data"});
  expect_refused(made.solve("--data gone.csv"), {"gone.csv"});
}

TEST(BadInput, SeveralDataFiles) {
  const MadePuzzle made;
  std::filesystem::copy_file(made.folder / "data.csv", made.folder / "more.csv");
  expect_refused(made.solve(), {"data.csv", "more.csv", "--data"});
}

TEST(BadInput, FeatureCountThatDiffersFromTheNets) {
  const MadePuzzle made;
  made.replace_in_data("measurement_4", "true");
  expect_refused_cleanly(made, {"takes 5 inputs", "4 feature columns"});
}

TEST(BadInput, OutputCountThatDiffersFromTheNets) {
  const MadePuzzle made;
  made.replace_in_data("pred", "pred_0");
  made.replace_in_data("measurement_4", "pred_1");
  expect_refused(made.solve(), {"data.csv"});
}

TEST(BadInput, OnePieceTwice) {
  const MadePuzzle made;
  std::filesystem::copy_file(made.piece_path(3), made.folder / "pieces/copy_03.pth");
  expect_refused_cleanly(made, {"4 expand and 5 contract"});
}

TEST(BadInput, DataThatIsNotFiniteOrNoData) {
  const MadePuzzle made;
  io::write_npy(made.folder / "rows.npy", {"", {2, 2}, io::DType::float32, {1, 2, 3, NAN}});
  expect_refused(made.solve("--data rows.npy"),
                 {"rows.npy", "'column_1'", "in row 1", "--drop-missing"});
  io::write_npy(made.folder / "rows.npy", {"", {1, 2, 2}, io::DType::float32, {1, 2, 3, 4}});
  expect_refused(made.solve("--data rows.npy"), {"rows.npy", "no rows"});
  expect_refused(made.solve("--features measurement_0,nothing"), {"'nothing'", "measurement_4"});
}

TEST(BadInput, OutputThatCannotBeWritten) {
  const MadePuzzle made;
  const test::Outcome run = made.solve("--json nowhere/out.json");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("humpty: error: nowhere/out.json"), std::string::npos) << run.err;
  EXPECT_EQ(made.solve("--json /dev/full").exit_code, 2);
}

}  // namespace
}  // namespace humpty
