#include "io/tar.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "humpty/humpty.hpp"

// An archive is a row of members, each a header of 512 bytes and its content, filled up to a
// multiple of 512; two headers of zeros end it. Numbers are octal text, or binary with the first
// bit set. What does not fit into a header stands in a member before it: records "27 path=a/b\n"
// (pax), or the name alone (GNU).
namespace humpty::io {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kSize = 124, kChecksum = 148, kType = 156, kMagic = 257, kPrefix = 345;

std::string_view field(const std::uint8_t* header, std::size_t at, std::size_t size) {
  const std::string_view text = text_of({header + at, size});
  return text.substr(0, text.find('\0'));
}

std::optional<std::uint64_t> octal(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_first_of(" "));
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 8);
  if (text.empty()) return 0;
  if (error != std::errc() || stop != end) return {};
  return value;
}

std::optional<std::uint64_t> number(const std::uint8_t* header, std::size_t at, std::size_t size) {
  if (!(header[at] & 0x80)) return octal(field(header, at, size));
  std::uint64_t value = header[at] & 0x7f;
  for (std::size_t i = 1; i < size; ++i) {
    if (value >> 56) return {};
    value = value << 8 | header[at + i];
  }
  return value;
}

// The sum of all bytes, those of the sum itself taken for spaces.
bool has_checksum(const std::uint8_t* header) {
  std::uint64_t sum = 8 * ' ';
  for (std::size_t i = 0; i < kBlock; ++i)
    if (i < kChecksum || i >= kChecksum + 8) sum += header[i];
  return number(header, kChecksum, 8) == sum;
}

bool is_blank(const std::uint8_t* header) {
  return std::all_of(header, header + kBlock, [](std::uint8_t byte) { return byte == 0; });
}

class TarReader {
 public:
  TarReader(Bytes bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::vector<TarMember> read() {
    while (!is_blank(header())) read_member();
    at_ += kBlock;
    if (!is_blank(header())) fail("has a lone header of zeros");
    return std::move(members_);
  }

 private:
  const std::uint8_t* header() const {
    if (bytes_.size() - at_ < kBlock) fail("is cut short");
    return bytes_.data() + at_;
  }

  void read_member() {
    const std::uint8_t* start = header();
    if (!has_checksum(start)) fail("is damaged: the checksum of a header does not match");
    const char type = static_cast<char>(start[kType]);
    const bool about = type == 'x' || type == 'L' || type == 'g' || type == 'K';
    const auto stated = number(start, kSize, 12);
    if (!stated) fail("has a member whose size is no number");
    const Bytes content = take(!about && next_size_ ? *next_size_ : *stated);
    if (type == 'x') return read_records(text_of(content));
    if (type == 'L') next_name_ = text_of(content).substr(0, text_of(content).find('\0'));
    if (about) return;
    if (type == '0' || type == '\0' || type == '7') add(start, content);
    if (type == 'S') fail("has a sparse member: pack it again without --sparse");
    next_name_.reset();
    next_size_.reset();
  }

  // Moves behind the header, the content and what fills it up.
  Bytes take(std::uint64_t size) {
    const std::uint64_t left = bytes_.size() - at_ - kBlock;
    const std::uint64_t filled = size + (kBlock - size % kBlock) % kBlock;
    if (size > left || filled > left) fail("is cut short");
    const Bytes content = bytes_.subspan(at_ + kBlock, size);
    at_ += kBlock + filled;
    return content;
  }

  void read_records(std::string_view text) {
    while (!text.empty()) {
      std::size_t length = 0;
      const char* end = text.data() + text.size();
      const char* stop = std::from_chars(text.data(), end, length).ptr;
      const auto digits = static_cast<std::size_t>(stop - text.data());
      if (length > text.size() || length < digits + 2 || text[digits] != ' ' ||
          text[length - 1] != '\n')
        fail("has a pax record that says its length wrongly");
      read_record(text.substr(digits + 1, length - digits - 2));
      text.remove_prefix(length);
    }
  }

  void read_record(std::string_view record) {
    constexpr std::string_view path = "path=", size = "size=";
    if (record.starts_with(path)) next_name_ = record.substr(path.size());
    if (!record.starts_with(size)) return;
    record.remove_prefix(size.size());
    std::uint64_t value = 0;
    const char* end = record.data() + record.size();
    const auto [stop, error] = std::from_chars(record.data(), end, value);
    if (error != std::errc() || stop != end) fail("has a member whose size is no number");
    next_size_ = value;
  }

  void add(const std::uint8_t* start, Bytes content) {
    std::string name(field(start, 0, 100));
    const std::string_view prefix = field(start, kPrefix, 155);
    if (text_of({start + kMagic, 6}) == std::string_view("ustar\0", 6) && !prefix.empty())
      name = fmt::format("{}/{}", prefix, name);
    if (next_name_) name = *next_name_;
    if (name.ends_with('/')) return;  // a folder, as the old format has it
    if (!names_.insert(name).second)
      fail(fmt::format("has two members called '{}'", shortened(name)));
    members_.push_back({std::move(name), content});
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::bad_format, "the tar archive " + message,
                {.file = file_, .offset = at_});
  }

  Bytes bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::optional<std::string> next_name_;  // of the next member, where its header does not say
  std::optional<std::uint64_t> next_size_;
  std::vector<TarMember> members_;
  std::set<std::string> names_;
};

}  // namespace

bool is_tar(Bytes start) {
  return start.size() >= kBlock && !is_blank(start.data()) && has_checksum(start.data());
}

std::vector<TarMember> read_tar(Bytes bytes, const std::string& file) {
  return TarReader(bytes, file).read();
}

}  // namespace humpty::io
