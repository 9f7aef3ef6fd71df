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
      value = named<Value>(read<std::string>(name));
    else
      value = read<Value>(name);
    return *this;
  }

  Given& to_positive(const char* name, double& value) {
    to(name, value);
    if (!(value > 0)) refuse(name, "must be above 0");
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
      refuse(name, "is not of a kind that makes sense here");
    check(name, value);
    return value;
  }

  // All our numbers are sizes of something; NaN is in no range.
  void check(const char* name, double value) const {
    constexpr double kLargest = 1e30;
    if (!(value >= 0 && value <= kLargest)) refuse(name, "must be a number, 0 or more");
  }
  void check(const char* name, unsigned threads) const {
    constexpr unsigned kMost = 1024;
    if (threads > kMost) refuse(name, "is more threads than make sense (1024)");
  }
  template <class Value>
  void check(const char*, const Value&) const {}

  [[noreturn]] void refuse(const char* name, const char* why) const {
    throw Error(ErrorCode::usage, std::string(name) + "=" +
                                      nb::cast<std::string>(nb::repr(given_[name])) + " " + why);
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
