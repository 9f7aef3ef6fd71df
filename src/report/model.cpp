// The pieces put together again, as a file that others can load.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.hpp"
#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/safetensors.hpp"
#include "io/torch.hpp"
#include "puzzle/chain.hpp"
#include "report/model_graph.hpp"

namespace humpty {
namespace {

// Readers round float64 to float32; to write it as float64 again would feign what is not there.
io::DType stored_as(const std::string& dtype) {
  const io::DType found = io::dtype_named(dtype);
  return found == io::DType::float64 ? io::DType::float32 : found;
}

std::vector<io::Tensor> to_tensors(const std::vector<Piece>& applied, const LayerNames& names) {
  const std::vector<std::string> layers = layer_keys(names, applied.size());
  std::vector<io::Tensor> tensors;
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const Piece& piece = applied[i];
    tensors.push_back({layers[i] + ".weight",
                       {piece.weight.rows, piece.weight.cols},
                       stored_as(piece.dtype),
                       piece.weight.values});
    if (!piece.bias.empty())
      tensors.push_back(
          {layers[i] + ".bias", {piece.bias.size()}, stored_as(piece.bias_dtype), piece.bias});
  }
  return tensors;
}

io::Metadata metadata_of(const std::vector<Piece>& applied, const ModelOptions& options) {
  std::vector<int> ids;
  for (const Piece& piece : applied) ids.push_back(piece.id);
  const std::string permutation = fmt::format("{}", fmt::join(ids, ","));
  io::Metadata metadata{{"format", "pt"},  // what Hugging Face's loaders look for
                        {"permutation", permutation},
                        {"sha256", sha256_hex(permutation)},
                        {"activation", std::string(name(options.activation))},
                        {"humpty", std::string(version())}};
  metadata.insert(options.metadata.begin(), options.metadata.end());
  return metadata;
}

std::string to_onnx(const std::vector<Piece>& applied, std::vector<io::Tensor> tensors,
                    const ModelOptions& options) {
  for (io::Tensor& tensor : tensors) tensor.dtype = io::DType::float32;
  io::OnnxGraph graph = report::to_graph(applied, std::move(tensors), options.activation);
  graph.metadata = metadata_of(applied, options);
  return io::to_onnx(graph);
}

}  // namespace

std::vector<Piece> arranged(const std::vector<Piece>& pieces, const std::vector<int>& permutation) {
  if (permutation.size() != pieces.size() || permutation.empty())
    throw Error(ErrorCode::usage,
                fmt::format("the order has {} ids, but there are {} pieces (in, out, …, head)",
                            permutation.size(), pieces.size()));
  std::map<int, const Piece*> left;
  for (const Piece& piece : pieces) left[piece.id] = &piece;
  std::vector<Piece> applied;
  for (const int id : permutation) {
    const auto found = left.find(id);
    if (found == left.end())
      throw Error(ErrorCode::usage,
                  fmt::format("piece {} is not there, or stands twice in the order", id));
    applied.push_back(*found->second);
    left.erase(found);
  }
  puzzle::check_chain(applied);
  return applied;
}

std::vector<int> graph_order(const std::vector<Piece>& pieces) {
  std::map<std::size_t, int> by_place;
  for (const Piece& piece : pieces) {
    if (!piece.graph_place || !by_place.try_emplace(*piece.graph_place, piece.id).second)
      throw Error(
          ErrorCode::usage,
          fmt::format("no graph says when piece {} is applied; give the order as ids", piece.id),
          {.file = piece.file});
  }
  std::vector<int> order;
  for (const auto& [place, id] : by_place) order.push_back(id);
  return order;
}

ModelFormat model_format(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension == ".safetensors") return ModelFormat::safetensors;
  if (extension == ".pth" || extension == ".pt" || extension == ".bin") return ModelFormat::torch;
  if (extension == ".onnx") return ModelFormat::onnx;
  if (extension == ".npz") return ModelFormat::npz;
  throw Error(ErrorCode::usage,
              "a model is written as .safetensors, .pth, .onnx or .npz; end the name with one",
              {.file = file});
}

std::string to_model(ModelFormat format, const std::vector<Piece>& applied,
                     const ModelOptions& options) {
  std::vector<io::Tensor> tensors = to_tensors(applied, options.names);
  io::check_names(tensors, "--names");
  switch (format) {
    case ModelFormat::safetensors:
      return io::to_safetensors(tensors, metadata_of(applied, options));
    case ModelFormat::torch:
      return io::to_torch(tensors);
    case ModelFormat::npz:
      return io::to_npz(tensors);
    case ModelFormat::onnx:
      break;
  }
  return to_onnx(applied, std::move(tensors), options);
}

void write_model(const std::string& file, const std::vector<Piece>& applied,
                 const ModelOptions& options) {
  io::write_file(file, to_model(model_format(file), applied, options));
}

}  // namespace humpty
