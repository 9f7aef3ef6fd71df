// Enumerations are words in Python: s.verdict == "exact".
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "humpty/humpty.hpp"

namespace humpty::python {

template <class Enum>
struct Words;  // values in the order of the enumeration, and how a user calls such a thing

template <>
struct Words<Verdict> {
  static constexpr const char* what = "verdict";
  static constexpr std::array<std::string_view, 3> words{"exact", "ambiguous", "unsolved"};
};
template <>
struct Words<Scope> {
  static constexpr const char* what = "certificate";
  static constexpr std::array<std::string_view, 4> words{"floor", "adjacent", "full", "auto"};
};
template <>
struct Words<Role> {
  static constexpr const char* what = "role";
  static constexpr std::array<std::string_view, 3> words{"expand", "contract", "head"};
};
template <>
struct Words<Target> {
  static constexpr const char* what = "target";
  static constexpr std::array<std::string_view, 4> words{"outputs", "probabilities", "truth",
                                                         "none"};
};
template <>
struct Words<Activation> {
  static constexpr const char* what = "activation";
  static constexpr std::array<std::string_view, 7> words{"relu", "leaky", "gelu",    "gelu-tanh",
                                                         "silu", "tanh",  "identity"};
};
template <>
struct Words<PairSignal> {
  static constexpr const char* what = "signal";
  static constexpr std::array<std::string_view, 5> words{"ensemble", "ratio", "norms", "whitened",
                                                         "bilinear"};
};
template <>
struct Words<Method> {
  static constexpr const char* what = "method";
  static constexpr std::array<std::string_view, 2> words{"best", "paper"};
};
template <>
struct Words<Seed> {
  static constexpr const char* what = "seed";
  static constexpr std::array<std::string_view, 4> words{"auto", "delta", "wout", "greedy"};
};
template <>
struct Words<Rival::Kind> {
  static constexpr const char* what = "kind";
  static constexpr std::array<std::string_view, 4> words{"swap", "insertion", "exchange_out",
                                                         "exchange_in"};
};
template <>
struct Words<lab::Optimizer> {
  static constexpr const char* what = "optimizer";
  static constexpr std::array<std::string_view, 3> words{"adam", "adamw", "sgd"};
};
template <>
struct Words<lab::Init> {
  static constexpr const char* what = "init";
  static constexpr std::array<std::string_view, 3> words{"default", "zero", "scaled"};
};
template <>
struct Words<lab::Loss> {
  static constexpr const char* what = "loss";
  static constexpr std::array<std::string_view, 2> words{"mse", "cross_entropy"};
};

template <class Enum>
std::string_view word(Enum value) {
  return Words<Enum>::words[static_cast<std::size_t>(value)];
}

// An argument; throws with all that it could be.
template <class Enum>
Enum named(const std::string& wanted) {
  std::string known;
  for (std::size_t i = 0; i < Words<Enum>::words.size(); ++i) {
    if (Words<Enum>::words[i] == wanted) return static_cast<Enum>(i);
    known += (i ? ", " : "") + std::string(Words<Enum>::words[i]);
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
