#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/pickle.hpp"
#include "io/torch.hpp"
#include "io/torch_types.hpp"
#include "io/zip.hpp"

// A .pth is a zip with one top folder (its name varies) that holds data.pkl, a pickle of the saved
// object, and data/0, data/1, …, the raw bytes of its storages. The pickle describes a tensor as a
// call _rebuild_tensor_v2(storage, offset, size, stride, …), and a storage as a persistent id
// ("storage", type, key, device, number of items).
//
// First every tensor is described and checked, then the storages are read: what the tensors need
// bounds what is inflated, and nothing is allocated that the file's own bytes do not justify.
namespace humpty::io {
namespace {

using Kind = Value::Kind;

constexpr std::uint64_t kMostPickle = 8 << 20;  // some 80,000 tensors
constexpr std::size_t kMostDimensions = 64;     // PyTorch's own limit
constexpr int kMostNesting = 64;
constexpr std::uint64_t kMostRepetition = 64;  // tensors may share storages, but not without end

struct Storage {
  std::string_view key;
  const ItemType* type = nullptr;  // null: untyped, the tensor says what it holds
  std::uint64_t bytes = 0;         // as the pickle says
  std::uint64_t needed = 0;        // bytes up to the last that a tensor uses
  std::optional<Content> content;
};

// A tensor as the pickle describes it; numbers are in items, not in bytes.
struct Layout {
  std::string name;
  const ItemType* type = nullptr;
  Storage* storage = nullptr;
  std::uint64_t offset = 0, count = 0;
  std::vector<std::uint64_t> shape, strides;
};

bool row_major(const Layout& layout) {
  std::uint64_t expected = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] != 1 && layout.strides[d] != expected) return false;
    expected *= layout.shape[d];
  }
  return true;
}

// Copies a strided tensor's items into row-major order, counting the index up like an odometer.
std::vector<std::uint8_t> gather(const Layout& layout, Bytes storage) {
  const std::size_t size = layout.type->size;
  std::vector<std::uint8_t> items(layout.count * size);
  std::vector<std::uint64_t> index(layout.shape.size(), 0);
  std::uint64_t at = layout.offset;
  for (std::uint64_t n = 0; n < layout.count; ++n) {
    std::memcpy(items.data() + n * size, storage.data() + at * size, size);
    for (std::size_t d = index.size(); d-- > 0;) {
      at += layout.strides[d];
      if (++index[d] < layout.shape[d]) break;
      at -= layout.strides[d] * layout.shape[d];
      index[d] = 0;
    }
  }
  return items;
}

class Reader {
 public:
  Reader(Bytes bytes, const std::string& file)
      : file_(file),
        zip_(bytes, file),
        folder_(find_folder()),
        order_(find_order()),
        pickled_(zip_.read(*zip_.find(folder_ + "data.pkl"), kMostPickle)),
        pickle_(pickled_.bytes(), kAllowed, file, "data.pkl") {}

  Tensors read() {
    result_.file = file_;
    std::string name;
    walk(pickle_.root(), name, 0);
    if (layouts_.empty() && result_.skipped.empty()) fail("holds no tensors");
    check_names();
    check_storages();
    for (const Layout& layout : layouts_) result_.tensors.push_back(load(layout));
    return std::move(result_);
  }

 private:
  // ----------------------------------------------------------------------------- the archive

  std::string find_folder() const {
    std::string folder;
    for (const Zip::Entry& entry : zip_.entries()) {
      const std::size_t slash = entry.name.find('/');
      if (slash == entry.name.npos || entry.name.substr(slash + 1) != "data.pkl") continue;
      if (!folder.empty()) fail("holds two files called data.pkl");
      folder = entry.name.substr(0, slash + 1);
    }
    if (folder.empty()) fail("is a zip without data.pkl: not saved by torch.save");
    return folder;
  }

  ByteOrder find_order() const {
    const Zip::Entry* entry = zip_.find(folder_ + "byteorder");
    if (!entry) return ByteOrder::little;
    const Content content = zip_.read(*entry, 16);
    const std::string_view word = text_of(content.bytes());
    if (word == "little") return ByteOrder::little;
    if (word == "big") return ByteOrder::big;
    fail(fmt::format("has byte order '{}', neither little nor big", word));
  }

  // ---------------------------------------------------------------------- from value to layout

  // Finds the tensors in nested dicts, lists and tuples. A hostile pickle can share one dict a
  // million times or put it into itself, so depth and work are bounded by the pickle's size.
  void walk(const Value& value, std::string& name, int depth) {
    spend(1);
    if (depth > kMostNesting) fail("nests dicts too deeply", ErrorCode::too_large);
    const auto& items = value.items;
    if (value.kind == Kind::call) {
      describe(value, name);
    } else if (value.kind == Kind::dict) {
      for (std::size_t i = 0; i < items.size(); i += 2)
        walk_into(items[i + 1], key_text(pickle_[items[i]], name), name, depth);
    } else if (value.kind == Kind::list || value.kind == Kind::tuple) {
      for (std::size_t i = 0; i < items.size(); ++i)
        walk_into(items[i], std::to_string(i), name, depth);
    }
  }

  void walk_into(Value::Handle item, std::string_view key, std::string& name, int depth) {
    const std::size_t length = name.size();
    spend(key.size());
    if (depth > 0) name += '.';
    name += key;
    walk(pickle_[item], name, depth + 1);
    name.resize(length);
  }

  void spend(std::size_t work) {
    spent_ += work;
    if (spent_ > 64 * pickle_.size())
      fail("puts its dicts into each other without end", ErrorCode::too_large);
  }

  std::string key_text(const Value& key, const std::string& name) const {
    if (key.kind == Kind::text) return std::string(key.text);
    if (key.kind == Kind::integer) return std::to_string(key.integer);
    fail("has a dict key that is neither text nor an integer", ErrorCode::bad_format, name,
         key.offset);
  }

  // A call is a tensor, a parameter around one, or of no interest (torch.Size, torch.device).
  void describe(const Value& value, const std::string& name) {
    const Value* call = &value;
    if (callee(*call) == kParameter) call = &argument(*call, 0, Kind::call, name);
    const std::string_view what = callee(*call);
    if (what != kRebuild && what != kRebuild2 && what != kRebuild3) return;
    spend(name.size() + 64);
    Layout layout;
    layout.name = name;
    layout.storage = &storage(argument(*call, 0, Kind::persistent, name), name);
    layout.type = layout.storage->type;
    if (what == kRebuild3) layout.type = item_type(argument(*call, 6, Kind::global, name), name);
    if (!layout.type) fail("is made from an untyped storage", ErrorCode::bad_format, name);
    if (!layout.type->floats) {
      result_.skipped.push_back(
          fmt::format("tensor '{}': {} is not read", shortened(name), layout.type->word()));
      return;
    }
    layout.offset = size_of(argument(*call, 1, Kind::integer, name), name);
    layout.shape = sizes(argument(*call, 2, Kind::tuple, name), name);
    layout.strides = sizes(argument(*call, 3, Kind::tuple, name), name);
    measure(layout);
    layouts_.push_back(std::move(layout));
  }

  std::string_view callee(const Value& call) const { return pickle_[call.items[0]].text; }

  const Value& argument(const Value& call, std::size_t index, Kind kind,
                        const std::string& name) const {
    return item(pickle_[call.items[1]], index, kind, name);
  }

  const Value& item(const Value& tuple, std::size_t index, Kind kind,
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

  std::uint64_t size_of(const Value& value, const std::string& name) const {
    if (value.integer < 0)
      fail(fmt::format("has a negative size, {}", value.integer), ErrorCode::bad_format, name,
           value.offset);
    return static_cast<std::uint64_t>(value.integer);
  }

  std::vector<std::uint64_t> sizes(const Value& tuple, const std::string& name) const {
    if (tuple.items.size() > kMostDimensions)
      fail(fmt::format("has {} dimensions", tuple.items.size()), ErrorCode::bad_format, name,
           tuple.offset);
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < tuple.items.size(); ++i)
      all.push_back(size_of(item(tuple, i, Kind::integer, name), name));
    return all;
  }

  const ItemType* item_type(const Value& global, const std::string& name) const {
    if (global.text == kUntyped) return nullptr;
    for (const ItemType& type : kItemTypes)
      if (global.text == type.storage || global.text == type.dtype) return &type;
    fail(fmt::format("has '{}' for a type", global.text), ErrorCode::bad_format, name,
         global.offset);
  }

  // ("storage", type, key, device, number of items)
  Storage& storage(const Value& persistent, const std::string& name) {
    const Value& id = item(persistent, 0, Kind::tuple, name);
    if (item(id, 0, Kind::text, name).text != "storage")
      fail("is not made from a storage", ErrorCode::bad_format, name, id.offset);
    const ItemType* type = item_type(item(id, 1, Kind::global, name), name);
    const std::string_view key = item(id, 2, Kind::text, name).text;
    const std::uint64_t bytes =
        times(size_of(item(id, 4, Kind::integer, name), name), type ? type->size : 1, name);
    Storage& known = storages_.try_emplace(key, Storage{key, type, bytes, 0, {}}).first->second;
    if (known.type != type || known.bytes != bytes)
      fail(fmt::format("uses storage '{}' as others do not", shortened(key)), ErrorCode::bad_format,
           name, id.offset);
    return known;
  }

  // ---------------------------------------------------------------------------------- checking

  // Counts the items and finds the last byte that the tensor needs of its storage. Zeros in the
  // shape do not hide an overflow: whoever multiplies the shape later is spared the thought.
  void measure(Layout& layout) const {
    const std::string& name = layout.name;
    if (layout.shape.size() != layout.strides.size())
      fail(fmt::format("has {} dimensions but {} strides", layout.shape.size(),
                       layout.strides.size()),
           ErrorCode::bad_format, name);
    std::uint64_t product = 1, last = layout.offset;
    bool empty = false;
    for (std::size_t d = 0; d < layout.shape.size(); ++d) {
      const std::uint64_t size = layout.shape[d];
      if (size == 0) {
        empty = true;
        continue;
      }
      product = times(product, size, name);
      last = plus(last, times(size - 1, layout.strides[d], name), name);
    }
    times(product, sizeof(double), name);
    if (empty) return;
    layout.count = product;
    const std::uint64_t needed = times(plus(last, 1, name), layout.type->size, name);
    if (needed > layout.storage->bytes)
      fail(fmt::format("needs {} bytes, but its storage '{}' holds {}", needed,
                       shortened(layout.storage->key), layout.storage->bytes),
           ErrorCode::bad_format, name);
    layout.storage->needed = std::max(layout.storage->needed, needed);
  }

  void check_names() const {
    std::vector<std::string_view> names;
    for (const Layout& layout : layouts_) names.push_back(layout.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) fail(fmt::format("holds two tensors called '{}'", shortened(*twice)));
  }

  // Reads the storages that are needed, then sees that the tensors do not repeat them without end.
  void check_storages() {
    std::uint64_t held = 0, wanted = 0;
    for (auto& [key, storage] : storages_) {
      if (storage.needed == 0) continue;
      storage.content = read_storage(storage);
      held += storage.bytes;
    }
    for (const Layout& layout : layouts_)
      wanted = plus(wanted, layout.count * layout.type->size, layout.name);
    if (wanted / kMostRepetition > held)
      fail(fmt::format("holds {} bytes in storages, but {} in tensors", held, wanted),
           ErrorCode::too_large);
  }

  Content read_storage(const Storage& storage) const {
    const Zip::Entry* entry = zip_.find(fmt::format("{}data/{}", folder_, storage.key));
    if (!entry) fail(fmt::format("has no entry for storage '{}'", shortened(storage.key)));
    if (entry->size != storage.bytes)
      fail(fmt::format("storage '{}' holds {} bytes, but its pickle says {}",
                       shortened(storage.key), entry->size, storage.bytes),
           ErrorCode::bad_format, "", entry->header);
    return zip_.read(*entry, entry->stored() ? entry->size : storage.needed);
  }

  std::uint64_t times(std::uint64_t a, std::uint64_t b, const std::string& name) const {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) fail_overflow(name);
    return product;
  }

  std::uint64_t plus(std::uint64_t a, std::uint64_t b, const std::string& name) const {
    std::uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) fail_overflow(name);
    return sum;
  }

  // ----------------------------------------------------------------------------------- loading

  Tensor load(const Layout& layout) const {
    Tensor tensor{layout.name, layout.shape, *layout.type->floats, {}};
    if (layout.count == 0) return tensor;
    const Bytes storage = layout.storage->content->bytes();
    const std::size_t size = layout.type->size;
    if (row_major(layout))
      tensor.values =
          decode(tensor.dtype, storage.subspan(layout.offset * size, layout.count * size), order_);
    else
      tensor.values = decode(tensor.dtype, gather(layout, storage), order_);
    return tensor;
  }

  [[noreturn]] void fail_overflow(const std::string& name) const {
    fail("has sizes whose product overflows", ErrorCode::too_large, name);
  }

  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::bad_format,
                         const std::string& tensor = "",
                         std::optional<std::uint64_t> offset = {}) const {
    throw Error(code, message, {.file = file_, .tensor = shortened(tensor), .offset = offset});
  }

  std::string file_;
  Zip zip_;
  std::string folder_;
  ByteOrder order_;
  Content pickled_;
  Pickle pickle_;
  std::uint64_t spent_ = 0;
  std::map<std::string_view, Storage> storages_;
  std::vector<Layout> layouts_;
  Tensors result_;
};

// The format before 1.6 was a row of pickles; the first holds this number.
void refuse_old_format(Bytes bytes, const std::string& file) {
  constexpr std::string_view magic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  if (text_of(bytes).starts_with(magic))
    throw Error(ErrorCode::bad_format,
                "was saved in PyTorch's format from before 1.6: load it and save it again",
                {.file = file});
}

}  // namespace

Tensors read_torch(const std::string& path) {
  const File file(path);
  return read_torch(file.bytes(), path);
}

Tensors read_torch(Bytes bytes, const std::string& file) {
  if (bytes.empty()) throw Error(ErrorCode::bad_format, "is empty", {.file = file});
  refuse_old_format(bytes, file);
  return Reader(bytes, file).read();
}

}  // namespace humpty::io
