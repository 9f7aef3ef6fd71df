#include "io/zip.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "humpty/humpty.hpp"
#include "io/inflate.hpp"

// The format is APPNOTE.TXT of PKWARE. An archive ends with a record that says where the central
// directory is; the directory has a header for each entry, which repeats and completes the local
// header in front of the entry's content. What the two say must agree here: an archive that two
// readers could read differently is refused.
namespace humpty::io {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::size_t kEnd64Size = 56, kLocator64Size = 20;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the real number is in the zip64 field
constexpr std::uint16_t kEncrypted = 1, kSizesFollow = 8;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint64_t kMostInflation = 1032;  // deflate's best: 258 bytes from two bits

std::uint16_t u16(const std::uint8_t* at) { return load_le<std::uint16_t>(at); }
std::uint32_t u32(const std::uint8_t* at) { return load_le<std::uint32_t>(at); }
std::uint64_t u64(const std::uint8_t* at) { return load_le<std::uint64_t>(at); }

std::string called(const Zip::Entry& entry) {
  return fmt::format("entry '{}'", shortened(entry.name));
}

}  // namespace

Zip::Zip(Bytes bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {
  const Directory directory = find_directory();
  std::uint64_t offset = directory.offset;
  for (std::uint64_t number = 0; number < directory.entries; ++number)
    offset = read_central_header(offset, directory.end);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    read_local_header(entries_[i]);
    if (!by_name_.emplace(entries_[i].name, i).second)
      fail(entries_[i].header, called(entries_[i]) + " is there twice");
  }
  check_overlaps(directory.offset);
}

// The last record ends with the file; a comment of up to 64 KiB may stand between its numbers and
// the end.
Zip::Directory Zip::find_directory() const {
  if (bytes_.size() >= kEndSize) {
    const std::uint64_t last = bytes_.size() - kEndSize;
    const std::uint64_t first = last - std::min<std::uint64_t>(last, 0xffff);
    for (std::uint64_t offset = last + 1; offset-- > first;) {
      const std::uint8_t* record = bytes_.data() + offset;
      if (u32(record) != kEnd || u16(record + 20) != last - offset) continue;
      if (offset >= kLocator64Size && u32(record - kLocator64Size) == kLocator64)
        return read_end64(offset - kLocator64Size);
      Directory directory{u32(record + 16), 0, u16(record + 10)};
      directory.end = directory.offset + u32(record + 12);
      if (directory.end > offset) fail(offset, "the zip's directory lies outside the file");
      return directory;
    }
  }
  throw Error(ErrorCode::bad_format, "not a zip archive, or cut short: its directory is missing",
              {.file = file_});
}

Zip::Directory Zip::read_end64(std::uint64_t locator) const {
  const std::uint64_t offset = u64(bytes_.data() + locator + 8);
  const std::uint8_t* record = at(offset, kEnd64Size, "the zip64 end record");
  if (u32(record) != kEnd64) fail(offset, "this should be a zip64 end record");
  Directory directory{u64(record + 48), 0, u64(record + 32)};
  const std::uint64_t size = u64(record + 40);
  at(directory.offset, size, "the zip's directory");
  directory.end = directory.offset + size;
  if (directory.end > offset) fail(offset, "the zip's directory lies outside the file");
  return directory;
}

std::uint64_t Zip::read_central_header(std::uint64_t offset, std::uint64_t end) {
  if (end - offset < kCentralSize) fail(offset, "the zip's directory is cut short");
  const std::uint8_t* header = bytes_.data() + offset;
  if (u32(header) != kCentral) fail(offset, "this should be an entry of the zip's directory");
  const std::size_t name = u16(header + 28), extra = u16(header + 30), comment = u16(header + 32);
  if (end - offset - kCentralSize < name + extra + comment)
    fail(offset, "the zip's directory is cut short");
  Entry entry;
  entry.name = text_of({header + kCentralSize, name});
  entry.flags = u16(header + 8);
  entry.method = u16(header + 10);
  entry.crc = u32(header + 16);
  entry.packed = u32(header + 20);
  entry.size = u32(header + 24);
  entry.header = u32(header + 42);
  read_extra64(entry, {header + kCentralSize + name, extra}, true);
  entries_.push_back(entry);
  return offset + kCentralSize + name + extra + comment;
}

// The zip64 field holds, in this order, those of the numbers that read 0xffffffff in the header.
void Zip::read_extra64(Entry& entry, Bytes extra, bool central) const {
  while (extra.size() >= 4) {
    const std::size_t size = std::min<std::size_t>(u16(extra.data() + 2), extra.size() - 4);
    Bytes field = extra.subspan(4, size);
    if (u16(extra.data()) == 1) {
      const auto take = [&](std::uint64_t& number) {
        if (number != kIn64 || field.size() < 8) return;
        number = u64(field.data());
        field = field.subspan(8);
      };
      take(entry.size);
      take(entry.packed);
      if (central) take(entry.header);
    }
    extra = extra.subspan(4 + size);
  }
}

void Zip::read_local_header(Entry& entry) const {
  const std::string what = called(entry);
  const std::uint8_t* header = at(entry.header, kLocalSize, what);
  if (u32(header) != kLocal) fail(entry.header, what + " does not start here");
  const std::size_t name = u16(header + 26), extra = u16(header + 28);
  at(entry.header, kLocalSize + name + extra, what);
  entry.data = entry.header + kLocalSize + name + extra;
  at(entry.data, entry.packed, what);

  Entry local = entry;
  local.packed = u32(header + 18);
  local.size = u32(header + 22);
  read_extra64(local, {header + kLocalSize + name, extra}, false);
  const bool unset = (u16(header + 6) & kSizesFollow) && local.packed == 0 && local.size == 0;
  if (!unset && (local.packed != entry.packed || local.size != entry.size))
    fail(entry.header, fmt::format("{} lies about its size: {} bytes ({} packed) here, {} ({} "
                                   "packed) in the directory",
                                   what, local.size, local.packed, entry.size, entry.packed));
  if (text_of({header + kLocalSize, name}) != entry.name || u16(header + 8) != entry.method)
    fail(entry.header, what + " differs from what the directory says");
}

void Zip::check_overlaps(std::uint64_t directory) const {
  std::vector<const Entry*> sorted;
  for (const Entry& entry : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry* a, const Entry* b) { return a->header < b->header; });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::uint64_t next = i + 1 < sorted.size() ? sorted[i + 1]->header : directory;
    if (sorted[i]->data + sorted[i]->packed > next)
      fail(sorted[i]->header, called(*sorted[i]) + " overlaps what follows");
  }
}

const Zip::Entry* Zip::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

Content Zip::read(const Entry& entry, std::uint64_t limit) const {
  const auto refuse = [&](const std::string& why) {
    fail(entry.header, fmt::format("{} {}", called(entry), why));
  };
  if (entry.flags & kEncrypted) refuse("is encrypted");
  if (entry.method != kStored && entry.method != kDeflated)
    refuse(fmt::format("is packed by method {}; only stored and deflated ones can be read",
                       entry.method));
  if (entry.size > limit)
    refuse(fmt::format("holds {} bytes, more than the {} that are needed", entry.size, limit));
  if (entry.stored() && entry.size != entry.packed)
    refuse(fmt::format("lies about its size: {} bytes stored as {}", entry.size, entry.packed));
  Content content =
      entry.stored() ? Content(bytes_.subspan(entry.data, entry.size)) : Content(inflate(entry));
  const Bytes bytes = content.bytes();
  if (entry.crc != 0 && crc32(bytes) != entry.crc)
    refuse("is damaged: its checksum does not match");
  return content;
}

std::vector<std::uint8_t> Zip::inflate(const Entry& entry) const {
  const auto refuse = [&](std::string_view why) {
    fail(entry.data, fmt::format("{} {}", called(entry), why));
  };
  if (entry.size / kMostInflation > entry.packed)
    refuse(
        fmt::format("lies about its size: {} bytes never inflate to {}", entry.packed, entry.size));
  std::vector<std::uint8_t> out(entry.size);
  const Inflated inflated = io::inflate(bytes_.subspan(entry.data, entry.packed), out);
  if (inflated.end == InflateEnd::too_long) refuse("inflates past the size it claims");
  if (inflated.end == InflateEnd::cut_short) refuse("is cut short");
  if (inflated.end == InflateEnd::damaged) refuse("is damaged: it does not inflate");
  if (inflated.written != entry.size || inflated.read != entry.packed)
    refuse("lies about its size");
  return out;
}

const std::uint8_t* Zip::at(std::uint64_t offset, std::uint64_t size, std::string_view what) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    fail(offset, fmt::format("{} lies outside the file", what));
  return bytes_.data() + offset;
}

void Zip::fail(std::uint64_t offset, const std::string& message) const {
  throw Error(ErrorCode::bad_format, message, {.file = file_, .offset = offset});
}

}  // namespace humpty::io
