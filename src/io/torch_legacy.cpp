#include "io/torch_legacy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/pickle.hpp"
#include "io/torch_object.hpp"

// Five pickles one behind another: a magic number, the version (1001), facts about the machine that
// wrote it, the saved object, and the keys of its storages. Then, in the order of the keys, each
// storage: the number of its items (64 bits) and the items, little-endian on every machine.
namespace humpty::io {
namespace {

using Kind = Value::Kind;

constexpr std::string_view kMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kVersion = 1001;

class LegacyReader {
 public:
  LegacyReader(Bytes bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Tensors read(Take take) {
    next_pickle("the magic number");
    const Pickle version = next_pickle("the version");
    if (version.root().kind != Kind::integer || version.root().integer != kVersion)
      fail("is of a version of PyTorch's old format that is not known (not 1001)");
    next_pickle("the system's facts");
    const Pickle pickle = next_pickle("the object");
    TorchObject object(pickle, file_, take);
    object.add_all_storages();
    find_storages(next_pickle("the storage keys"), object);
    Tensors result{file_, {}};
    object.load(ByteOrder::little, result);
    return result;
  }

 private:
  Pickle next_pickle(std::string_view what) {
    const std::size_t most = std::min<std::size_t>(bytes_.size() - next_, kMostPickle);
    Pickle pickle(bytes_.subspan(next_, most), kAllowed, file_, what);
    next_ += pickle.size();
    return pickle;
  }

  void find_storages(const Pickle& keys, TorchObject& object) {
    if (keys.root().kind != Kind::list) fail("has no list of storages");
    std::size_t found = 0;
    for (const Value::Handle handle : keys.root().items) {
      const auto storage = object.storages().find(keys[handle].text);
      if (storage == object.storages().end() || storage->second.content.data())
        fail(fmt::format("lists storage '{}', which the object does not use, or twice",
                         shortened(keys[handle].text)));
      read_storage(storage->second);
      ++found;
    }
    if (found < object.storages().size()) fail("does not list every storage that its object uses");
  }

  void read_storage(TorchObject::Storage& storage) {
    const std::uint64_t left = bytes_.size() - next_;
    const std::uint64_t size = storage.type ? storage.type->size : 1;
    if (left < 8 || storage.bytes > left - 8)
      fail(fmt::format("storage '{}' is cut short", shortened(storage.key)));
    const std::uint64_t items = load_le<std::uint64_t>(bytes_.data() + next_);
    if (items != storage.bytes / size)
      fail(fmt::format("storage '{}' holds {} items, but its pickle says {}",
                       shortened(storage.key), items, storage.bytes / size));
    storage.content = bytes_.subspan(next_ + 8, storage.bytes);
    next_ += 8 + storage.bytes;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::bad_format, message, {.file = file_, .offset = next_});
  }

  Bytes bytes_;
  const std::string& file_;
  std::size_t next_ = 0;
};

}  // namespace

// The magic number stands behind the mark of the protocol, and from protocol 4 on of a frame.
bool is_legacy_torch(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  return text.starts_with('\x80') &&
         (text.substr(0, 14).ends_with(kMagic) || text.substr(0, 23).ends_with(kMagic));
}

Tensors read_legacy_torch(Bytes bytes, const std::string& file, Take take) {
  return LegacyReader(bytes, file).read(take);
}

}  // namespace humpty::io
