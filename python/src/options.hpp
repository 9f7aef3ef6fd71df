// Options structs from keyword arguments. humpty/*.py has the signatures, with types and defaults;
// what it leaves out, or gives as None, keeps the header's default.
#pragma once

#include <set>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "call.hpp"
#include "words.hpp"

namespace humpty::python {

class Given {
 public:
  explicit Given(const nb::kwargs& given) : given_(given) {}

  template <class Value>
  Given& to(const char* name, Value& value) {
    used_.insert(name);
    if (!given_.contains(name) || given_[name].is_none()) return *this;
    if constexpr (requires { Words<Value>::what; })
      value = named<Value>(nb::cast<std::string>(nb::handle(given_[name])));
    else
      value = read<Value>(name);
    return *this;
  }

  // Whatever was asked for has been used.
  void end() const {
    for (const auto& [name, value] : given_)
      if (!used_.count(nb::cast<std::string>(name)))
        throw Error(ErrorCode::usage,
                    "there is no argument '" + nb::cast<std::string>(name) + "' here");
  }

 private:
  template <class Value>
  Value read(const char* name) const {
    Value value{};
    if (!nb::try_cast(nb::handle(given_[name]), value))
      throw Error(ErrorCode::usage, std::string(name) + "=" +
                                        nb::cast<std::string>(nb::repr(given_[name])) +
                                        " is not of a kind that makes sense here");
    return value;
  }

  const nb::kwargs& given_;
  std::set<std::string> used_;
};

inline ReadOptions read_options(Given given, const Line* line = nullptr) {
  ReadOptions options;
  Activation activation{};
  std::string stated = "auto";
  given.to("data", options.data)
      .to("target_file", options.target_file)
      .to("target", options.target)
      .to("features", options.features)
      .to("drop_missing", options.drop_missing)
      .to("key", options.key)
      .to("transposed", options.transposed)
      .to("probabilities", options.probabilities)
      .to("no_data", options.no_data)
      .to("heap", options.heap)
      .to("roles", options.roles)
      .to("activation", stated)
      .to("threads", options.threads)
      .end();
  if (stated != "auto") options.activation = activation = named<Activation>(stated);
  if (line) options.cancel = line->cancel();
  return options;
}

}  // namespace humpty::python
