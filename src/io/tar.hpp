// Tar archives as tar and Python's tarfile write them: the old format, POSIX (ustar, pax) and
// GNU's.
#pragma once

#include <string>
#include <vector>

#include "io/bytes.hpp"

namespace humpty::io {

struct TarMember {
  std::string name;
  Bytes content;  // in the archive
};

bool is_tar(Bytes start);  // by the checksum of the first header

// The regular files in it, in the archive's own order; folders, links and devices are passed over.
// Nothing is written anywhere, so names are just names. `file` is for messages.
std::vector<TarMember> read_tar(Bytes bytes, const std::string& file);

}  // namespace humpty::io
