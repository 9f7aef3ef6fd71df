// What the tensors of a reassembled net are called.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "humpty/humpty.hpp"

namespace humpty {
namespace {

constexpr std::string_view kNumber = "{i}", kWeight = ".weight";

// A first layer's last word, and what the second one is called beside it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kPartners{{
    {"inp", "out"},
    {"in", "out"},
    {"input", "output"},
    {"fc1", "fc2"},
    {"lin1", "lin2"},
    {"linear1", "linear2"},
    {"w1", "w2"},
    {"up", "down"},
    {"up_proj", "down_proj"},
    {"expand", "contract"},
    {"c_fc", "c_proj"},
}};

std::string partner_of(const std::string& in) {
  const std::size_t start = in.find_last_of("./") + 1;  // 0 where there is none
  for (const auto& [first, second] : kPartners)
    if (std::string_view(in).substr(start) == first)
      return in.substr(0, start) + std::string(second);
  throw Error(ErrorCode::usage,
              fmt::format("cannot guess the name of the second layer from '{}'; give all three: "
                          "IN,OUT,HEAD",
                          in),
              {.file = "--names"});
}

std::string take_template(std::string_view& rest) {
  const std::size_t comma = std::min(rest.find(','), rest.size());
  std::string name(rest.substr(0, comma));
  rest.remove_prefix(std::min(comma + 1, rest.size()));
  if (name.ends_with(kWeight)) name.resize(name.size() - kWeight.size());
  return name;
}

void check(const LayerNames& names) {
  for (const std::string& name : {names.in, names.out})
    if (name.find(kNumber) == name.npos)
      throw Error(
          ErrorCode::usage,
          fmt::format("'{}' gives all blocks the same name; put {} where the block's number "
                      "goes",
                      name, kNumber),
          {.file = "--names"});
  if (names.in == names.out)
    throw Error(ErrorCode::usage,
                fmt::format("both layers of a block would be called '{}'", names.in),
                {.file = "--names"});
}

std::string filled(std::string name, std::size_t block) {
  for (std::size_t at = name.find("{i}"); at != name.npos; at = name.find("{i}"))
    name.replace(at, 3, std::to_string(block));
  return name;
}

const std::string& name_of(Role role, const LayerNames& names) {
  switch (role) {
    case Role::stem:
      return names.stem;
    case Role::expand:
      return names.in;
    case Role::contract:
      return names.out;
    case Role::head:
      break;
  }
  return names.head;
}

}  // namespace

LayerNames layer_names(const std::string& templates) {
  LayerNames names{"blocks.{i}.inp", "blocks.{i}.out", "last.layer", "stem"};
  if (templates.empty()) return names;
  std::string_view rest = templates;
  names.in = take_template(rest);
  names.out = rest.empty() ? partner_of(names.in) : take_template(rest);
  if (!rest.empty()) names.head = take_template(rest);
  if (!rest.empty()) names.stem = take_template(rest);
  if (!rest.empty())
    throw Error(ErrorCode::usage, "takes at most four templates: IN,OUT,HEAD,STEM",
                {.file = "--names"});
  check(names);
  return names;
}

std::vector<std::string> layer_keys(const LayerNames& names, std::size_t pieces) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t block = (i - std::min(i, first_block(pieces))) / 2;
    keys.push_back(filled(name_of(role_at(i, pieces), names), block));
  }
  return keys;
}

}  // namespace humpty
