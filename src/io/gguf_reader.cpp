#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/gguf.hpp"

// A file is "GGUF", a version, the numbers of tensors and of facts, the facts (a key, a type and a
// value each), for each tensor its name, shape, type and offset, and then, from the next multiple
// of the alignment on, the tensors' bytes. Of the facts only general.alignment matters here; the
// others are stepped over.
namespace humpty::io {
namespace {

constexpr std::string_view kMagic = "GGUF", kAlignmentKey = "general.alignment";
constexpr int kMostNesting = 16;  // arrays of arrays
constexpr std::uint32_t kMostDims = 4;

enum FactType : std::uint32_t { uint32 = 4, text = 8, array = 9 };

// Bytes of a fact by its type; text and arrays say their own.
constexpr std::array<std::uint64_t, 13> kFactSizes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

struct ItemType {
  std::string_view name;  // empty: the number was never used, or no longer is
  std::optional<DType> floats = {};
  bool integer = false;
};

// By number.
constexpr std::array<ItemType, 40> kItemTypes{{
    {"F32", DType::float32},
    {"F16", DType::float16},
    {"Q4_0"},
    {"Q4_1"},
    {""},
    {""},
    {"Q5_0"},
    {"Q5_1"},
    {"Q8_0"},
    {"Q8_1"},
    {"Q2_K"},
    {"Q3_K"},
    {"Q4_K"},
    {"Q5_K"},
    {"Q6_K"},
    {"Q8_K"},
    {"IQ2_XXS"},
    {"IQ2_XS"},
    {"IQ3_XXS"},
    {"IQ1_S"},
    {"IQ4_NL"},
    {"IQ3_S"},
    {"IQ2_S"},
    {"IQ4_XS"},
    {"int8", {}, true},
    {"int16", {}, true},
    {"int32", {}, true},
    {"int64", {}, true},
    {"F64", DType::float64},
    {"IQ1_M"},
    {"BF16", DType::bfloat16},
    {""},
    {""},
    {""},
    {"TQ1_0"},
    {"TQ2_0"},
    {""},
    {""},
    {""},
    {"MXFP4"},
}};

struct Info {
  std::string name;
  std::vector<std::uint64_t> shape;
  DType dtype = DType::float32;
  std::uint64_t offset = 0, size = 0;  // bytes, from the start of the data
};

class GgufReader {
 public:
  GgufReader(Bytes bytes, const std::string& file) : bytes_(bytes) { result_.file = file; }

  Tensors read() {
    if (!is_gguf(bytes_)) fail("does not start with GGUF");
    next_ = kMagic.size();
    const std::uint32_t version = number<std::uint32_t>();
    if (version != 2 && version != 3)
      fail(fmt::format("is of version {} of GGUF, or big-endian; 2 and 3 can be read", version));
    const std::uint64_t tensors = number<std::uint64_t>(), facts = number<std::uint64_t>();
    for (std::uint64_t i = 0; i < facts; ++i) read_fact();
    for (std::uint64_t i = 0; i < tensors; ++i) read_info();
    find_data();
    check_overlaps();
    for (Info& info : infos_) {
      std::vector<float> values = decode(info.dtype, data_.subspan(info.offset, info.size));
      result_.tensors.push_back(
          {std::move(info.name), std::move(info.shape), info.dtype, std::move(values)});
    }
    check_names(result_.tensors, result_.file);
    return std::move(result_);
  }

 private:
  // ------------------------------------------------------------------------------------- facts

  void read_fact() {
    const std::string_view key = take_text();
    const std::uint32_t type = number<std::uint32_t>();
    if (key == kAlignmentKey && type == uint32)
      read_alignment();
    else
      skip_value(type, 0);
  }

  void read_alignment() {
    alignment_ = number<std::uint32_t>();
    if (alignment_ == 0 || (alignment_ & (alignment_ - 1)) != 0)
      fail(fmt::format("has an alignment of {}, which is no power of two", alignment_));
  }

  void skip_value(std::uint32_t type, int depth) {
    if (type == text) {
      take_text();
    } else if (type == array) {
      if (depth == kMostNesting) fail("nests arrays too deeply", ErrorCode::too_large);
      const std::uint32_t inner = number<std::uint32_t>();
      const std::uint64_t count = number<std::uint64_t>();
      if (inner == text || inner == array)
        for (std::uint64_t i = 0; i < count; ++i) skip_value(inner, depth + 1);
      else
        take_many(count, fact_size(inner));
    } else {
      take(fact_size(type));
    }
  }

  std::uint64_t fact_size(std::uint32_t type) const {
    if (type >= kFactSizes.size()) fail(fmt::format("has a fact of unknown type {}", type));
    return kFactSizes[type];
  }

  // ----------------------------------------------------------------------------------- tensors

  void read_info() {
    Info info;
    info.name = take_text();
    info.shape = take_shape(info.name);
    const std::uint32_t number_of_type = number<std::uint32_t>();
    info.offset = number<std::uint64_t>();
    const ItemType type =
        number_of_type < kItemTypes.size() ? kItemTypes[number_of_type] : ItemType{""};
    if (type.integer) {
      result_.skipped.push_back(not_read(info.name, type.name));
      return;
    }
    if (type.name.empty()) fail(fmt::format("is of unknown type {}", number_of_type), info.name);
    if (!type.floats)
      fail(fmt::format("is quantised ({}); dequantise it first", type.name), info.name);
    info.dtype = *type.floats;
    const Where where{.file = result_.file, .tensor = shortened(info.name), .offset = next_};
    info.size = count_items(info.shape, where) * item_size(info.dtype);
    infos_.push_back(std::move(info));
  }

  std::vector<std::uint64_t> take_shape(const std::string& name) {
    const std::uint32_t dims = number<std::uint32_t>();
    if (dims > kMostDims) fail(fmt::format("has {} dimensions", dims), name);
    std::vector<std::uint64_t> shape(dims);
    for (std::uint64_t& size : shape) size = number<std::uint64_t>();
    std::reverse(shape.begin(), shape.end());
    return shape;
  }

  void find_data() {
    const std::uint64_t padding = (alignment_ - next_ % alignment_) % alignment_;
    data_ = bytes_.subspan(next_ + std::min<std::uint64_t>(padding, bytes_.size() - next_));
    for (const Info& info : infos_)
      if (info.offset % alignment_ != 0 || info.offset > data_.size() ||
          info.size > data_.size() - info.offset)
        fail(fmt::format("needs {} bytes from byte {} on, but the data has {}, or that is no "
                         "multiple of the alignment",
                         info.size, info.offset, data_.size()),
             info.name);
  }

  void check_overlaps() const {
    std::vector<const Info*> sorted;
    for (const Info& info : infos_) sorted.push_back(&info);
    std::sort(sorted.begin(), sorted.end(), [](const Info* a, const Info* b) {
      return std::pair(a->offset, a->size) < std::pair(b->offset, b->size);
    });
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i - 1]->offset + sorted[i - 1]->size > sorted[i]->offset)
        fail(fmt::format("overlaps '{}'", shortened(sorted[i - 1]->name)), sorted[i]->name);
  }

  // ------------------------------------------------------------------------------------- bytes

  Bytes take(std::uint64_t size) {
    if (size > bytes_.size() - next_) fail("is cut short");
    next_ += size;
    return bytes_.subspan(next_ - size, size);
  }

  void take_many(std::uint64_t count, std::uint64_t size) {
    if (count > bytes_.size()) fail("is cut short");
    take(count * size);
  }

  template <class T>
  T number() {
    return load_le<T>(take(sizeof(T)).data());
  }

  std::string_view take_text() { return text_of(take(number<std::uint64_t>())); }

  [[noreturn]] void fail(const std::string& message, ErrorCode code) const {
    throw Error(code, message, {.file = result_.file, .offset = next_});
  }
  [[noreturn]] void fail(const std::string& message, const std::string& tensor = "") const {
    throw Error(ErrorCode::bad_format, message,
                {.file = result_.file, .tensor = shortened(tensor), .offset = next_});
  }

  Bytes bytes_, data_;
  std::uint64_t next_ = 0, alignment_ = 32;
  std::vector<Info> infos_;
  Tensors result_;
};

}  // namespace

bool is_gguf(Bytes bytes) { return text_of(bytes).starts_with(kMagic); }

Tensors read_gguf(const std::string& path) {
  const File file(path);
  return read_gguf(file.bytes(), path);
}

Tensors read_gguf(Bytes bytes, const std::string& file) { return GgufReader(bytes, file).read(); }

}  // namespace humpty::io
