// An inert reader of Python pickles. A pickle is a program for a small stack machine; this reader
// follows the part of it that builds data and never calls, imports or creates anything: a call is
// kept as a node that says what would have been called with what. Globals outside the caller's
// allow-list, and opcodes that data does not need, are refused by name and place. Classes of one
// kind can be let in besides, as boxes for what an object's attributes hold (TorchScript needs it).
//
// Values are nodes in one array and refer to each other by number, so a value used twice is stored
// once, cycles do no harm, nothing recurses, and memory is linear in the bytes of the pickle.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace humpty::io {

struct Value {
  enum class Kind : std::uint8_t {
    none,
    boolean,     // integer
    integer,     // integer
    big,         // an integer beyond 64 bits, whose value is not kept
    real,        // real
    text,        // text
    bytes,       // text
    tuple,       // items
    list,        // items
    dict,        // items: key, value, key, value, …
    global,      // text: "torch.FloatStorage"
    call,        // items: what would be called, its arguments (a tuple)
    object,      // items: its attributes (a dict), once they are set
    persistent,  // items: the id, mostly a tuple
  };
  using Handle = std::uint32_t;

  Kind kind = Kind::none;
  std::uint32_t offset = 0;  // of its opcode in the pickle
  union {
    std::int64_t integer = 0;
    double real;
  };
  std::string_view text;
  std::vector<Handle> items;
};

class Pickle {
 public:
  // Globals are allowed by their dotted names; collections.OrderedDict always is, and gives a dict.
  // `bytes` and `allowed` must outlive the pickle; `file` and `entry` are for messages. Where
  // `boxes` is not empty, any class whose dotted name starts with it gives an object.
  Pickle(Bytes bytes, std::span<const std::string_view> allowed, const std::string& file,
         std::string_view entry, std::string_view boxes = {});

  const Value& root() const { return values_[root_]; }
  const Value& operator[](Value::Handle handle) const { return values_[handle]; }
  std::span<const Value> values() const { return values_; }
  std::size_t size() const { return size_; }  // bytes of pickle; there may be others behind it

 private:
  std::vector<Value> values_;
  Value::Handle root_ = 0;
  std::size_t size_ = 0;
};

}  // namespace humpty::io
