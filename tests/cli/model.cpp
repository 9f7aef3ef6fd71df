// solve --model and rename, as users run them.
#include <gtest/gtest.h>

#include "io/golden.hpp"
#include "io/npy.hpp"
#include "io/read.hpp"
#include "io/safetensors.hpp"
#include "made_puzzle.hpp"

namespace humpty {
namespace {

using test::expect_refused;
using test::MadePuzzle;
using test::Outcome;
using test::run_program;

// Ids are places in the order of application, so the model's tensors are the pieces' in turn.
void expect_model(const MadePuzzle& made, const std::string& file, const std::string& first) {
  const io::Tensors model = io::read_tensors(made.folder / file);
  ASSERT_EQ(model.tensors.size(), 18u) << file;
  EXPECT_EQ(model.tensors[0].name, first);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(model.tensors[2 * i].values, made.applied[i].weight.values) << file;
    EXPECT_EQ(model.tensors[2 * i + 1].values, made.applied[i].bias) << file;
  }
}

TEST(SolveCommand, WritesTheModelInEveryFormat) {
  const MadePuzzle made;
  for (const char* file : {"m.safetensors", "m.pth", "m.onnx", "m.npz"}) {
    const Outcome run = made.solve(std::string("--model ") + file);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.err.find(std::string("model    ") + file), std::string::npos) << run.err;
    expect_model(made, file, "blocks.0.inp.weight");
  }
}

TEST(SolveCommand, NamesTheModelsTensorsByTemplate) {
  const MadePuzzle made;
  EXPECT_EQ(made.solve("--model m.pth --names '{i}.inp,{i}.out,{i}.layer'").exit_code, 0);
  expect_model(made, "m.pth", "0.inp.weight");
  EXPECT_EQ(io::read_tensors(made.folder / "m.pth").tensors.back().name, "4.layer.bias");
}

TEST(SolveCommand, RefusesAModelItCannotWriteBeforeItSolves) {
  const MadePuzzle made;
  expect_refused(made.solve("--model m.h5"), {"m.h5", ".safetensors"});
  expect_refused(made.solve("--model nowhere/m.pth"), {"nowhere/m.pth", "folder"});
  expect_refused(made.solve("--model m.pth --names blocks.inp"), {"--names", "{i}"});
  EXPECT_FALSE(std::filesystem::exists(made.folder / "m.pth"));
}

TEST(SolveCommand, MapsIdsToTensors) {
  const MadePuzzle made;
  std::vector<io::Tensor> tensors;
  for (const Piece& piece : made.applied) {
    const std::string name = std::string(1, "hcgaebidf"[piece.id]) + ".x";
    tensors.push_back({name + ".weight",
                       {piece.weight.rows, piece.weight.cols},
                       io::DType::float32,
                       piece.weight.values});
    tensors.push_back({name + ".bias", {piece.bias.size()}, io::DType::float32, piece.bias});
  }
  io::write_safetensors(made.folder / "net.safetensors", tensors);
  const Outcome run = run_program(
      made.folder, "solve net.safetensors --data data.csv --json found.json --model m.npz");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "7,2,6,0,4,1,8,3,5\n");  // the letters' places in the alphabet
  EXPECT_NE(test::read_text(made.folder / "found.json")
                .find(R"("4": "net.safetensors: e.x.weight with e.x.bias")"),
            std::string::npos);
  EXPECT_NE(test::read_text(made.folder / "found.json").find("9 by name"), std::string::npos);
  expect_model(made, "m.npz", "blocks.0.inp.weight");
  const Outcome renamed =
      run_program(made.folder, "rename net.safetensors --order found.json -o again.safetensors");
  EXPECT_EQ(renamed.exit_code, 0) << renamed.err;
  expect_model(made, "again.safetensors", "blocks.0.inp.weight");
}

TEST(RenameCommand, FollowsTheFilesOwnGraphIfAsked) {
  const MadePuzzle made;
  EXPECT_EQ(made.solve("--model m.onnx --names 'a.{i},z.{i},k'").exit_code, 0);
  const Outcome run = run_program(made.folder, "rename m.onnx --order graph -o again.npz");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_model(made, "again.npz", "blocks.0.inp.weight");
  EXPECT_EQ(run_program(made.folder, "verify m.onnx --data data.csv --order graph").exit_code, 0);
  expect_refused(run_program(made.folder, "rename pieces --order graph -o m.pth"),
                 {"piece_0.pth", "no graph"});
}

TEST(RenameCommand, TakesAListOfAnyLength) {
  const MadePuzzle made;
  const std::string padding(300, ' ');
  const Outcome run =
      run_program(made.folder, "rename pieces --order '0,1,2,3,4,5,6,7," + padding + "8' -o m.pth");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  expect_model(made, "m.pth", "blocks.0.inp.weight");
}

TEST(RenameCommand, KeepsEachTensorInItsType) {
  const MadePuzzle made;
  Piece piece = made.applied[0];
  piece.weight.values.assign(piece.weight.values.size(), 0.25f);
  io::write_npz(made.piece_path(0),
                std::vector<io::Tensor>{{"weight", {8, 5}, io::DType::float16, piece.weight.values},
                                        {"bias", {8}, io::DType::float32, piece.bias}});
  EXPECT_EQ(run_program(made.folder, "rename pieces --order 0,1,2,3,4,5,6,7,8 -o m.pth").exit_code,
            0);
  const io::Tensors model = io::read_tensors(made.folder / "m.pth");
  EXPECT_EQ(model.tensors[0].dtype, io::DType::float16);
  EXPECT_EQ(model.tensors[1].dtype, io::DType::float32);
}

TEST(RenameCommand, RefusesOrdersThatDoNotFit) {
  const MadePuzzle made;
  const auto refused = [&](const std::string& order, const std::vector<std::string>& words) {
    expect_refused(run_program(made.folder, "rename pieces -o m.pth --order " + order), words);
    EXPECT_FALSE(std::filesystem::exists(made.folder / "m.pth"));
  };
  refused("0,1,2", {"3 ids", "9 pieces"});
  refused("0,1,2,3,4,5,6,7,7", {"piece 7"});
  refused("1,0,2,3,4,5,6,7,8", {"piece 1", "chain"});
  refused("nonsense", {"not an order"});
  expect_refused(run_program(made.folder, "rename gone --order 1 -o m.pth"), {"gone"});
  expect_refused(run_program(made.folder, "rename pieces --order 1 -o m.txt"), {"m.txt"});
}

}  // namespace
}  // namespace humpty
