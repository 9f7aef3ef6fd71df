// Enumerations are words in Python: s.verdict == "exact".
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

#include "humpty/humpty.hpp"

namespace humpty::python {

template <class Enum>
struct Words;  // each value with its word, and how a user calls such a thing

template <class Enum>
using Word = std::pair<Enum, std::string_view>;

template <>
struct Words<Verdict> {
  using enum Verdict;
  static constexpr const char* what = "verdict";
  static constexpr Word<Verdict> words[] = {
      {exact, "exact"}, {ambiguous, "ambiguous"}, {unsolved, "unsolved"}};
};
template <>
struct Words<Scope> {
  using enum Scope;
  static constexpr const char* what = "certificate";
  static constexpr Word<Scope> words[] = {
      {floor, "floor"}, {adjacent, "adjacent"}, {full, "full"}, {all, "all"}, {automatic, "auto"}};
};
template <>
struct Words<Role> {
  using enum Role;
  static constexpr const char* what = "role";
  static constexpr Word<Role> words[] = {
      {stem, "stem"}, {expand, "expand"}, {contract, "contract"}, {head, "head"}};
};
template <>
struct Words<Target> {
  using enum Target;
  static constexpr const char* what = "target";
  static constexpr Word<Target> words[] = {
      {outputs, "outputs"}, {probabilities, "probabilities"}, {truth, "truth"}, {none, "none"}};
};
template <>
struct Words<Activation> {
  using enum Activation;
  static constexpr const char* what = "activation";
  static constexpr Word<Activation> words[] = {
      {relu, "relu"}, {leaky, "leaky"}, {gelu, "gelu"},        {gelu_tanh, "gelu-tanh"},
      {silu, "silu"}, {tanh, "tanh"},   {identity, "identity"}};
};
template <>
struct Words<PairSignal> {
  using enum PairSignal;
  static constexpr const char* what = "signal";
  static constexpr Word<PairSignal> words[] = {{ensemble, "ensemble"},
                                               {ratio, "ratio"},
                                               {norms, "norms"},
                                               {whitened, "whitened"},
                                               {bilinear, "bilinear"}};
};
template <>
struct Words<Method> {
  using enum Method;
  static constexpr const char* what = "method";
  static constexpr Word<Method> words[] = {{best, "best"}, {paper, "paper"}};
};
template <>
struct Words<Seed> {
  using enum Seed;
  static constexpr const char* what = "seed";
  static constexpr Word<Seed> words[] = {
      {automatic, "auto"}, {delta, "delta"}, {wout, "wout"}, {greedy, "greedy"}};
};
template <>
struct Words<Rival::Kind> {
  using enum Rival::Kind;
  static constexpr const char* what = "kind";
  static constexpr Word<Rival::Kind> words[] = {{swap, "swap"},
                                                {insertion, "insertion"},
                                                {exchange_out, "exchange_out"},
                                                {exchange_in, "exchange_in"},
                                                {segments, "segments"},
                                                {reversal, "reversal"},
                                                {cycle_out, "cycle_out"},
                                                {cycle_in, "cycle_in"},
                                                {window, "window"}};
};
template <>
struct Words<lab::Optimizer> {
  using enum lab::Optimizer;
  static constexpr const char* what = "optimizer";
  static constexpr Word<lab::Optimizer> words[] = {{adam, "adam"}, {adamw, "adamw"}, {sgd, "sgd"}};
};
template <>
struct Words<lab::Init> {
  using enum lab::Init;
  static constexpr const char* what = "init";
  static constexpr Word<lab::Init> words[] = {
      {standard, "default"}, {zero, "zero"}, {scaled, "scaled"}};
};
template <>
struct Words<lab::Loss> {
  using enum lab::Loss;
  static constexpr const char* what = "loss";
  static constexpr Word<lab::Loss> words[] = {{mse, "mse"}, {cross_entropy, "cross_entropy"}};
};

template <class Enum>
std::string_view word(Enum value) {
  for (const auto& [known, text] : Words<Enum>::words)
    if (known == value) return text;
  return "?";
}

// An argument; throws with all that it could be.
template <class Enum>
Enum named(const std::string& wanted) {
  std::string known;
  for (const auto& [value, text] : Words<Enum>::words) {
    if (text == wanted) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw Error(ErrorCode::usage, "no " + std::string(Words<Enum>::what) + " is called '" + wanted +
                                    "'; there are " + known);
}

}  // namespace humpty::python

namespace nanobind::detail {

template <class Enum>
struct word_caster {
  NB_TYPE_CASTER(Enum, const_name("str"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    try {
      value = humpty::python::named<Enum>(PyUnicode_AsUTF8(source.ptr()));
    } catch (const humpty::Error&) {
      return false;
    }
    return true;
  }
  static handle from_cpp(Enum source, rv_policy, cleanup_list*) noexcept {
    const std::string_view text = humpty::python::word(source);
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  }
};

// Each by name: nanobind has casters for all enumerations, which these must outrank.
template <>
struct type_caster<humpty::Verdict> : word_caster<humpty::Verdict> {};
template <>
struct type_caster<humpty::Scope> : word_caster<humpty::Scope> {};
template <>
struct type_caster<humpty::Role> : word_caster<humpty::Role> {};
template <>
struct type_caster<humpty::Target> : word_caster<humpty::Target> {};
template <>
struct type_caster<humpty::Activation> : word_caster<humpty::Activation> {};
template <>
struct type_caster<humpty::PairSignal> : word_caster<humpty::PairSignal> {};
template <>
struct type_caster<humpty::Rival::Kind> : word_caster<humpty::Rival::Kind> {};

}  // namespace nanobind::detail
