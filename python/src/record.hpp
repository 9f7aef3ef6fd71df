// A plain C++ struct as a Python class: each field is named once and becomes a read-only property
// with the header's comment for a docstring, a part of the pickle, and a part of the comparison.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "docs.hpp"
#include "words.hpp"

namespace humpty::python {

template <class T>
class Record {
 public:
  // `cpp_name`: as the header has it, with its namespace (lab::) where that is another.
  // `about` stands in where the header says nothing.
  Record(nb::module_& module, const char* name, std::string cpp_name, const char* about = "")
      : cpp_name_(std::move(cpp_name)),
        type_(module, name, *doc(cpp_name_) ? doc(cpp_name_) : about),
        fields_(std::make_shared<std::vector<Field>>()) {
    const auto get = [fields = fields_](nb::handle self) {
      nb::list state;
      for (const Field& field : *fields) state.append(field.get(self));
      return nb::tuple(state);
    };
    const auto set = [fields = fields_](T& self, const nb::tuple& state) {
      new (&self) T();
      if (state.size() != fields->size())
        throw Error(ErrorCode::bad_format, "pickled by another version of humpty");
      for (std::size_t i = 0; i < fields->size(); ++i) (*fields)[i].set(self, state[i]);
    };
    type_.def("__getstate__", get, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
        .def("__setstate__", set,
             nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));
  }

  nb::class_<T>& type() { return type_; }

  // Structs within structs are references that keep the whole alive.
  template <class Member>
  Record& field(const char* name, Member T::*member) {
    constexpr auto policy = nb::rv_policy::reference_internal;
    type_.def_prop_ro(
        name, [member](const T& self) -> const Member& { return self.*member; }, policy,
        text(name));
    return keep(
        [member](nb::handle self) {
          return nb::cast(nb::cast<const T&>(self).*member, policy, self);
        },
        [member](T& self, nb::handle value) { self.*member = nb::cast<Member>(value); });
  }

  // As a read-only array on the struct's own memory.
  template <class Member>
  Record& array(const char* name, Member T::*member) {
    constexpr bool doubles = std::is_same_v<Member, std::vector<double>>;
    return arrays(name, member, doubles ? kDoubles : kFloats, [member](nb::handle self) {
      return view(nb::cast<const T&>(self).*member, self);
    });
  }
  // Of as many rows as columns.
  Record& square(const char* name, std::vector<double> T::*member) {
    const auto get = [member](nb::handle self) {
      const std::vector<double>& values = nb::cast<const T&>(self).*member;
      return view(values, static_cast<std::size_t>(std::lround(std::sqrt(values.size()))), self);
    };
    return arrays(name, member, kDoubles, get);
  }

 private:
  static constexpr const char* kDoubles = "numpy.typing.NDArray[numpy.float64]";
  static constexpr const char* kFloats = "numpy.typing.NDArray[numpy.float32]";

  struct Field {
    std::function<nb::object(nb::handle)> get;
    std::function<void(T&, nb::handle)> set;
  };

  const char* text(const char* name) const { return doc(cpp_name_ + "::" + name); }

  template <class Get, class Set>
  Record& keep(Get get, Set set) {
    fields_->push_back({std::move(get), std::move(set)});
    return *this;
  }

  template <class Member, class Get>
  Record& arrays(const char* name, Member T::*member, const char* type, Get get) {
    const std::string signature = std::string("def ") + name + "(self) -> " + type;
    type_.def_prop_ro(name, get, nb::sig(signature.c_str()), text(name));
    return keep(get, [member](T& self, nb::handle value) { read(value, self.*member); });
  }

  static void read(nb::handle value, Matrix& to) { to = borrow_matrix(nb::cast<Array>(value)); }
  template <class Value>
  static void read(nb::handle value, std::vector<Value>& to) {
    const auto array = nb::cast<View<Value>>(value);
    to.assign(array.data(), array.data() + array.size());
  }

  std::string cpp_name_;
  nb::class_<T> type_;
  std::shared_ptr<std::vector<Field>> fields_;
};

}  // namespace humpty::python
