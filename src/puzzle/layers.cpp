// A matrix lies out × in, as PyTorch has it, or in × out, as NumPy, Keras and ONNX's MatMul do.
// What tells, the surest first: the user; the file's own graph; a bias of the same name, which is
// as long as the layer has outputs; and for all that are left together, whether the shapes fit a
// residual net as they stand or turned. Where both fit they are taken as they stand, and that is
// said.
#include "puzzle/layers.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "humpty/humpty.hpp"
#include "io/bytes.hpp"
#include "puzzle/biases.hpp"
#include "puzzle/natural.hpp"
#include "puzzle/roles.hpp"

namespace humpty::puzzle {
namespace {

using Indices = std::vector<std::size_t>;

struct Sorted {
  Indices weights, vectors, others;
};

Sorted sort_by_kind(const std::vector<Entry>& entries) {
  Sorted sorted;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto& shape = entries[e].shape;
    const bool empty = std::find(shape.begin(), shape.end(), 0u) != shape.end();
    (shape.size() == 2 && !empty   ? sorted.weights
     : shape.size() == 1 && !empty ? sorted.vectors
                                   : sorted.others)
        .push_back(e);
  }
  return sorted;
}

std::string shape_text(const Entry& entry) {
  return entry.shape.empty() ? "scalar" : fmt::format("{}", fmt::join(entry.shape, "×"));
}

// "'a' 3×4, 'b' 3, and 12 more"
std::string list(const std::vector<Entry>& entries, const Indices& which) {
  constexpr std::size_t most = 6;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(which.size(), most); ++i)
    parts.push_back(fmt::format("'{}' {}", io::shortened(entries[which[i]].name),
                                shape_text(entries[which[i]])));
  if (which.size() > most) parts.push_back(fmt::format("and {} more", which.size() - most));
  return fmt::format("{}", fmt::join(parts, ", "));
}

[[noreturn]] void no_layers(const std::vector<Entry>& entries) {
  Indices all(entries.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  throw Error(ErrorCode::bad_shape,
              fmt::format("a piece is one linear layer, a weight (out × in) and perhaps a bias "
                          "(out); there is {}",
                          all.empty() ? "no tensor here" : "none in: " + list(entries, all)),
              {.file = entries.empty() ? "" : entries[0].file});
}

// ------------------------------------------------------------------------------- which way round

class Orientation {
 public:
  Orientation(const std::vector<Entry>& entries, const Sorted& sorted, std::size_t features)
      : entries_(entries), sorted_(sorted), features_(features) {}

  std::vector<bool> find(bool transposed, std::vector<std::string>& notes) {
    const std::map<std::string, std::uint64_t> named = lengths_by_stem();
    std::size_t as_is = 0, turned = 0;
    for (const std::size_t weight : sorted_.weights) {
      known_.push_back(transposed ? true : told(entries_[weight], named));
      if (known_.back()) ++(*known_.back() ? turned : as_is);
    }
    const bool guess = guess_rest(turned > as_is, as_is + turned == known_.size(), notes);
    std::vector<bool> result = with_rest(guess);
    const auto count = std::count(result.begin(), result.end(), true);
    if (count > 0)
      notes.push_back(fmt::format("{} of {} weights are stored in × out, and were turned", count,
                                  result.size()));
    return result;
  }

 private:
  // Bias lengths by the stems of their names; 0 where several have the same.
  std::map<std::string, std::uint64_t> lengths_by_stem() const {
    std::map<std::string, std::uint64_t> lengths;
    for (const std::size_t vector : sorted_.vectors)
      if (const auto stem = stem_of(entries_[vector])) {
        const auto [found, fresh] = lengths.try_emplace(*stem, entries_[vector].shape[0]);
        if (!fresh) found->second = 0;
      }
    return lengths;
  }

  static std::optional<bool> told(const Entry& weight,
                                  const std::map<std::string, std::uint64_t>& named) {
    if (weight.use) return weight.use->in_by_out;
    const auto stem = stem_of(weight);
    const auto bias = stem ? named.find(*stem) : named.end();
    if (bias == named.end() || weight.shape[0] == weight.shape[1]) return std::nullopt;
    if (bias->second == weight.shape[0]) return false;
    if (bias->second == weight.shape[1]) return true;
    return std::nullopt;
  }

  bool guess_rest(bool usual, bool none_left, std::vector<std::string>& notes) const {
    if (none_left) return usual;
    const bool as_usual = fits(usual), otherwise = fits(!usual);
    if (as_usual && otherwise && !square())
      notes.push_back(
          "the shapes fit as they stand and turned: taken as out × in (else: --transposed)");
    return as_usual || !otherwise ? usual : !usual;
  }

  bool square() const {  // all that are not told
    for (std::size_t w = 0; w < known_.size(); ++w) {
      const auto& shape = entries_[sorted_.weights[w]].shape;
      if (!known_[w] && shape[0] != shape[1]) return false;
    }
    return true;
  }

  std::vector<bool> with_rest(bool turned) const {
    std::vector<bool> all;
    for (const std::optional<bool>& each : known_) all.push_back(each.value_or(turned));
    return all;
  }

  bool fits(bool turned) const {
    const std::vector<bool> all = with_rest(turned);
    std::vector<Piece> shapes(all.size());
    std::map<std::uint64_t, std::size_t> outputs;
    for (std::size_t w = 0; w < all.size(); ++w) {
      const auto& shape = entries_[sorted_.weights[w]].shape;
      shapes[w].weight = io::to_matrix(shape[all[w] ? 1 : 0], shape[all[w] ? 0 : 1]);
      ++outputs[shapes[w].weight.rows];
    }
    for (const std::size_t vector : sorted_.vectors)
      if (outputs[entries_[vector].shape[0]]-- == 0) return false;
    return fits_a_net(shapes, features_);
  }

  const std::vector<Entry>& entries_;
  const Sorted& sorted_;
  std::size_t features_;
  std::vector<std::optional<bool>> known_;  // by weight
};

// -------------------------------------------------------------------------------- names and
// numbers

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

// "piece_3.pth" where that is all the file holds, else "net.npz: t17 with t4".
std::string source(const std::vector<Entry>& entries, const Layer& layer, bool alone) {
  const Entry& weight = entries[layer.weight];
  const auto full = [](const Entry& entry) {
    return entry.name.empty() ? entry.file : entry.file + ": " + entry.name;
  };
  if (!layer.bias) return alone ? weight.file : full(weight);
  const Entry& bias = entries[*layer.bias];
  if (bias.file != weight.file) return full(weight) + " with " + full(bias);
  return alone ? weight.file : full(weight) + " with " + bias.name;
}

void name_sources(const std::vector<Entry>& entries, std::vector<Layer>& layers) {
  std::map<std::string_view, std::size_t> in_file;
  for (const Layer& layer : layers) ++in_file[entries[layer.weight].file];
  for (Layer& layer : layers)
    layer.source = source(entries, layer, in_file[entries[layer.weight].file] == 1);
}

// The number in each layer's name, where each has one of its own.
template <class Name>
bool number_by(const std::vector<Entry>& entries, std::vector<Layer>& layers, Name name) {
  std::set<int> taken;
  for (Layer& layer : layers) {
    const auto number = last_number(name(entries[layer.weight]));
    if (!number || !taken.insert(*number).second) return false;
    layer.id = *number;
  }
  return true;
}

void number_layers(const std::vector<Entry>& entries, std::vector<Layer>& layers,
                   std::vector<std::string>& notes) {
  const bool by_file =
      number_by(entries, layers, [](const Entry& entry) { return stem(entry.file); });
  const bool numbered =
      by_file || number_by(entries, layers, [](const Entry& entry) { return entry.name; });
  std::sort(layers.begin(), layers.end(), [&](const Layer& a, const Layer& b) {
    if (numbered) return a.id < b.id;
    const Entry &x = entries[a.weight], &y = entries[b.weight];
    if (stem(x.file) != stem(y.file)) return natural_less(stem(x.file), stem(y.file));
    if (x.file != y.file) return natural_less(x.file, y.file);
    return natural_less(x.name, y.name);
  });
  if (numbered) return;
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].id = static_cast<int>(i);
  notes.push_back(
      "ids are places in the natural order of the names, whose numbers are not distinct "
      "(humpty inspect lists them)");
}

// ---------------------------------------------------------------------------------- what was
// chosen

std::string how_matched(const Biases& biases) {
  std::vector<std::string> ways;
  const auto add = [&](std::size_t count, const char* how) {
    if (count > 0) ways.push_back(fmt::format("{} by {}", count, how));
  };
  add(biases.by_name, "name");
  add(biases.by_shape, "shape");
  add(biases.by_file, "file");
  add(biases.by_order, "the order in which they stand");
  return fmt::format("biases were matched to weights: {}", fmt::join(ways, ", "));
}

// A file for each layer needs no words; whatever had to be chosen does.
bool obvious(const std::vector<Entry>& entries, const std::vector<Layer>& layers) {
  std::set<std::string_view> files;
  return std::all_of(layers.begin(), layers.end(), [&](const Layer& layer) {
    const std::string& file = entries[layer.weight].file;
    return files.insert(file).second && (!layer.bias || entries[*layer.bias].file == file);
  });
}

}  // namespace

Layers find_layers(const std::vector<Entry>& entries, bool transposed, std::size_t features) {
  const Sorted sorted = sort_by_kind(entries);
  if (sorted.weights.empty()) no_layers(entries);
  Layers result;
  const std::vector<bool> turned =
      Orientation(entries, sorted, features).find(transposed, result.notes);
  std::vector<std::uint64_t> outputs;
  for (std::size_t w = 0; w < turned.size(); ++w)
    outputs.push_back(entries[sorted.weights[w]].shape[turned[w] ? 1 : 0]);
  const Biases biases = match_biases(entries, sorted.weights, outputs, sorted.vectors);
  for (std::size_t w = 0; w < turned.size(); ++w)
    result.layers.push_back({sorted.weights[w], biases.of[w], turned[w], 0, ""});
  if (!obvious(entries, result.layers) && !sorted.vectors.empty())
    result.notes.push_back(how_matched(biases));
  name_sources(entries, result.layers);
  number_layers(entries, result.layers, result.notes);
  if (!sorted.others.empty())
    result.notes.push_back("neither weight nor bias, left out: " + list(entries, sorted.others));
  return result;
}

}  // namespace humpty::puzzle
