// The tensors in a pickled object, however its storages are kept: in a zip or behind one another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/pickle.hpp"
#include "io/strided.hpp"
#include "io/tensor.hpp"
#include "io/torch_types.hpp"

namespace humpty::io {

constexpr std::uint64_t kMostPickle = 8 << 20;  // bytes; some 80,000 tensors

// First every tensor is described and checked, then the caller finds the storages, then the tensors
// are loaded: what they need bounds what is read, and nothing is allocated that the file's own
// bytes do not justify.
class TorchObject {
 public:
  struct Storage {
    std::string_view key;
    const ItemType* type = nullptr;  // null: untyped, the tensor says what it holds
    std::uint64_t bytes = 0;         // as the pickle says
    std::uint64_t needed = 0;        // bytes up to the last that a tensor uses
    Bytes content = {};              // for the caller to fill in where some are needed
  };

  // Both must outlive the object; `prefix` goes in front of the tensors' own names.
  TorchObject(const Pickle& pickle, const std::string& file, Take take, std::string prefix = "");

  std::map<std::string_view, Storage>& storages() { return storages_; }
  void add_all_storages();  // those too that no tensor to be taken uses

  void load(ByteOrder order, Tensors& into) const;

 private:
  struct Layout : Strided {
    std::string name;
    const ItemType* type = nullptr;
    Storage* storage = nullptr;
    std::uint64_t available = 0;  // bytes of its storage that it may use
  };

  void walk(const Value& value, std::string& prefix, int depth);
  void walk_into(Value::Handle item, std::string_view key, std::string& prefix, int depth);
  void walk_call(const Value& call, std::string& prefix, int depth);
  void spend(std::size_t work);
  std::string key_text(const Value& key, const std::string& prefix) const;

  void describe(const Value& call, const std::string& name);
  std::string_view callee(const Value& call) const { return pickle_[call.items[0]].text; }
  const Value& argument(const Value& call, std::size_t index, Value::Kind kind,
                        const std::string& name) const;
  const Value& item(const Value& tuple, std::size_t index, Value::Kind kind,
                    const std::string& name) const;
  std::uint64_t size_of(const Value& value, const std::string& name) const;
  std::vector<std::uint64_t> sizes(const Value& tuple, const std::string& name) const;
  const ItemType* item_type(const Value& global, const std::string& name) const;
  Storage& storage(const Value& id, const std::string& name);
  void apply_view(const Value& id, Layout& layout) const;

  void measure(Layout& layout) const;
  void check_repetition() const;
  std::uint64_t times(std::uint64_t a, std::uint64_t b, const std::string& name) const;
  std::uint64_t plus(std::uint64_t a, std::uint64_t b, const std::string& name) const;

  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::bad_format,
                         const std::string& tensor = "",
                         std::optional<std::uint64_t> offset = {}) const;

  const Pickle& pickle_;
  const std::string& file_;
  Take take_;
  std::uint64_t spent_ = 0;
  std::map<std::string_view, Storage> storages_;
  std::vector<Layout> layouts_;
  std::vector<std::string> skipped_;
};

}  // namespace humpty::io
