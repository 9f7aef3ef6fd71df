#include "io/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "humpty/humpty.hpp"
#include "io/json_events.hpp"

// A file starts with the length of its header (64 bits), then comes the header, which is JSON,
//   {"__metadata__": {"k": "v"}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
//   24]}}
// perhaps with spaces behind it, and then the bytes that the offsets count.
namespace humpty::io {
namespace {

constexpr std::uint64_t kMostHeader = 100'000'000;  // the limit of the format's own library

struct ItemType {
  std::string_view name;
  std::uint64_t bits;
  std::optional<DType> floats = {};
};

constexpr std::array kItemTypes{
    ItemType{"F64", 64, DType::float64},
    ItemType{"F32", 32, DType::float32},
    ItemType{"F16", 16, DType::float16},
    ItemType{"BF16", 16, DType::bfloat16},
    ItemType{"I64", 64},
    ItemType{"I32", 32},
    ItemType{"I16", 16},
    ItemType{"I8", 8},
    ItemType{"U64", 64},
    ItemType{"U32", 32},
    ItemType{"U16", 16},
    ItemType{"U8", 8},
    ItemType{"BOOL", 8},
    ItemType{"C64", 64},
    ItemType{"F8_E4M3", 8},
    ItemType{"F8_E5M2", 8},
    ItemType{"F8_E8M0", 8},
    ItemType{"F8_E4M3FNUZ", 8},
    ItemType{"F8_E5M2FNUZ", 8},
    ItemType{"F6_E2M3", 6},
    ItemType{"F6_E3M2", 6},
    ItemType{"F4", 4},
};

class HeaderEvents : public JsonEvents {
 public:
  HeaderEvents(const std::string& file, SafetensorsHeader& header)
      : JsonEvents(file, "the header", 8), header_(header) {}

  bool key(string_t& key) override {
    key_ = std::move(key);
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::header;
    } else if (place_ == Place::header && key_ == kMetadataKey) {
      place_ = Place::metadata;
    } else if (place_ == Place::header) {
      place_ = Place::tensor;
      header_.entries.emplace_back().name = key_;
      seen_ = {};
    } else {
      refuse("an object");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor && !(seen_.type && seen_.shape && seen_.offsets == 2))
      fail(fmt::format("does not say type, shape and both offsets of {}", place()));
    place_ = place_ == Place::header ? Place::outside : Place::header;
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) {
      if (!header_.metadata.emplace(key_, text).second) twice();
    } else if (place_ == Place::tensor && key_ == "dtype") {
      if (std::exchange(seen_.type, true)) twice();
      entry().type = std::move(text);
    } else {
      refuse("text");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::tensor && key_ == "shape") {
      if (std::exchange(seen_.shape, true)) twice();
      place_ = Place::shape;
    } else if (place_ == Place::tensor && key_ == "data_offsets") {
      if (seen_.offsets > 0) twice();
      place_ = Place::offsets;
    } else {
      refuse("an array");
    }
    return true;
  }

  bool end_array() override {
    place_ = Place::tensor;
    return true;
  }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ == Place::shape && entry().shape.size() < kMostDimensions)
      entry().shape.push_back(number);
    else if (place_ == Place::offsets && seen_.offsets < 2)
      (seen_.offsets++ == 0 ? entry().begin : entry().end) = number;
    else
      refuse("a number");
    return true;
  }

 private:
  enum class Place { outside, header, metadata, tensor, shape, offsets };

  SafetensorsHeader::Entry& entry() { return header_.entries.back(); }

  [[noreturn]] void twice() const { fail(fmt::format("says '{}' twice", shortened(key_))); }

  std::string place() const override {
    if (place_ == Place::outside || place_ == Place::header) return "at the top";
    if (place_ == Place::metadata) return std::string(kMetadataKey);
    return fmt::format("tensor '{}'", shortened(header_.entries.back().name));
  }

  SafetensorsHeader& header_;
  Place place_ = Place::outside;
  std::string key_;
  struct {
    bool type = false, shape = false;
    int offsets = 0;
  } seen_;
};

class Checker {
 public:
  explicit Checker(const std::string& file) : file_(file) {}

  void check(SafetensorsHeader& header) const {
    auto& entries = header.entries;
    std::vector<std::string_view> names;
    for (const auto& entry : entries) names.push_back(entry.name);
    check_names(std::move(names), file_);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (auto& entry : entries) {
      if (entry.begin != end || entry.end < entry.begin)
        fail(fmt::format("has its data at bytes {} to {}, but what lies before it ends at {}: {}",
                         entry.begin, entry.end, end, entry.begin < end ? "they overlap" : "a gap"),
             entry.name);
      check_size(entry);
      end = entry.end;
    }
    if (end != header.data.size())
      fail(
          fmt::format("is cut short or too long: its tensors take {} bytes, but {} follow the "
                      "header",
                      end, header.data.size()));
  }

 private:
  void check_size(SafetensorsHeader::Entry& entry) const {
    const std::uint64_t count =
        count_items(entry.shape, {.file = file_, .tensor = shortened(entry.name)});
    const auto* type = std::find_if(kItemTypes.begin(), kItemTypes.end(),
                                    [&](const ItemType& each) { return each.name == entry.type; });
    if (type == kItemTypes.end()) return;  // nobody can tell the size
    entry.dtype = type->floats;
    const std::uint64_t size =  // count × 8 does not overflow, see count_items
        type->bits < 8 ? (count * type->bits + 7) / 8 : count * (type->bits / 8);
    if (size != entry.end - entry.begin)
      fail(fmt::format("of {} items of type {} has {} bytes", count, type->name,
                       entry.end - entry.begin),
           entry.name);
  }

  [[noreturn]] void fail(const std::string& message, std::string_view tensor = "") const {
    throw Error(ErrorCode::bad_format, message, {.file = file_, .tensor = shortened(tensor)});
  }

  const std::string& file_;
};

}  // namespace

SafetensorsHeader read_safetensors_header(Bytes bytes, const std::string& file) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorCode::bad_format, message, {.file = file, .offset = 0});
  };
  if (bytes.size() < 8) fail("is cut short: a safetensors file starts with 8 bytes of length");
  const std::uint64_t length = load_le<std::uint64_t>(bytes.data());
  if (length > kMostHeader || length > bytes.size() - 8)
    fail(fmt::format("is cut short, or no safetensors file: its header should have {} bytes",
                     length));
  SafetensorsHeader header;
  header.data = bytes.subspan(8 + length);
  HeaderEvents(file, header).parse(text_of(bytes.subspan(8, length)));
  Checker(file).check(header);
  return header;
}

std::string_view safetensors_type(DType dtype) {
  return std::find_if(kItemTypes.begin(), kItemTypes.end(),
                      [&](const ItemType& each) { return each.floats == dtype; })
      ->name;
}

}  // namespace humpty::io
