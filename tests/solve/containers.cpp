// The published puzzle out of other containers: the same pieces bit for bit, and the same answer
// through the map from ids to names.
#include <algorithm>
#include <map>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "io/npy.hpp"
#include "io/onnx.hpp"
#include "io/safetensors.hpp"
#include "io/temp_folder.hpp"
#include "io/torch.hpp"
#include "shared.hpp"

namespace humpty {
namespace {

class Containers : public ::testing::Test {
 protected:
  void SetUp() override {
    HUMPTY_NEEDS(test::jane_street());
    original = read_puzzle({test::jane_street()});
  }

  static io::Tensor weight_of(const Piece& piece, const std::string& name) {
    return {name, {piece.weight.rows, piece.weight.cols}, io::DType::float32, piece.weight.values};
  }
  static io::Tensor bias_of(const Piece& piece, const std::string& name) {
    return {name, {piece.bias.size()}, io::DType::float32, piece.bias};
  }

  // All tensors, each weight followed by its bias, pieces in an order of no meaning; names by
  // `call(piece, "weight" or "bias")`.
  template <class Call>
  std::vector<io::Tensor> tensors(Call call) const {
    std::vector<const Piece*> pieces;
    for (const Piece& piece : original.pieces) pieces.push_back(&piece);
    std::shuffle(pieces.begin(), pieces.end(), std::mt19937(3));
    std::vector<io::Tensor> all;
    for (const Piece* piece : pieces) {
      all.push_back(weight_of(*piece, call(*piece, "weight")));
      all.push_back(bias_of(*piece, call(*piece, "bias")));
    }
    return all;
  }

  // Reads the file, finds each piece among the original ones by its bits, solves, and translates.
  void expect_solved(const std::string& file) const {
    const Puzzle puzzle =
        read_puzzle({file}, {.data = test::jane_street() + "/historical_data.pt"});
    const auto weights = [](const Piece& piece) {
      return std::vector<float>(piece.weight.values.begin(), piece.weight.values.end());
    };
    std::map<std::vector<float>, int> by_weight;
    for (const Piece& piece : original.pieces) by_weight[weights(piece)] = piece.id;
    std::map<int, int> original_id;
    ASSERT_EQ(puzzle.pieces.size(), 97u);
    for (const Piece& piece : puzzle.pieces) {
      const auto found = by_weight.find(weights(piece));
      ASSERT_NE(found, by_weight.end()) << piece.file;
      EXPECT_EQ(piece.bias, original.piece(found->second).bias) << piece.file;
      original_id[piece.id] = found->second;
    }
    Solution solution = solve(puzzle, {.time_limit = 0});
    EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
    for (int& id : solution.permutation) id = original_id.at(id);
    EXPECT_EQ(solution.sha256(), test::kSha256);
  }

  Puzzle original;
  test::TempFolder folder;
};

std::string hash_of(const Piece& piece, const char* what) {
  std::mt19937 rng(static_cast<unsigned>(2 * piece.id + (what[0] == 'b')));
  std::string name;
  for (int i = 0; i < 12; ++i) name += "acdefghijk"[rng() % 10];
  return name;
}

TEST_F(Containers, SafetensorsWithMeaninglessNames) {
  io::write_safetensors(folder.path("net.safetensors"), tensors(hash_of));
  expect_solved(folder.path("net.safetensors"));
}

TEST_F(Containers, NpzWithNumbersThatMeanNothing) {
  int next = 0;
  io::write_npz(folder.path("net.npz"), tensors([&](const Piece&, const char*) {
                  return "arr_" + std::to_string(next++);
                }));
  expect_solved(folder.path("net.npz"));
}

// Weights used by MatMul lie in × out; their biases have other names and stand elsewhere.
TEST_F(Containers, OnnxWithTurnedWeights) {
  io::OnnxGraph graph;
  graph.name = "net";
  for (const Piece& piece : original.pieces) {
    io::Tensor weight = weight_of(piece, "onnx::MatMul_" + std::to_string(300 + piece.id));
    std::swap(weight.shape[0], weight.shape[1]);
    for (std::size_t r = 0; r < piece.weight.rows; ++r)
      for (std::size_t c = 0; c < piece.weight.cols; ++c)
        weight.values[c * piece.weight.rows + r] = piece.weight.row(r)[c];
    graph.nodes.push_back({"MatMul", {"x", weight.name}, {weight.name + "/out"}});
    graph.initializers.push_back(std::move(weight));
  }
  for (const Piece& piece : original.pieces)
    graph.initializers.push_back(bias_of(piece, "layers." + std::to_string(piece.id) + ".bias"));
  io::write_onnx(folder.path("net.onnx"), graph);
  expect_solved(folder.path("net.onnx"));
}

TEST_F(Containers, ModelOfOurOwn) {
  std::vector<Piece> applied =
      arranged(original.pieces, solve(original, {.time_limit = 0}).permutation);
  write_model(folder.path("net.onnx"), applied);
  expect_solved(folder.path("net.onnx"));
}

// Cut so that the last weight of the first shard has its bias in the second.
TEST_F(Containers, ShardsWithAnIndex) {
  const std::vector<io::Tensor> all = tensors(
      [](const Piece& piece, const char* what) { return std::to_string(piece.id) + "." + what; });
  const std::span<const io::Tensor> both(all);
  io::write_safetensors(folder.path("net-1-of-2.safetensors"), both.first(91));
  io::write_safetensors(folder.path("net-2-of-2.safetensors"), both.subspan(91));
  std::string map;
  for (std::size_t i = 0; i < all.size(); ++i)
    map += (i ? "," : "") + ('"' + all[i].name) + "\":\"net-" + (i < 91 ? "1" : "2") +
           "-of-2.safetensors\"";
  folder.write("net.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
  expect_solved(folder.path());
}

TEST_F(Containers, WeightsAndBiasesInFilesOfTheirOwn) {
  for (const Piece& piece : original.pieces) {
    const std::string number = std::to_string(piece.id);
    io::write_npy(folder.path("weight_" + number + ".npy"), weight_of(piece, ""));
    io::write_npy(folder.path("bias_" + number + ".npy"), bias_of(piece, ""));
  }
  expect_solved(folder.path());
}

// What the halves lost shows in the error, and the verdict says so; the true order is known.
TEST_F(Containers, HalvesAreNotCalledExact) {
  const std::vector<int> truth = solve(original, {.time_limit = 0}).permutation;
  for (const io::DType dtype : {io::DType::float16, io::DType::bfloat16}) {
    std::vector<io::Tensor> halves = tensors(
        [](const Piece& piece, const char* what) { return std::to_string(piece.id) + "." + what; });
    for (io::Tensor& tensor : halves) tensor.dtype = dtype;
    io::write_torch(folder.path("net.pt"), halves);
    const Puzzle puzzle = read_puzzle({folder.path("net.pt")},
                                      {.data = test::jane_street() + "/historical_data.csv"});
    const Certificate certificate = verify(puzzle, truth);
    EXPECT_NE(certificate.verdict, Verdict::exact);
    EXPECT_GT(certificate.mse, 1e-9);
    EXPECT_LT(certificate.mse, 1e-5);
    EXPECT_TRUE(std::any_of(puzzle.notes.begin(), puzzle.notes.end(), [&](const std::string& note) {
      return note.find(io::name(dtype)) != note.npos;
    }));
  }
}

}  // namespace
}  // namespace humpty
