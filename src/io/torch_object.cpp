#include "io/torch_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

// A pickle describes a tensor as a call _rebuild_tensor_v2(storage, offset, size, stride, …), and a
// storage as a persistent id ("storage", type, key, device, number of items). In the format from
// before 1.6 the id ends with one item more: nothing, or (key, offset, size) where the storage is a
// part of the one named.
namespace humpty::io {
namespace {

using Kind = Value::Kind;

constexpr int kMostNesting = 64;
constexpr std::uint64_t kMostRepetition = 64;  // tensors may share storages, but not without end

}  // namespace

TorchObject::TorchObject(const Pickle& pickle, const std::string& file, Take take,
                         std::string prefix)
    : pickle_(pickle), file_(file), take_(take) {
  walk(pickle.root(), prefix, 0);
}

// ------------------------------------------------------------------------------ finding the
// tensors

// Finds the tensors in nested dicts, lists, tuples and objects. A hostile pickle can share one dict
// a million times or put it into itself, so depth and work are bounded by the pickle's size.
void TorchObject::walk(const Value& value, std::string& prefix, int depth) {
  spend(1);
  if (depth > kMostNesting) fail("nests dicts too deeply", ErrorCode::too_large);
  const auto& items = value.items;
  if (value.kind == Kind::call) {
    walk_call(value, prefix, depth);
  } else if (value.kind == Kind::object) {
    if (!items.empty()) walk(pickle_[items[0]], prefix, depth + 1);
  } else if (value.kind == Kind::dict) {
    for (std::size_t i = 0; i < items.size(); i += 2)
      walk_into(items[i + 1], key_text(pickle_[items[i]], prefix), prefix, depth);
  } else if (value.kind == Kind::list || value.kind == Kind::tuple) {
    for (std::size_t i = 0; i < items.size(); ++i)
      walk_into(items[i], std::to_string(i), prefix, depth);
  }
}

void TorchObject::walk_into(Value::Handle item, std::string_view key, std::string& prefix,
                            int depth) {
  const std::size_t length = prefix.size();
  spend(key.size());
  prefix += key;
  prefix += '.';
  walk(pickle_[item], prefix, depth + 1);
  prefix.resize(length);
}

// A call is a tensor, a parameter around one, TorchScript's note of a container's type, or of no
// interest (torch.Size, torch.device).
void TorchObject::walk_call(const Value& call, std::string& prefix, int depth) {
  const std::string name = prefix.substr(0, prefix.size() - !prefix.empty());
  const std::string_view what = callee(call);
  if (what == kRestoreTypeTag || what == kBuildTensorList) {
    const Value& arguments = pickle_[call.items[1]];
    if (!arguments.items.empty()) walk(pickle_[arguments.items[0]], prefix, depth + 1);
  } else {
    describe(what == kParameter ? argument(call, 0, Kind::call, name) : call, name);
  }
}

void TorchObject::spend(std::size_t work) {
  spent_ += work;
  if (spent_ > 64 * pickle_.size())
    fail("puts its dicts into each other without end", ErrorCode::too_large);
}

std::string TorchObject::key_text(const Value& key, const std::string& prefix) const {
  if (key.kind == Kind::text) return std::string(key.text);
  if (key.kind == Kind::integer) return std::to_string(key.integer);
  fail("has a dict key that is neither text nor an integer", ErrorCode::bad_format, prefix,
       key.offset);
}

// --------------------------------------------------------------------------- from value to layout

void TorchObject::describe(const Value& call, const std::string& name) {
  const std::string_view what = callee(call);
  if (what != kRebuild && what != kRebuild2 && what != kRebuild3) return;
  spend(name.size() + 64);
  const Value& id = item(argument(call, 0, Kind::persistent, name), 0, Kind::tuple, name);
  Layout layout;
  layout.name = name;
  layout.storage = &storage(id, name);
  layout.type = layout.storage->type;
  if (what == kRebuild3) layout.type = item_type(argument(call, 6, Kind::global, name), name);
  if (!layout.type) fail("is made from an untyped storage", ErrorCode::bad_format, name);
  const bool whole = take_ == Take::numbers && whole_type(layout.type->word());
  if (!layout.type->floats && !whole) {
    skipped_.push_back(not_read(name, layout.type->word()));
    return;
  }
  layout.offset = size_of(argument(call, 1, Kind::integer, name), name);
  layout.shape = sizes(argument(call, 2, Kind::tuple, name), name);
  layout.strides = sizes(argument(call, 3, Kind::tuple, name), name);
  layout.available = layout.storage->bytes;
  apply_view(id, layout);
  measure(layout);
  layouts_.push_back(std::move(layout));
}

const Value& TorchObject::argument(const Value& call, std::size_t index, Kind kind,
                                   const std::string& name) const {
  return item(pickle_[call.items[1]], index, kind, name);
}

const Value& TorchObject::item(const Value& tuple, std::size_t index, Kind kind,
                               const std::string& name) const {
  if (index < tuple.items.size()) {
    const Value& found = pickle_[tuple.items[index]];
    if (found.kind == Kind::big && kind == Kind::integer)
      fail("has a size beyond 64 bits", ErrorCode::too_large, name, found.offset);
    if (found.kind == kind) return found;
  }
  fail(fmt::format("is described in a way PyTorch does not use (item {})", index),
       ErrorCode::bad_format, name, tuple.offset);
}

std::uint64_t TorchObject::size_of(const Value& value, const std::string& name) const {
  if (value.integer < 0)
    fail(fmt::format("has a negative size, {}", value.integer), ErrorCode::bad_format, name,
         value.offset);
  return static_cast<std::uint64_t>(value.integer);
}

std::vector<std::uint64_t> TorchObject::sizes(const Value& tuple, const std::string& name) const {
  if (tuple.items.size() > kMostDimensions)
    fail(fmt::format("has {} dimensions", tuple.items.size()), ErrorCode::bad_format, name,
         tuple.offset);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < tuple.items.size(); ++i)
    all.push_back(size_of(item(tuple, i, Kind::integer, name), name));
  return all;
}

const ItemType* TorchObject::item_type(const Value& global, const std::string& name) const {
  if (global.text == kUntyped) return nullptr;
  for (const ItemType& type : kItemTypes)
    if (global.text == type.storage || global.text == type.dtype) return &type;
  fail(fmt::format("has '{}' for a type", global.text), ErrorCode::bad_format, name, global.offset);
}

TorchObject::Storage& TorchObject::storage(const Value& id, const std::string& name) {
  if (item(id, 0, Kind::text, name).text != "storage")
    fail("is not made from a storage", ErrorCode::bad_format, name, id.offset);
  const ItemType* type = item_type(item(id, 1, Kind::global, name), name);
  const std::string_view key = item(id, 2, Kind::text, name).text;
  const std::uint64_t bytes =
      times(size_of(item(id, 4, Kind::integer, name), name), type ? type->size : 1, name);
  Storage& known = storages_.try_emplace(key, Storage{key, type, bytes}).first->second;
  if (known.type != type || known.bytes != bytes)
    fail(fmt::format("uses storage '{}' as others do not", shortened(key)), ErrorCode::bad_format,
         name, id.offset);
  return known;
}

void TorchObject::apply_view(const Value& id, Layout& layout) const {
  const std::string& name = layout.name;
  if (id.items.size() < 6 || pickle_[id.items[5]].kind == Kind::none) return;
  const Value& view = item(id, 5, Kind::tuple, name);
  const std::uint64_t start = size_of(item(view, 1, Kind::integer, name), name);
  const std::uint64_t items = size_of(item(view, 2, Kind::integer, name), name);
  layout.available = times(plus(start, items, name), layout.type->size, name);
  if (layout.available > layout.storage->bytes)
    fail("views more than its storage holds", ErrorCode::bad_format, name, view.offset);
  layout.offset = plus(layout.offset, start, name);
}

void TorchObject::add_all_storages() {
  for (const Value& value : pickle_.values())
    if (value.kind == Kind::persistent) storage(item(value, 0, Kind::tuple, ""), "");
}

// ---------------------------------------------------------------------------------------- checking

// Counts the items and finds the last byte that the tensor needs of its storage.
void TorchObject::measure(Layout& layout) const {
  const std::string& name = layout.name;
  if (layout.shape.size() != layout.strides.size())
    fail(
        fmt::format("has {} dimensions but {} strides", layout.shape.size(), layout.strides.size()),
        ErrorCode::bad_format, name);
  const std::uint64_t count = count_items(layout.shape, {.file = file_, .tensor = shortened(name)});
  std::uint64_t last = layout.offset;
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    if (layout.shape[d] > 0)
      last = plus(last, times(layout.shape[d] - 1, layout.strides[d], name), name);
  if (count == 0) return;
  layout.count = count;
  const std::uint64_t needed = times(plus(last, 1, name), layout.type->size, name);
  if (needed > layout.available)
    fail(fmt::format("needs {} bytes, but its storage '{}' holds {}", needed,
                     shortened(layout.storage->key), layout.available),
         ErrorCode::bad_format, name);
  layout.storage->needed = std::max(layout.storage->needed, needed);
}

void TorchObject::check_repetition() const {
  std::uint64_t held = 0, wanted = 0;
  for (const auto& [key, storage] : storages_)
    if (storage.needed > 0) held += storage.bytes;
  for (const Layout& layout : layouts_)
    wanted = plus(wanted, layout.count * layout.type->size, layout.name);
  if (wanted / kMostRepetition > held)
    fail(fmt::format("holds {} bytes in storages, but {} in tensors", held, wanted),
         ErrorCode::too_large);
}

std::uint64_t TorchObject::times(std::uint64_t a, std::uint64_t b, const std::string& name) const {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    fail("has sizes whose product overflows", ErrorCode::too_large, name);
  return product;
}

std::uint64_t TorchObject::plus(std::uint64_t a, std::uint64_t b, const std::string& name) const {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    fail("has sizes whose sum overflows", ErrorCode::too_large, name);
  return sum;
}

void TorchObject::fail(const std::string& message, ErrorCode code, const std::string& tensor,
                       std::optional<std::uint64_t> offset) const {
  throw Error(code, message, {.file = file_, .tensor = shortened(tensor), .offset = offset});
}

// ----------------------------------------------------------------------------------------- loading

void TorchObject::load(ByteOrder order, Tensors& into) const {
  check_repetition();
  for (const Layout& layout : layouts_) {
    const auto& [name, type, storage] = std::tie(layout.name, *layout.type, *layout.storage);
    std::optional<std::vector<float>> values;
    if (type.floats)
      values = decode(*type.floats, layout, storage.content, order);
    else
      values = decode(*whole_type(type.word()), layout, storage.content, order);
    if (values)
      into.tensors.push_back({name,
                              layout.shape,
                              type.floats.value_or(DType::float32),
                              std::move(*values),
                              {},
                              !type.floats});
    else
      into.skipped.push_back(not_exact(name, type.word()));
  }
  into.skipped.insert(into.skipped.end(), skipped_.begin(), skipped_.end());
}

}  // namespace humpty::io
