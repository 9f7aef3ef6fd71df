#include "puzzle/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/read.hpp"
#include "puzzle/natural.hpp"

namespace humpty::puzzle {
namespace {

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

std::string shape_text(const io::Tensor& tensor) {
  return fmt::format("'{}' {}", tensor.name, fmt::join(tensor.shape, "×"));
}

[[noreturn]] void not_a_layer(const io::Tensors& found) {
  std::string holds;
  for (const io::Tensor& tensor : found.tensors)
    holds += (holds.empty() ? "" : ", ") + shape_text(tensor);
  for (const std::string& skipped : found.skipped) holds += (holds.empty() ? "" : ", ") + skipped;
  throw Error(ErrorCode::bad_shape,
              fmt::format("a piece is one linear layer, a weight (out × in) and perhaps a bias "
                          "(out); this file holds {}",
                          holds.empty() ? "no tensors" : holds),
              {.file = found.file});
}

void check_distinct(const std::vector<Piece>& sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].id == sorted[i - 1].id)
      throw Error(ErrorCode::bad_data,
                  fmt::format("piece id {} is taken already by {}; give every file its own number",
                              sorted[i].id, sorted[i - 1].file),
                  {.file = sorted[i].file});
}

}  // namespace

std::vector<int> number_files(std::vector<std::string>& files) {
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
    return stem(a) != stem(b) ? natural_less(stem(a), stem(b)) : natural_less(a, b);
  });
  std::vector<int> ids;
  for (const std::string& file : files)
    if (const auto id = last_number(stem(file))) ids.push_back(*id);
  if (ids.size() != files.size()) {
    ids.resize(files.size());
    std::iota(ids.begin(), ids.end(), 0);
  }
  return ids;
}

Piece to_piece(io::Tensors found) {
  io::Tensor *weight = nullptr, *bias = nullptr;
  for (io::Tensor& tensor : found.tensors) {
    io::Tensor*& slot = tensor.shape.size() == 2 ? weight : bias;
    if (slot || tensor.shape.empty() || tensor.shape.size() > 2) not_a_layer(found);
    slot = &tensor;
  }
  if (!weight || weight->values.empty() || (bias && bias->shape[0] != weight->shape[0]))
    not_a_layer(found);
  Piece piece;
  piece.file = found.file;
  piece.weight = {weight->shape[0], weight->shape[1], std::move(weight->values)};
  if (bias) piece.bias = std::move(bias->values);
  return piece;
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

std::vector<Piece> read_pieces(std::vector<std::string> files, Threads& threads) {
  const std::vector<int> ids = number_files(files);
  std::vector<Piece> pieces(files.size());
  threads.run(files.size(), [&](std::size_t i, unsigned) {
    pieces[i] = to_piece(io::read_tensors(files[i]));
    pieces[i].id = ids[i];
  });
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.id < b.id; });
  check_distinct(pieces);
  return pieces;
}

}  // namespace humpty::puzzle
