// Zip archives as PyTorch and others write them: stored and deflated entries, zip64. The reader
// believes nothing: every size and offset is checked against the file before it is used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace humpty::io {

// An entry's content: a view into the archive if it was stored, inflated bytes otherwise.
class Content {
 public:
  explicit Content(Bytes view) : bytes_(view) {}
  explicit Content(std::vector<std::uint8_t> owned) : owned_(std::move(owned)), bytes_(owned_) {}
  Content(Content&&) = default;  // moving a vector leaves its bytes where they are
  Content& operator=(Content&&) = default;

  Bytes bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> owned_;
  Bytes bytes_;
};

class Zip {
 public:
  struct Entry {
    std::string_view name;
    std::uint64_t header = 0;  // offset of its local header
    std::uint64_t data = 0;    // offset of its content
    std::uint64_t packed = 0;  // bytes in the archive
    std::uint64_t size = 0;    // bytes of content
    std::uint32_t crc = 0;
    std::uint16_t flags = 0, method = 0;

    bool stored() const { return method == 0; }
  };

  // `bytes` must outlive the archive and every Content read from it; `file` is for messages.
  Zip(Bytes bytes, std::string file);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;  // null: there is none

  // At most `limit` bytes, or an Error; never makes room for more. The checksum is checked unless
  // it is zero, which is what PyTorch writes when told not to compute any.
  Content read(const Entry& entry, std::uint64_t limit) const;

 private:
  struct Directory {
    std::uint64_t offset = 0, end = 0, entries = 0;
  };
  Directory find_directory() const;
  Directory read_end64(std::uint64_t locator) const;
  std::uint64_t read_central_header(std::uint64_t offset, std::uint64_t end);
  void read_extra64(Entry& entry, Bytes extra, bool central) const;
  void read_local_header(Entry& entry) const;
  void check_overlaps(std::uint64_t directory) const;
  std::vector<std::uint8_t> inflate(const Entry& entry) const;

  const std::uint8_t* at(std::uint64_t offset, std::uint64_t size, std::string_view what) const;
  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const;

  Bytes bytes_;
  std::string file_;
  std::vector<Entry> entries_;
  std::map<std::string_view, std::size_t> by_name_;
};

// Builds an archive of stored entries whose contents start at multiples of 64 bytes, as PyTorch's
// do (a padding field in the local header sees to that). No zip64: beyond 4 GiB it is an Error.
class ZipWriter {
 public:
  void add(std::string_view name, std::string_view content);
  std::string finish() &&;

 private:
  std::string archive_, directory_;
  std::uint16_t entries_ = 0;
};

}  // namespace humpty::io
