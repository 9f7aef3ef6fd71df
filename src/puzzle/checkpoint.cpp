#include "puzzle/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "humpty/humpty.hpp"

// A checkpoint is a dict of dicts, so the first part of a tensor's name tells where it belongs. But
// a net's own modules may well be called `net` and `head`: nothing is left out unless all that
// stands beside the net is what training needs, by its name, or a copy of the net, by its shapes.
namespace humpty::puzzle {
namespace {

constexpr std::array<std::string_view, 8> kNets{
    "model", "state_dict", "model_state_dict", "net", "network", "module", "params", "weights"};
constexpr std::array<std::string_view, 9> kTraining{"optim",  "ema", "swa", "lr_", "scheduler",
                                                    "scaler", "amp", "rng", "loss"};

using Shapes = std::set<std::pair<std::string_view, std::vector<std::uint64_t>>>;
using Groups = std::map<std::string_view, Shapes>;  // by the first part of the names

Groups groups_of(const io::Tensors& found) {
  Groups groups;
  for (const io::Tensor& tensor : found.tensors) {
    const std::string_view name = tensor.name;
    const std::size_t dot = std::min(name.find('.'), name.size());
    groups[name.substr(0, dot)].emplace(name.substr(std::min(dot + 1, name.size())), tensor.shape);
  }
  return groups;
}

bool serves_training(std::string_view group) {
  return group.ends_with("_ema") ||
         std::any_of(kTraining.begin(), kTraining.end(),
                     [&](std::string_view word) { return group.starts_with(word); });
}

// Empty: this is no checkpoint.
std::string net_in(const Groups& groups) {
  for (const std::string_view word : kNets) {
    const auto net = groups.find(word);
    if (net == groups.end() || groups.size() == 1) continue;
    if (std::all_of(groups.begin(), groups.end(), [&](const auto& group) {
          return group.first == word || serves_training(group.first) ||
                 (group.second == net->second && group.second.size() > 2);
        }))
      return std::string(word);
  }
  return {};
}

bool is_under(std::string_view name, std::string_view key) {
  return name.starts_with(key) && (name.size() == key.size() || name[key.size()] == '.');
}

std::vector<std::string_view> keys_of(const Groups& groups, std::string_view but) {
  std::vector<std::string_view> keys;
  for (const auto& [key, shapes] : groups)
    if (key != but && keys.size() < 8) keys.push_back(key);
  return keys;
}

}  // namespace

void keep_net(io::Tensors& found, const std::string& wanted) {
  const Groups groups = groups_of(found);
  const std::string key = wanted.empty() ? net_in(groups) : wanted;
  if (key.empty()) return;
  const auto is_other = [&](const io::Tensor& tensor) { return !is_under(tensor.name, key); };
  if (std::all_of(found.tensors.begin(), found.tensors.end(), is_other))
    throw Error(ErrorCode::bad_data,
                fmt::format("holds nothing under the key '{}'; there are: {}", io::shortened(key),
                            fmt::join(keys_of(groups, ""), ", ")),
                {.file = found.file});
  if (std::none_of(found.tensors.begin(), found.tensors.end(), is_other)) return;
  found.skipped = {fmt::format(
      "a training checkpoint: taking '{}', leaving out '{}' (else: --key)", io::shortened(key),
      io::shortened(fmt::format("{}", fmt::join(keys_of(groups, key), "', '"))))};
  std::erase_if(found.tensors, is_other);
}

}  // namespace humpty::puzzle
