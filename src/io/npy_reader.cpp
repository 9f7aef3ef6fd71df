#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/inflate.hpp"
#include "io/npy.hpp"
#include "io/strided.hpp"
#include "io/zip.hpp"

// An .npy starts with "\x93NUMPY", its version (two bytes) and the length of its header (two bytes
// in version 1, four later). The header is a Python literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
// with spaces behind it, and is read here as exactly that: three keys, in any order, and nothing
// else. Then come the items.
namespace humpty::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY", kExtension = ".npy";

struct Header {
  std::string_view type;  // "<f4"; "records" for a structured one
  bool fortran = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t end = 0;  // where the items start
};

class HeaderReader {
 public:
  HeaderReader(Bytes bytes, const std::string& file, const std::string& name)
      : text_(text_of(bytes)), file_(file), name_(name) {}

  Header read() {
    find_literal();
    expect('{');
    while (!next_is('}')) {
      read_member();
      if (records()) return header_;
      if (!next_is(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (at_ != header_.end || !has_type_ || !has_order_ || !has_shape_)
      fail("has a header that does not say type, order and shape, or more");
    return header_;
  }

  bool records() const { return header_.type == "records"; }

 private:
  void find_literal() {
    if (!text_.starts_with(kMagic)) fail("is no .npy: it does not start with \\x93NUMPY");
    at_ = kMagic.size();
    const std::uint8_t version = *take(2);
    if (version < 1 || version > 3)
      fail(fmt::format("is of version {} of the .npy format; 1 to 3 are known", version));
    const std::uint64_t length =
        version == 1 ? load_le<std::uint16_t>(take(2)) : load_le<std::uint32_t>(take(4));
    if (length > text_.size() - at_) fail("is cut short: its header ends behind the file");
    header_.end = at_ + length;
    text_ = text_.substr(0, header_.end);
  }

  void read_member() {
    const std::string_view key = read_text();
    expect(':');
    skip_spaces();
    if (key == "descr")
      read_type();
    else if (key == "fortran_order")
      read_order();
    else if (key == "shape")
      read_shape();
    else
      fail(fmt::format("has '{}' in its header", shortened(key)));
  }

  void read_type() {
    once(has_type_);
    header_.type = text_.substr(at_).starts_with('[') ? "records" : read_text();
  }

  void read_order() {
    once(has_order_);
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      header_.fortran = value;
      return;
    }
    fail("has a header whose order is neither True nor False");
  }

  void read_shape() {
    once(has_shape_);
    expect('(');
    while (!next_is(')')) {
      if (header_.shape.size() == kMostDimensions) fail("has more than 64 dimensions");
      header_.shape.push_back(read_size());
      if (next_is(',')) continue;
      expect(')');
      break;
    }
  }

  // Python 2 wrote large sizes as "3L".
  std::uint64_t read_size() {
    skip_spaces();
    std::uint64_t size = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, size);
    if (error == std::errc::result_out_of_range)
      fail("has a size beyond 64 bits", ErrorCode::too_large);
    if (error != std::errc()) fail("has a shape that is not made of sizes");
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (text_.substr(at_).starts_with('L')) ++at_;
    return size;
  }

  std::string_view read_text() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = text_.find(quote, at_ + 1);
    if ((quote != '\'' && quote != '"') || end == text_.npos)
      fail("has a header with something else where text should be");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    if (found.find('\\') != found.npos) fail("has a header with a backslash");
    at_ = end + 1;
    return found;
  }

  void once(bool& seen) {
    if (std::exchange(seen, true)) fail("has a header that says the same twice");
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool next_is(char wanted) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!next_is(wanted)) fail(fmt::format("has a header without '{}' at this place", wanted));
  }

  const std::uint8_t* take(std::size_t size) {
    if (size > text_.size() - at_) fail("is cut short");
    at_ += size;
    return bytes_of(text_).data() + at_ - size;
  }

  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::bad_format) const {
    throw Error(code, message, {.file = file_, .tensor = shortened(name_), .offset = at_});
  }

  std::string_view text_;
  const std::string &file_, &name_;
  std::size_t at_ = 0;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
  Header header_;
};

std::optional<DType> float_type(std::string_view type) {
  if (type.size() != 3 || (type[0] != '<' && type[0] != '>')) return {};
  if (type.ends_with("f8")) return DType::float64;
  if (type.ends_with("f4")) return DType::float32;
  if (type.ends_with("f2")) return DType::float16;
  return {};
}

// "<i8" is int64: a kind and a number of bytes.
std::string type_word(std::string_view type) {
  const std::string_view kind = type.substr(0, 2).substr(std::min<std::size_t>(type.size(), 1));
  const std::string_view word = kind == "i"   ? "int"
                                : kind == "u" ? "uint"
                                : kind == "f" ? "float"
                                : kind == "c" ? "complex"
                                              : "";
  unsigned size = 0;
  const char* end = type.data() + type.size();
  if (!word.empty() && std::from_chars(type.data() + 2, end, size).ptr == end && size < 100)
    return fmt::format("{}{}", word, 8 * size);
  if (kind == "b") return "bool";
  if (kind == "O") return "an array of Python objects";
  return fmt::format("type '{}'", shortened(type));
}

std::vector<std::uint64_t> strides(const Header& header) {
  std::vector<std::uint64_t> all(header.shape.size());
  std::uint64_t stride = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t d = header.fortran ? i : all.size() - 1 - i;
    all[d] = stride;
    stride *= header.shape[d];
  }
  return all;
}

void read_array(Bytes bytes, const std::string& name, Take take, Tensors& result) {
  const Header header = HeaderReader(bytes, result.file, name).read();
  const std::optional<DType> dtype = float_type(header.type);
  const std::string word = type_word(header.type);
  const auto whole = take == Take::numbers ? whole_type(word) : std::nullopt;
  if (!dtype && !whole) return result.skipped.push_back(not_read(name, word));
  const Where where{.file = result.file, .tensor = shortened(name), .offset = header.end};
  const std::uint64_t count = count_items(header.shape, where);
  const Bytes items = bytes.subspan(header.end);
  const std::uint64_t needed = count * (dtype ? item_size(*dtype) : whole->size);
  if (items.size() != needed)
    throw Error(
        ErrorCode::bad_format,
        fmt::format("needs {} bytes for its items, but {} follow the header", needed, items.size()),
        where);
  const ByteOrder order = header.type[0] == '>' ? ByteOrder::big : ByteOrder::little;
  const Strided strided{header.shape, strides(header), 0, count};
  std::optional<std::vector<float>> values;
  if (dtype)
    values = decode(*dtype, strided, items, order);
  else
    values = decode(*whole, strided, items, order);
  if (!values) return result.skipped.push_back(not_exact(name, word));
  result.tensors.push_back(
      {name, header.shape, dtype.value_or(DType::float32), std::move(*values), {}, !dtype});
}

}  // namespace

bool is_npy(Bytes bytes) { return text_of(bytes).starts_with(kMagic); }

Tensors read_npy(const std::string& path) {
  const File file(path);
  return read_npy(file.bytes(), path);
}

Tensors read_npy(Bytes bytes, const std::string& file, Take take) {
  Tensors result{file, {}};
  read_array(bytes, "", take, result);
  return result;
}

Tensors read_npz(const std::string& path) {
  const File file(path);
  return read_npz(file.bytes(), path);
}

Tensors read_npz(Bytes bytes, const std::string& file, Take take) {
  const Zip zip(bytes, file);
  Tensors result{file, {}};
  std::uint64_t budget = most_inflated(bytes.size());
  for (const Zip::Entry& entry : zip.entries()) {
    if (!entry.name.ends_with(kExtension)) {
      result.skipped.push_back(fmt::format("entry '{}': no .npy", shortened(entry.name)));
      continue;
    }
    const Content content = zip.read(entry, entry.stored() ? entry.size : budget);
    if (!entry.stored()) budget -= content.bytes().size();
    const std::size_t length = entry.name.size() - kExtension.size();
    read_array(content.bytes(), std::string(entry.name.substr(0, length)), take, result);
  }
  if (result.tensors.empty() && result.skipped.empty())
    throw Error(ErrorCode::bad_format, "is an empty archive", {.file = file});
  return result;
}

}  // namespace humpty::io
