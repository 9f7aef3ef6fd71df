#include "puzzle/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/read.hpp"
#include "puzzle/checkpoint.hpp"
#include "puzzle/natural.hpp"

namespace humpty::puzzle {
namespace {

Matrix turned(const Matrix& stored) {
  Matrix matrix{stored.cols, stored.rows, std::vector<float>(stored.values.size())};
  for (std::size_t r = 0; r < matrix.rows; ++r)
    for (std::size_t c = 0; c < matrix.cols; ++c) matrix.row(r)[c] = stored.row(c)[r];
  return matrix;
}

Piece to_piece(const Layer& layer, const std::vector<io::Tensor*>& tensors) {
  Piece piece;
  piece.id = layer.id;
  piece.file = layer.source;
  io::Tensor& weight = *tensors[layer.weight];
  piece.weight = io::to_matrix(weight.shape[0], weight.shape[1], std::move(weight.values));
  if (layer.turned) piece.weight = turned(piece.weight);
  piece.dtype = io::name(weight.dtype);
  if (weight.use) piece.graph_place = weight.use->place;
  if (layer.bias) {
    piece.bias = std::move(tensors[*layer.bias]->values.own());
    piece.bias_dtype = io::name(tensors[*layer.bias]->dtype);
  }
  return piece;
}

void note_skipped(const std::vector<io::Tensors>& files, std::vector<std::string>& notes) {
  constexpr std::size_t most = 3;
  std::size_t count = 0;
  for (const io::Tensors& file : files)
    for (const std::string& word : file.skipped)
      if (++count <= most) notes.push_back(fmt::format("{}: {}", file.file, word));
  if (count > most) notes.push_back(fmt::format("and {} more that are not read", count - most));
}

// What the numbers' own precision means for the answer.
void note_precision(const std::vector<Piece>& pieces, std::vector<std::string>& notes) {
  std::set<std::string> types;
  for (const Piece& piece : pieces) {
    types.insert(piece.dtype);
    if (!piece.bias.empty()) types.insert(piece.bias_dtype);
  }
  if (types.erase("float64")) notes.push_back("float64 weights were rounded to float32");
  types.erase("float32");
  if (!types.empty())
    notes.push_back(fmt::format(
        "weights are stored as {}: if the target was computed from finer ones, no order "
        "can match it to the last digit",
        fmt::join(types, " and ")));
}

}  // namespace

void sort_naturally(std::vector<std::string>& files) {
  const auto stem = [](const std::string& file) {
    return std::filesystem::path(file).stem().string();
  };
  std::sort(files.begin(), files.end(), [&](const std::string& a, const std::string& b) {
    return stem(a) != stem(b) ? natural_less(stem(a), stem(b)) : natural_less(a, b);
  });
}

std::vector<io::Tensors> read_files(std::vector<std::string> files, const io::Opened& opened,
                                    const std::string& key, Threads& threads) {
  sort_naturally(files);
  std::vector<io::Tensors> found(files.size());
  threads.run(files.size(), [&](std::size_t i, unsigned) {
    found[i] = io::read_tensors(files[i], opened);
    keep_net(found[i], key);
  });
  return found;
}

void add_entries(const io::Tensors& found, std::vector<Entry>& entries) {
  for (const io::Tensor& tensor : found.tensors)
    entries.push_back({found.file, tensor.name, tensor.shape, tensor.use});
}

std::vector<Piece> to_pieces(std::vector<io::Tensors> files, bool transposed, std::size_t features,
                             std::vector<std::string>& notes) {
  std::vector<Entry> entries;
  std::vector<io::Tensor*> tensors;
  for (io::Tensors& file : files) {
    add_entries(file, entries);
    for (io::Tensor& tensor : file.tensors) tensors.push_back(&tensor);
  }
  note_skipped(files, notes);
  const Layers found = find_layers(entries, transposed, features);
  notes.insert(notes.end(), found.notes.begin(), found.notes.end());
  std::vector<Piece> pieces;
  for (const Layer& layer : found.layers) pieces.push_back(to_piece(layer, tensors));
  note_precision(pieces, notes);
  return pieces;
}

void check_finite(const Piece& piece) {
  const auto bad = [](float value) { return !std::isfinite(value); };
  const auto in_weight = std::count_if(piece.weight.values.begin(), piece.weight.values.end(), bad);
  const auto in_bias = std::count_if(piece.bias.begin(), piece.bias.end(), bad);
  if (in_weight + in_bias > 0)
    throw Error(ErrorCode::bad_value,
                fmt::format("piece {} has {} NaN or infinite values in its {}; the file is damaged "
                            "or the net diverged",
                            piece.id, in_weight + in_bias, in_weight ? "weight" : "bias"),
                {.file = piece.file});
}

}  // namespace humpty::puzzle
