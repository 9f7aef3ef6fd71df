#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/inflate.hpp"
#include "io/zip.hpp"

namespace humpty::io {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLocalSize = 30;
constexpr std::uint16_t kUtf8Name = 0x0800;

// What the local and the central header have in common: version needed … uncompressed size.
void append_common(std::string& out, std::uint32_t crc, std::uint32_t size) {
  append_le<std::uint16_t>(out, 20);         // version needed
  append_le<std::uint16_t>(out, kUtf8Name);  // flags
  append_le<std::uint16_t>(out, 0);          // stored
  append_le<std::uint16_t>(out, 0);          // time: midnight,
  append_le<std::uint16_t>(out, 0x21);       // 1 January 1980, so that equal nets give equal files
  append_le(out, crc);
  append_le(out, size);  // packed
  append_le(out, size);
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view content) {
  if (archive_.size() + directory_.size() + content.size() > 0xf0000000 || entries_ == 0xfffe)
    throw Error(ErrorCode::too_large, "more than a plain zip archive can hold (4 GiB)");
  if (name.size() > 0xffff)
    throw Error(ErrorCode::too_large,
                fmt::format("the name '{}' is too long for a zip archive", shortened(name)));
  const auto header = static_cast<std::uint32_t>(archive_.size());
  const auto size = static_cast<std::uint32_t>(content.size());
  const std::uint32_t crc = crc32(bytes_of(content));
  const std::size_t before = header + kLocalSize + name.size() + 4;
  const std::size_t padding = (kAlignment - before % kAlignment) % kAlignment;
  archive_ += "PK\3\4";
  append_common(archive_, crc, size);
  append_le(archive_, static_cast<std::uint16_t>(name.size()));
  append_le(archive_, static_cast<std::uint16_t>(4 + padding));
  archive_ += name;
  archive_ += "FB";  // PyTorch's own mark for padding
  append_le(archive_, static_cast<std::uint16_t>(padding));
  archive_.append(padding, 'Z');
  archive_ += content;

  directory_ += "PK\1\2";
  append_le<std::uint16_t>(directory_, 20);  // version made by
  append_common(directory_, crc, size);
  append_le(directory_, static_cast<std::uint16_t>(name.size()));
  directory_.append(12, '\0');  // no extra field, comment, disk number or attributes
  append_le(directory_, header);
  directory_ += name;
  ++entries_;
}

std::string ZipWriter::finish() && {
  const auto offset = static_cast<std::uint32_t>(archive_.size());
  archive_ += directory_;
  archive_ += "PK\5\6";
  append_le<std::uint32_t>(archive_, 0);  // disk numbers
  append_le(archive_, entries_);
  append_le(archive_, entries_);
  append_le(archive_, static_cast<std::uint32_t>(directory_.size()));
  append_le(archive_, offset);
  append_le<std::uint16_t>(archive_, 0);  // no comment
  return std::move(archive_);
}

}  // namespace humpty::io
