// A whole file as bytes, and bytes as a whole file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/bytes.hpp"

namespace humpty::io {

// A read-only file. Small ones are read into a buffer, which for the published 97 pieces takes half
// the time of mapping them; large ones are mapped. Pipes can be read too; - is standard
// input. A path that does not exist, a folder, or a file that may not be read is an Error.
class File {
 public:
  explicit File(const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Bytes bytes() const { return bytes_; }

 private:
  void map(const std::string& path, int descriptor, std::size_t size);
  void read(const std::string& path, int descriptor, std::size_t expected);

  std::string buffer_;
  Bytes bytes_;  // the buffer's, or else mapped
};

std::string folder_of(const std::string& path);  // that the file lies in; "." if none is said

// Writes beside the path and renames, so that the path holds the old bytes or the new ones and
// nothing in between. Whatever fails, a full disk say, is an Error (not_writable) and leaves
// nothing behind. What is no regular file (a pipe, a terminal) is written to directly.
void write_file(const std::string& path, std::string_view content);

// Throws where write_file would, as far as can be told beforehand: to be asked before long work.
void check_writable(const std::string& path);

// The same of a folder to be made, with those above it, or to be written into.
void check_writable_folder(const std::string& path);

}  // namespace humpty::io
