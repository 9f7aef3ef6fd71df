// Files that need no place on disk: what is in an archive, and what can be read only once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/bytes.hpp"
#include "io/file.hpp"
#include "io/zip.hpp"

namespace humpty::io {

// A member of an archive (.zip, .tar, .tar.gz) goes by a path that goes on behind the archive's:
// net.zip/pieces/piece_1.pth. Nothing is unpacked to disk, so a name can do no harm.
class Opened {
 public:
  // Opens an archive and gives its members' paths, in its own order. What operating systems add on
  // their own is left out. More than any honest archive holds is an Error.
  std::vector<std::string> open(const std::string& archive);

  void hold(const std::string& path);  // reads it now: a pipe, or - for standard input

  std::optional<Bytes> find(const std::string& path) const;

 private:
  void add(const std::string& path, Content content);

  std::vector<std::unique_ptr<File>> files_;
  std::vector<Content> contents_;
  std::map<std::string, Bytes> by_path_;
};

}  // namespace humpty::io
