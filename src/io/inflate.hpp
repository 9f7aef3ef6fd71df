// Deflated bytes inflated again, and the checksum that zip archives keep of them.
//
// Code of our own because the browser's build has no zlib. It never reads or writes outside of what
// it is given, accepts what zlib accepts and gives the same bytes: fuzz/fuzz_inflate.cpp compares.
#pragma once

#include <cstdint>
#include <span>

#include "io/bytes.hpp"

namespace humpty::io {

enum class InflateEnd {
  whole,      // the stream's own end
  cut_short,  // the input ends first
  too_long,   // the output is full and there is more to come
  damaged,
};

struct Inflated {
  InflateEnd end = InflateEnd::whole;
  std::size_t read = 0, written = 0;  // bytes
};

// A raw deflate stream (RFC 1951), without the wrapping of zlib or gzip.
Inflated inflate(Bytes packed, std::span<std::uint8_t> out);

// What files of so many bytes may honestly inflate to: zeros shrink a thousandfold and are found in
// honest files, but those are small, and numbers hardly shrink.
constexpr std::uint64_t most_inflated(std::uint64_t packed) {
  return (std::uint64_t{64} << 20) + 64 * packed;
}

std::uint32_t crc32(Bytes bytes);  // of ISO 3309, as zip, gzip and PNG have it

}  // namespace humpty::io
