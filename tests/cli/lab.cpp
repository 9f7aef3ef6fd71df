#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "made_puzzle.hpp"

namespace humpty {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::Folder;
using test::Outcome;
using test::read_text;
using test::run_program;
using test::write_text;

constexpr const char* kSmall = "--blocks 4 --dim 16 --hidden 24 --init zero --lr 7e-3 --epochs 100";

TEST(TrainCommand, WritesAPuzzleThatIsSolvedToTheAnswerKept) {
  const Folder folder;
  const Outcome trained = run_program(folder, fmt::format("train -o net {}", kSmall));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json answer = json::parse(read_text(folder / "net/answer.json"));
  EXPECT_EQ(answer["permutation"].size(), 9u);
  EXPECT_EQ(answer["config"]["lr"], 7e-3);
  EXPECT_EQ(answer["config"]["hidden"], json({24}));
  const Outcome solved = run_program(
      folder, fmt::format("solve net --expect-sha256 {}", answer["sha256"].get<std::string>()));
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
}

TEST(TrainCommand, TheSameRandomNumberGivesTheSameFilesAtAnyNumberOfThreads) {
  const Folder folder;
  const char* options = "--blocks 2 --dim 5 --hidden 7 --outputs 2 --epochs 3 --rows 90";
  run_program(folder, fmt::format("train -o one --threads 1 {}", options));
  run_program(folder, fmt::format("train -o two --threads 3 {}", options));
  run_program(folder, fmt::format("train -o other --rng 2 {}", options));
  for (const char* file : {"data.csv", "pieces/piece_0.pth", "pieces/piece_4.pth"}) {
    EXPECT_EQ(read_text(folder / fmt::format("one/{}", file)),
              read_text(folder / fmt::format("two/{}", file)))
        << file;
    EXPECT_NE(read_text(folder / fmt::format("one/{}", file)),
              read_text(folder / fmt::format("other/{}", file)))
        << file;
  }
}

TEST(TrainCommand, LearnsFromAFile) {
  const Folder folder;
  std::string csv = "a_0,a_1,a_2,true\n";
  for (int i = 0; i < 64; ++i)
    csv += fmt::format("{},{},{},{}\n", i % 4, i % 3, i % 5, i % 4 - i % 5);
  write_text(folder / "rows.csv", csv);
  const Outcome run = run_program(
      folder, "train -o net --data rows.csv --blocks 2 --hidden 8 --epochs 200 --lr 1e-2");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LT(json::parse(read_text(folder / "net/answer.json"))["loss"].get<double>(), 0.1);
  const std::string data = read_text(folder / "net/data.csv");
  EXPECT_EQ(data.substr(0, data.find('\n')), "measurement_0,measurement_1,measurement_2,pred,true");
  expect_refused(run_program(folder, "train -o other --data rows.csv --dim 4"),
                 {"--dim 4", "3 features"});
  expect_refused(run_program(folder, "train -o other --data rows.csv --target nothing"),
                 {"'nothing'", "a_0"});
}

TEST(TrainCommand, BadOptionsAreRefusedAndNothingIsWritten) {
  const Folder folder;
  expect_refused(run_program(folder, "train -o net --blocks 0"), {"--blocks"});
  expect_refused(run_program(folder, "train -o net --hidden 0"), {"--hidden"});
  expect_refused(run_program(folder, "train -o net --lr -1"), {"--lr"});
  expect_refused(
      run_program(folder, "train -o net --blocks 100000 --dim 10000 --hidden 1000000 --rows 1"),
      {"weights", "--hidden"});
  expect_refused(run_program(folder, "train -o net --optimizer lion"), {"lion", "adam"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TrainCommand, AFolderThatHoldsSomethingIsKeptUnlessForced) {
  const Folder folder;
  const char* options = "--blocks 2 --dim 3 --hidden 4 --epochs 1 --rows 10";
  write_text(folder / "net/notes.txt", "mine");
  expect_refused(run_program(folder, fmt::format("train -o net {}", options)),
                 {"not empty", "--force"});
  EXPECT_EQ(run_program(folder, fmt::format("train -o net --force {}", options)).exit_code, 0);
  EXPECT_EQ(read_text(folder / "net/notes.txt"), "mine");
  EXPECT_TRUE(std::filesystem::exists(folder / "net/pieces/piece_0.pth"));
  write_text(folder / "file", "x");
  expect_refused(run_program(folder, fmt::format("train -o file {}", options)), {"is a file"});
}

// A disk of 64 KiB, where the machine allows a mount; a folder that may not be written otherwise.
TEST(TrainCommand, AFullDiskIsSaidAndLeavesNothing) {
  const Folder folder;
  std::filesystem::create_directory(folder / "disk");
  const std::string mount =
      fmt::format("mount -t tmpfs -o size=64k tmpfs '{}' 2>/dev/null", folder / "disk");
  if (std::system(mount.c_str()) != 0) GTEST_SKIP() << "no right to mount a small disk here";
  const Outcome run = run_program(
      folder, "train -o disk/net --blocks 8 --dim 32 --hidden 64 --epochs 0 --rows 500");
  const bool empty = std::filesystem::is_empty(folder / "disk");
  EXPECT_EQ(std::system(fmt::format("umount '{}'", folder / "disk").c_str()), 0);
  expect_refused(run, {"disk/net", "No space left"});
  EXPECT_TRUE(empty);
}

// A checkpoint as PyTorch would save it, its tensors in any order.
void write_checkpoint(const std::string& path, const std::vector<Piece>& applied, bool sorted) {
  std::vector<io::Tensor> tensors;
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const std::string layer = i + 1 == applied.size()
                                  ? "last.layer"
                                  : fmt::format("blocks.{}.{}", i / 2, i % 2 ? "down" : "up");
    tensors.push_back({layer + ".weight",
                       {applied[i].weight.rows, applied[i].weight.cols},
                       io::DType::float32,
                       applied[i].weight.values});
    tensors.push_back(
        {layer + ".bias", {applied[i].bias.size()}, io::DType::float32, applied[i].bias});
  }
  if (sorted)
    std::sort(tensors.begin(), tensors.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  io::write_torch(path, tensors);
}

TEST(DropCommand, TakesACheckpointApartAndItGoesBackTogether) {
  std::mt19937 rng(4);
  const auto applied = test::random_net(12, 6, 9, 2, rng);
  for (bool sorted : {false, true}) {
    const Folder folder;
    write_checkpoint(folder / "model.pth", applied, sorted);
    const Outcome dropped = run_program(folder, "drop model.pth -o net --rows 300");
    ASSERT_EQ(dropped.exit_code, 0) << dropped.err;
    const json answer = json::parse(read_text(folder / "net/answer.json"));
    // The pieces, taken in the answer's order, are the checkpoint's layers.
    for (std::size_t i = 0; i < applied.size(); ++i) {
      const auto piece = io::read_torch(
          folder / fmt::format("net/pieces/piece_{}.pth", answer["permutation"][i].get<int>()));
      EXPECT_EQ(piece.tensors[0].values, applied[i].weight.values) << i;
      EXPECT_EQ(piece.tensors[1].values, applied[i].bias) << i;
    }
    EXPECT_EQ(run_program(folder, "verify net --order net/answer.json").out, "exact\n");
  }
}

TEST(DropCommand, ComputesPredForTheFeaturesGiven) {
  std::mt19937 rng(5);
  const auto applied = test::random_net(3, 4, 7, 1, rng);
  const Folder folder;
  write_checkpoint(folder / "model.pth", applied, false);
  write_text(folder / "x.csv", "f1,f0,f2,f3\n1,2,3,4\n-1,0.5,0,2\n");
  ASSERT_EQ(run_program(folder, "drop model.pth -o net --data x.csv").exit_code, 0);
  const io::Table table = io::read_csv(folder / "net/data.csv");
  EXPECT_EQ(table.names, (std::vector<std::string>{"measurement_0", "measurement_1",
                                                   "measurement_2", "measurement_3", "pred"}));
  const float row[] = {2, 1, 3, 4};
  EXPECT_NEAR(table.values.row(0)[4], test::plain_forward(applied, row)[0], 1e-5);
}

TEST(DropCommand, LayersCanBeNamed) {
  std::mt19937 rng(6);
  const auto applied = test::random_net(3, 5, 5, 5, rng);  // shapes tell nothing
  const Folder folder;
  write_checkpoint(folder / "model.pth", applied, true);
  const Outcome run = run_program(
      folder,
      "drop model.pth -o net --in 'blocks.{i}.up' --out 'blocks.{i}.down' --head last.layer");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json answer = json::parse(read_text(folder / "net/answer.json"));
  const auto first = io::read_torch(
      folder / fmt::format("net/pieces/piece_{}.pth", answer["permutation"][0].get<int>()));
  EXPECT_EQ(first.tensors[0].values, applied[0].weight.values);
  expect_refused(run_program(folder, "drop model.pth -o other --in 'a.{i}' --out 'b.{i}' --head c"),
                 {"a.1"});
  expect_refused(run_program(folder, "drop model.pth -o other --in 'a.{i}'"), {"go together"});
}

TEST(DropCommand, ShapesThatDoNotChainAreSaid) {
  std::mt19937 rng(7);
  auto applied = test::random_net(3, 4, 7, 1, rng);
  applied[3] = test::random_piece(3, 4, 9, 1, rng);
  const Folder folder;
  write_checkpoint(folder / "model.pth", applied, false);
  expect_refused(run_program(folder, "drop model.pth -o net"),
                 {"model.pth", "do not chain", "blocks.1.down"});
  io::write_torch(folder / "small.pth",
                  std::vector<io::Tensor>{{"weight", {1, 1}, io::DType::float32, {1}}});
  expect_refused(run_program(folder, "drop small.pth -o net"), {"small.pth", "1 linear layers"});
  EXPECT_FALSE(std::filesystem::exists(folder / "net"));
}

TEST(DemoCommand, SolvesAPuzzleOfItsOwn) {
  const Folder folder;
  const Outcome run = run_program(folder, "demo -o here");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("here/solution.json"), std::string::npos);
  EXPECT_EQ(json::parse(read_text(folder / "here/solution.json"))["permutation"],
            json::parse(read_text(folder / "here/answer.json"))["permutation"]);
  EXPECT_NE(run.err.find("here/report.html"), std::string::npos);
  EXPECT_NE(read_text(folder / "here/report.html").find(R"("command":"humpty demo -o here")"),
            std::string::npos);
}

}  // namespace
}  // namespace humpty
