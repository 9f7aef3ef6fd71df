// A bias is as long as its layer has outputs. Where that leaves a choice, four signs are asked, the
// surest first: names that differ in the word "weight" or "bias" alone; being the only two of their
// length that are left; being the only two in a file; and, when all names and files are silent, the
// order in which they stand. The order is that of the numbers in the names where every tensor has
// its own (some writers sort names as text: t10 before t2), otherwise the file's. Best is a weight
// followed by its bias, as state dicts have them; else the first of a length goes with the first.
//
// Files come after names because shards are cut anywhere: a shard may hold one layer's weight and
// the bias of the layer before it, and nothing else of their length.
#include "puzzle/biases.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/bytes.hpp"
#include "puzzle/natural.hpp"

namespace humpty::puzzle {
namespace {

constexpr std::array<std::string_view, 5> kWeight{"weight", "weights", "kernel", "matrix", "w"};
constexpr std::array<std::string_view, 5> kBias{"bias", "biases", "offset", "vector", "b"};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80); }
bool digit(char c) { return c >= '0' && c <= '9'; }

// Runs of letters and runs of digits, in lower case.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : text) {
    const bool goes_on = (letter(c) && letter(before)) || (digit(c) && digit(before));
    if ((letter(c) || digit(c)) && !goes_on) words.emplace_back();
    if (letter(c) || digit(c)) words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    before = c;
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

bool drop_kind(std::vector<std::string>& words, const std::array<std::string_view, 5>& kinds) {
  for (std::size_t i = words.size(); i-- > 0;)
    if (std::find(kinds.begin(), kinds.end(), words[i]) != kinds.end()) {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
  return false;
}

std::vector<std::string> words_in_path(const std::string& file) {
  return words_in(std::filesystem::path(file).replace_extension().string());
}

class Matcher {
 public:
  Matcher(const std::vector<Entry>& entries, const std::vector<std::size_t>& weights,
          const std::vector<std::uint64_t>& outputs, const std::vector<std::size_t>& vectors)
      : entries_(entries), weights_(weights), outputs_(outputs), vectors_(vectors) {
    result_.of.resize(weights.size());
    taken_.resize(vectors.size());
  }

  Biases match() {
    const auto with_length = [](std::uint64_t length, std::string_view what) {
      return std::optional(fmt::format("{} {}", length, what));
    };
    result_.by_name = pair_up([&](std::size_t entry, std::uint64_t length) {
      const auto stem = stem_of(entries_[entry]);
      return stem ? with_length(length, *stem) : std::nullopt;
    });
    result_.by_shape =
        pair_up([&](std::size_t, std::uint64_t length) { return with_length(length, ""); });
    result_.by_file = pair_up([&](std::size_t entry, std::uint64_t length) {
      return with_length(length, entries_[entry].file);
    });
    if (left() > 0) check_lengths();
    if (left() > 0) pair_neighbours(by_number());
    if (left() > 0) pair_neighbours(as_listed());
    if (left() > 0) pair_by_rank(by_number());
    return std::move(result_);
  }

 private:
  std::uint64_t length(std::size_t v) const { return entries_[vectors_[v]].shape[0]; }
  std::size_t left() const {
    return static_cast<std::size_t>(std::count(taken_.begin(), taken_.end(), false));
  }
  void take(std::size_t w, std::size_t v) {
    result_.of[w] = vectors_[v];
    taken_[v] = true;
  }

  // Takes every weight and vector that are alone with their key among those left.
  template <class Key>
  std::size_t pair_up(Key key) {
    struct Group {
      std::vector<std::size_t> weights, vectors;
    };
    std::map<std::string, Group> groups;
    for (std::size_t w = 0; w < weights_.size(); ++w)
      if (!result_.of[w])
        if (const auto k = key(weights_[w], outputs_[w])) groups[*k].weights.push_back(w);
    for (std::size_t v = 0; v < vectors_.size(); ++v)
      if (!taken_[v])
        if (const auto k = key(vectors_[v], length(v))) groups[*k].vectors.push_back(v);
    std::size_t found = 0;
    for (const auto& [name, group] : groups) {
      if (group.weights.size() != 1 || group.vectors.size() != 1) continue;
      take(group.weights[0], group.vectors[0]);
      ++found;
    }
    return found;
  }

  // Every vector left must be one that some weight left could have.
  void check_lengths() const {
    std::map<std::uint64_t, std::size_t> room;
    for (std::size_t w = 0; w < weights_.size(); ++w)
      if (!result_.of[w]) ++room[outputs_[w]];
    for (std::size_t v = 0; v < vectors_.size(); ++v) {
      if (taken_[v]) continue;
      const auto found = room.find(length(v));
      if (found == room.end() || found->second == 0)
        throw Error(ErrorCode::bad_shape,
                    fmt::format("a vector of {} belongs to no weight: a piece is a weight (out × "
                                "in) and perhaps a bias (out)",
                                length(v)),
                    {.file = entries_[vectors_[v]].file,
                     .tensor = io::shortened(entries_[vectors_[v]].name)});
      --found->second;
    }
  }

  using Order = std::vector<std::size_t>;  // of all entries

  Order as_listed() const {
    Order order(entries_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }

  Order by_number() const {
    std::map<int, std::size_t> place;
    for (std::size_t e = 0; e < entries_.size(); ++e)
      if (const auto number = last_number(entries_[e].name)) place[*number] = e;
    if (place.size() != entries_.size()) return as_listed();
    Order order;
    for (const auto& [number, entry] : place) order.push_back(entry);
    return order;
  }

  // Weights directly followed by a vector of their length, if that is where all vectors are.
  void pair_neighbours(const Order& order) {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> weight_at(entries_.size(), none), vector_at(entries_.size(), none);
    for (std::size_t w = 0; w < weights_.size(); ++w)
      if (!result_.of[w]) weight_at[weights_[w]] = w;
    for (std::size_t v = 0; v < vectors_.size(); ++v)
      if (!taken_[v]) vector_at[vectors_[v]] = v;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::size_t w = weight_at[order[i - 1]], v = vector_at[order[i]];
      if (w != none && v != none && outputs_[w] == length(v)) pairs.emplace_back(w, v);
    }
    if (pairs.size() != left()) return;
    for (const auto& [w, v] : pairs) take(w, v);
    result_.by_order += pairs.size();
  }

  // The first weight of a length with the first vector of that length, and so on.
  void pair_by_rank(const Order& order) {
    std::vector<std::size_t> rank(entries_.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    std::map<std::uint64_t, std::map<std::size_t, std::size_t>> weights, vectors;
    for (std::size_t w = 0; w < weights_.size(); ++w)
      if (!result_.of[w]) weights[outputs_[w]][rank[weights_[w]]] = w;
    for (std::size_t v = 0; v < vectors_.size(); ++v)
      if (!taken_[v]) vectors[length(v)][rank[vectors_[v]]] = v;
    for (const auto& [size, ranked] : vectors) {
      const auto& candidates = weights.at(size);
      if (candidates.size() != ranked.size())
        throw Error(ErrorCode::bad_shape,
                    fmt::format("{} weights have {} outputs but only {} vectors are that long, and "
                                "neither names nor files tell whose they are; name them alike "
                                "(a.weight, a.bias)",
                                candidates.size(), size, ranked.size()),
                    {.file = entries_[vectors_[ranked.begin()->second]].file});
      auto weight = candidates.begin();
      for (const auto& [place, v] : ranked) take((weight++)->second, v);
      result_.by_order += ranked.size();
    }
  }

  const std::vector<Entry>& entries_;
  const std::vector<std::size_t>& weights_;
  const std::vector<std::uint64_t>& outputs_;
  const std::vector<std::size_t>& vectors_;
  std::vector<bool> taken_;  // vectors
  Biases result_;
};

}  // namespace

std::optional<std::string> stem_of(const Entry& entry) {
  const auto& kinds = entry.shape.size() == 2 ? kWeight : kBias;
  std::vector<std::string> words = words_in(entry.name);
  const bool bare = words.empty();
  if (bare) words = words_in_path(entry.file);
  if (!drop_kind(words, kinds)) return std::nullopt;
  if (words.empty() && !bare) words = words_in_path(entry.file);
  return joined(words);
}

Biases match_biases(const std::vector<Entry>& entries, const std::vector<std::size_t>& weights,
                    const std::vector<std::uint64_t>& outputs,
                    const std::vector<std::size_t>& vectors) {
  return Matcher(entries, weights, outputs, vectors).match();
}

}  // namespace humpty::puzzle
