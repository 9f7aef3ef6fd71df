#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/pickle.hpp"
#include "io/torch.hpp"
#include "io/torch_legacy.hpp"
#include "io/torch_object.hpp"
#include "io/zip.hpp"

// A .pth is a zip with one top folder (its name varies) that holds data.pkl, a pickle of the saved
// object, and data/0, data/1, …, the raw bytes of its storages. TorchScript's archives hold besides
// them the program, which is left alone, and constants.pkl with constants/0, constants/1, …, where
// the weights of a frozen module are.
namespace humpty::io {
namespace {

class Reader {
 public:
  Reader(Bytes bytes, const std::string& file, Take take)
      : file_(file), take_(take), zip_(bytes, file), folder_(find_folder()), order_(find_order()) {}

  Tensors read() {
    const bool script = zip_.find(folder_ + "constants.pkl");
    Tensors result{file_, {}};
    read_object("data", "", script, result);
    if (script) read_object("constants", "constants.", script, result);
    return result;
  }

 private:
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

  // The tensors of `part`.pkl, whose storages are part/0, part/1, ….
  void read_object(const std::string& part, const std::string& prefix, bool script,
                   Tensors& result) const {
    const Content content = read_pickle(part + ".pkl");
    const Pickle pickle(content.bytes(), kAllowed, file_, part + ".pkl",
                        script ? kScriptClasses : "");
    TorchObject object(pickle, file_, take_, prefix);
    std::deque<Content> contents;
    for (auto& [key, storage] : object.storages()) {
      if (storage.needed == 0) continue;
      contents.push_back(read_storage(part, storage));
      storage.content = contents.back().bytes();
    }
    object.load(order_, result);
  }

  // A pickle of tensors deflates ten- or twentyfold; what inflates a thousandfold is a bomb.
  Content read_pickle(const std::string& name) const {
    const Zip::Entry& entry = *zip_.find(folder_ + name);
    const std::uint64_t justified = 0x10000 + 64 * entry.packed;
    return zip_.read(entry, entry.stored() ? kMostPickle : std::min(kMostPickle, justified));
  }

  Content read_storage(const std::string& part, const TorchObject::Storage& storage) const {
    const Zip::Entry* entry = zip_.find(fmt::format("{}{}/{}", folder_, part, storage.key));
    if (!entry) fail(fmt::format("has no entry for storage '{}'", shortened(storage.key)));
    if (entry->size != storage.bytes)
      fail(fmt::format("storage '{}' holds {} bytes, but its pickle says {}",
                       shortened(storage.key), entry->size, storage.bytes),
           entry->header);
    return zip_.read(*entry, entry->stored() ? entry->size : storage.needed);
  }

  [[noreturn]] void fail(const std::string& message,
                         std::optional<std::uint64_t> offset = {}) const {
    throw Error(ErrorCode::bad_format, message, {.file = file_, .offset = offset});
  }

  std::string file_;
  Take take_;
  Zip zip_;
  std::string folder_;
  ByteOrder order_;
};

}  // namespace

Tensors read_torch(const std::string& path) {
  const File file(path);
  return read_torch(file.bytes(), path);
}

Tensors read_torch(Bytes bytes, const std::string& file, Take take) {
  if (bytes.empty()) throw Error(ErrorCode::bad_format, "is empty", {.file = file});
  Tensors result = is_legacy_torch(bytes) ? read_legacy_torch(bytes, file, take)
                                          : Reader(bytes, file, take).read();
  if (result.tensors.empty() && result.skipped.empty())
    throw Error(ErrorCode::bad_format, "holds no tensors", {.file = file});
  check_names(result.tensors, file);
  return result;
}

}  // namespace humpty::io
