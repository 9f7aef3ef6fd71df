// gzip files (RFC 1952).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes.hpp"

namespace humpty::io {

bool is_gzip(Bytes bytes);

// All that is in it: several members behind one another are one. What inflates past any honest
// measure is an Error, as is a checksum that does not match. `file` is for messages.
std::vector<std::uint8_t> gunzip(Bytes packed, const std::string& file);

// The first bytes of it, up to `most`, unchecked; none where it is damaged.
std::vector<std::uint8_t> gunzip_start(Bytes packed, std::size_t most);

}  // namespace humpty::io
