// Trains through given batches and writes the weights: the C++ half of compare_with_torch.py.
//   train_steps FOLDER
// reads config.json, features.f32, target.f32 and start.f32 (raw little-endian float32; weights in
// the order of application, each followed by its bias) and writes after.f32.
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"

namespace {

using humpty::Matrix;
using humpty::Piece;

std::vector<float> read_floats(const std::string& path, std::size_t count) {
  std::vector<float> values(count);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(float)));
  if (!file) throw std::runtime_error(path + " is missing or too short");
  return values;
}

Matrix read_matrix(const std::string& path, std::size_t rows, std::size_t cols) {
  return {rows, cols, read_floats(path, rows * cols)};
}

std::size_t weights_in(const std::vector<Piece>& pieces) {
  std::size_t count = 0;
  for (const Piece& piece : pieces) count += piece.weight.values.size() + piece.bias.size();
  return count;
}

humpty::lab::TrainOptions read_options(const nlohmann::json& config) {
  humpty::lab::TrainOptions options;
  options.blocks = config.at("blocks");
  options.hidden = config.at("hidden").get<std::vector<std::size_t>>();
  options.activation = humpty::activation_named(config.at("activation").get<std::string>());
  options.optimizer = humpty::lab::optimizer_named(config.at("optimizer").get<std::string>());
  options.loss =
      config.at("loss") == "mse" ? humpty::lab::Loss::mse : humpty::lab::Loss::cross_entropy;
  options.lr = config.at("lr");
  options.weight_decay = config.at("weight_decay");
  options.momentum = config.at("momentum");
  options.batches = config.at("batches").get<std::vector<std::vector<std::size_t>>>();
  return options;
}

void run(const std::string& folder) {
  const auto config = nlohmann::json::parse(std::ifstream(folder + "/config.json"));
  humpty::lab::TrainOptions options = read_options(config);
  const std::size_t rows = config.at("rows"), dim = config.at("dim"),
                    outputs = config.at("outputs");
  options.start = humpty::lab::initial_pieces(options, dim, outputs);  // for the shapes
  const std::vector<float> start = read_floats(folder + "/start.f32", weights_in(options.start));
  auto next = start.begin();
  for (Piece& piece : options.start) {
    for (float& w : piece.weight.values) w = *next++;
    for (float& b : piece.bias) b = *next++;
  }
  const auto net = humpty::lab::train(options, read_matrix(folder + "/features.f32", rows, dim),
                                      read_matrix(folder + "/target.f32", rows, outputs));
  std::ofstream file(folder + "/after.f32", std::ios::binary);
  for (const Piece& piece : net.pieces)
    for (const std::span<const float> values : {std::span(piece.weight.values), std::span(piece.bias)})
      file.write(reinterpret_cast<const char*>(values.data()),
                 static_cast<std::streamsize>(values.size_bytes()));
  if (!file) throw std::runtime_error("could not write after.f32");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: train_steps FOLDER");
    run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "train_steps: {}\n", error.what());
    return 1;
  }
}
