// A zip archive's files as files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace humpty::io {

// Writes what is in the archive into a folder, which is made where it is missing, and gives the
// paths in the archive's own order. Entries that name a place outside the folder, and more than
// `limit` bytes in all, are Errors before anything is written. What operating systems add on their
// own (folders' entries, __MACOSX, names that begin with a dot) is left out.
std::vector<std::string> unzip(Bytes archive, const std::string& file, const std::string& folder,
                               std::uint64_t limit);

// Is it a file of the user's? Not so what operating systems add on their own.
bool is_wanted(std::string_view name);

}  // namespace humpty::io
