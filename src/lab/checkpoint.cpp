// A state dict lists `….weight` and `….bias`; what stands before the last dot is the layer's name.
// Layers belong to the block whose number their name holds (blocks.7.inp: 7), blocks run in the
// order of their numbers, a layer without a number, or the last one, is the head. Some writers sort
// the names, so within a block it is the shape that tells expand from contract, and the file's
// order only where the shapes are equal. Names of one's own go by templates.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/read.hpp"
#include "puzzle/checkpoint.hpp"
#include "puzzle/natural.hpp"

namespace humpty::lab {
namespace {

struct Layer {
  std::string name;
  Piece piece;
};

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::bad_shape, what, {.file = file});
}

// "blocks.3.inp.weight" → "blocks.3.inp"; nothing where the name ends in no such word.
std::optional<std::string> layer_of(const std::string& tensor, std::string_view suffix) {
  if (tensor == suffix) return "";
  const std::string ending = fmt::format(".{}", suffix);
  if (!tensor.ends_with(ending)) return std::nullopt;
  return tensor.substr(0, tensor.size() - ending.size());
}

std::vector<Layer> layers_in(io::Tensors& checkpoint) {
  std::vector<Layer> layers;
  for (io::Tensor& tensor : checkpoint.tensors)
    if (const auto name = layer_of(tensor.name, "weight"); name && tensor.shape.size() == 2) {
      Layer layer{*name, {}};
      layer.piece.file = checkpoint.file;
      layer.piece.weight =
          io::to_matrix(tensor.shape[0], tensor.shape[1], std::move(tensor.values));
      layers.push_back(std::move(layer));
    }
  for (io::Tensor& tensor : checkpoint.tensors)
    if (const auto name = layer_of(tensor.name, "bias"))
      for (Layer& layer : layers)
        if (layer.name == *name && tensor.values.size() == layer.piece.weight.rows)
          layer.piece.bias = std::move(tensor.values.own());
  if (layers.size() < 3)
    fail(checkpoint.file, fmt::format("holds {} linear layers ('….weight' with two dimensions); a "
                                      "residual net has at least 3",
                                      layers.size()));
  return layers;
}

void sort_by_block(std::vector<Layer>& layers) {
  const auto number = [](const Layer& layer) {
    const std::size_t dot = layer.name.rfind('.');
    const auto before = dot == std::string::npos
                            ? std::nullopt
                            : puzzle::last_number(std::string_view(layer.name).substr(0, dot));
    return before ? *before
                  : puzzle::last_number(layer.name).value_or(std::numeric_limits<int>::max());
  };
  std::stable_sort(layers.begin(), layers.end(),
                   [&](const Layer& a, const Layer& b) { return number(a) < number(b); });
  const std::size_t first = first_block(layers.size()), d = layers.back().piece.weight.cols;
  // A stem without a number was sorted to the head.
  if (first == 1 && number(layers[layers.size() - 2]) == std::numeric_limits<int>::max())
    std::rotate(layers.begin(), layers.end() - 2, layers.end() - 1);
  for (std::size_t i = first; i + 2 < layers.size(); i += 2)
    if (layers[i].piece.weight.cols != d && layers[i + 1].piece.weight.cols == d)
      std::swap(layers[i], layers[i + 1]);
}

std::string filled(std::string pattern, std::size_t block) {
  const std::size_t at = pattern.find("{i}");
  return at == std::string::npos ? pattern : pattern.replace(at, 3, std::to_string(block));
}

std::vector<Layer> take_by_name(std::vector<Layer> layers, const LayerNames& names,
                                const std::string& file) {
  std::map<std::string, Layer> by_name;
  for (Layer& layer : layers) by_name[layer.name] = std::move(layer);
  std::vector<Layer> chain;
  const auto take = [&](const std::string& name) {
    const auto found = by_name.find(name);
    if (found == by_name.end())
      fail(file, fmt::format("there is no layer '{}' (a tensor '{}.weight')", name, name));
    chain.push_back(found->second);
  };
  if (!names.stem.empty()) take(names.stem);
  // Numbers start at 0 or 1.
  const std::size_t first = by_name.contains(filled(names.in, 0)) ? 0 : 1;
  for (std::size_t block = first; block == first || by_name.contains(filled(names.in, block));
       ++block) {
    take(filled(names.in, block));
    take(filled(names.out, block));
  }
  take(names.head);
  return chain;
}

void check_chain(const std::vector<Layer>& chain, const std::string& file) {
  const std::size_t d = chain.back().piece.weight.cols;
  const auto wrong = [&](std::size_t i) {
    const Matrix& w = chain[i].piece.weight;
    switch (role_at(i, chain.size())) {
      case Role::stem:
        return w.rows != d;
      case Role::expand:
        return w.cols != d;
      case Role::contract:
        return w.rows != d || w.cols != chain[i - 1].piece.weight.rows;
      case Role::head:
        break;
    }
    return false;
  };
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (wrong(i))
      fail(file, fmt::format("the shapes do not chain: layer '{}' ({}×{}) cannot be the {} at "
                             "place {} in a stream of {}; name the layers with --in, --out, --head "
                             "and --stem",
                             chain[i].name, chain[i].piece.weight.rows, chain[i].piece.weight.cols,
                             name(role_at(i, chain.size())), i + 1, d));
}

}  // namespace

std::vector<Piece> read_checkpoint(const std::string& file, const LayerNames& names) {
  io::Tensors checkpoint = io::read_tensors(file);
  puzzle::keep_net(checkpoint, "");
  std::vector<Layer> layers = layers_in(checkpoint);
  if (names.in.empty())
    sort_by_block(layers);
  else
    layers = take_by_name(std::move(layers), names, checkpoint.file);
  check_chain(layers, checkpoint.file);
  std::vector<Piece> chain;
  for (Layer& layer : layers) chain.push_back(std::move(layer.piece));
  return chain;
}

}  // namespace humpty::lab
