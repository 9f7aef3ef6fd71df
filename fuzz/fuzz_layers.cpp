// Tensors to layers: whatever names and shapes a file holds, each weight becomes one layer, each
// vector the bias of one that it fits, ids are distinct; or there is a humpty::Error. Each line of
// the input is a tensor: its sizes, digits apart from each other, then '/', its file's name up to
// the next '/', and its own name.
#include <cstdlib>
#include <set>
#include <string_view>

#include "humpty/humpty.hpp"
#include "puzzle/layers.hpp"

namespace {

using namespace humpty::puzzle;

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

Entry entry_of(std::string_view line) {
  Entry entry;
  for (const char c : take_until(line, '/')) {
    if (c >= '0' && c <= '9') entry.shape.push_back(static_cast<std::uint64_t>(c - '0'));
    if (c == 't') entry.use = humpty::io::Use{true, 0};
    if (c == 'f') entry.use = humpty::io::Use{false, 0};
  }
  entry.file = take_until(line, '/');
  entry.name = line;
  return entry;
}

void check(const std::vector<Entry>& entries, const Layers& found) {
  std::set<std::size_t> used;
  std::set<int> ids;
  for (const Layer& layer : found.layers) {
    const auto& shape = entries.at(layer.weight).shape;
    if (shape.size() != 2 || !used.insert(layer.weight).second) std::abort();
    if (!ids.insert(layer.id).second) std::abort();
    if (!layer.bias) continue;
    const auto& bias = entries.at(*layer.bias).shape;
    if (bias.size() != 1 || !used.insert(*layer.bias).second) std::abort();
    if (bias[0] != shape[layer.turned ? 1 : 0]) std::abort();
  }
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto& shape = entries[e].shape;
    bool empty = shape.empty() || shape.size() > 2;
    for (const std::uint64_t size : shape) empty |= size == 0;
    if (!empty && !used.contains(e)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool transposed = text[0] & 1;
  const std::size_t features = text[0] >> 4 & 7;
  text.remove_prefix(1);
  std::vector<Entry> entries;
  while (!text.empty()) entries.push_back(entry_of(take_until(text, '\n')));
  try {
    check(entries, find_layers(entries, transposed, features));
  } catch (const humpty::Error&) {
  }
  return 0;
}
