#include <array>

#include <fmt/format.h>

#include "humpty/humpty.hpp"

namespace humpty {
namespace {

constexpr std::array<std::pair<Activation, std::string_view>, 7> kActivations{{
    {Activation::relu, "relu"},
    {Activation::leaky, "leaky"},
    {Activation::gelu, "gelu"},
    {Activation::gelu_tanh, "gelu-tanh"},
    {Activation::silu, "silu"},
    {Activation::tanh, "tanh"},
    {Activation::identity, "identity"},
}};

}  // namespace

std::string_view version() { return HUMPTY_VERSION; }

std::string_view name(Activation activation) {
  for (const auto& [value, text] : kActivations)
    if (value == activation) return text;
  return "?";
}

Activation activation_named(std::string_view wanted) {
  std::string known;
  for (const auto& [value, text] : kActivations) {
    if (text == wanted) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", text);
  }
  throw Error(ErrorCode::usage,
              fmt::format("no activation is called '{}'; there are {}", wanted, known));
}

const std::vector<Activation>& all_activations() {
  static const std::vector<Activation> all = [] {
    std::vector<Activation> list;
    for (const auto& [value, text] : kActivations) list.push_back(value);
    return list;
  }();
  return all;
}

std::string_view name(ErrorCode code) {
  constexpr std::string_view kNames[] = {"usage",    "not_found",    "unreadable", "bad_format",
                                         "unsafe",   "too_large",    "bad_shape",  "bad_value",
                                         "bad_data", "not_writable", "cancelled"};
  return kNames[static_cast<std::size_t>(code)];
}

std::string_view name(PairSignal signal) {
  switch (signal) {
    case PairSignal::ensemble:
      return "ensemble";
    case PairSignal::ratio:
      return "ratio";
    case PairSignal::norms:
      return "norms";
    case PairSignal::whitened:
      return "whitened";
    case PairSignal::bilinear:
      return "bilinear";
  }
  return "?";
}

Role role_at(std::size_t place, std::size_t pieces) {
  const std::size_t first = first_block(pieces);
  if (place + 1 == pieces) return Role::head;
  if (place < first) return Role::stem;
  return (place - first) % 2 == 0 ? Role::expand : Role::contract;
}

std::string_view name(Role role) {
  switch (role) {
    case Role::stem:
      return "stem";
    case Role::expand:
      return "expand";
    case Role::contract:
      return "contract";
    case Role::head:
      return "head";
  }
  return "?";
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::exact:
      return "exact";
    case Verdict::ambiguous:
      return "ambiguous";
    case Verdict::unsolved:
      return "unsolved";
  }
  return "?";
}

std::string_view name(Target target) {
  switch (target) {
    case Target::outputs:
      return "outputs";
    case Target::probabilities:
      return "probabilities";
    case Target::truth:
      return "truth";
    case Target::none:
      return "none";
  }
  return "?";
}

std::string_view name(Scope scope) {
  switch (scope) {
    case Scope::floor:
      return "floor";
    case Scope::adjacent:
      return "adjacent";
    case Scope::full:
      return "full";
    case Scope::all:
      return "all";
    case Scope::automatic:
      return "automatic";
  }
  return "?";
}

std::string_view name(Rival::Kind kind) {
  switch (kind) {
    case Rival::Kind::swap:
      return "swap";
    case Rival::Kind::insertion:
      return "insertion";
    case Rival::Kind::exchange_out:
      return "exchange_out";
    case Rival::Kind::exchange_in:
      return "exchange_in";
    case Rival::Kind::segments:
      return "segments";
    case Rival::Kind::reversal:
      return "reversal";
    case Rival::Kind::cycle_out:
      return "cycle_out";
    case Rival::Kind::cycle_in:
      return "cycle_in";
    case Rival::Kind::window:
      return "window";
  }
  return "?";
}

}  // namespace humpty
