// What every reader of files must stand: to be cut short anywhere, and to have any byte changed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "humpty/humpty.hpp"
#include "io/bytes.hpp"

namespace humpty::test {

// Exactly sized, so that a sanitizer sees a read past the end.
inline std::unique_ptr<std::uint8_t[]> exact_copy(std::string_view bytes) {
  auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return copy;
}

// read(Bytes) must throw an Error for every prefix, or for all but those sizes that are sound.
template <class Read>
void expect_every_prefix_refused(std::string_view whole, Read read) {
  read(io::bytes_of(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto copy = exact_copy(whole.substr(0, size));
    EXPECT_THROW(read(io::Bytes(copy.get(), size)), Error) << size << " of " << whole.size();
  }
}

// Reads well or throws an Error; anything else ends the test. Returns how often it threw.
template <class Read>
std::size_t refusals_of_flipped_bytes(std::string_view whole, Read read) {
  const auto copy = exact_copy(whole);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const std::uint8_t flip : {0x01, 0x20, 0x80, 0xff}) {
      copy[at] ^= flip;
      try {
        read(io::Bytes(copy.get(), whole.size()));
      } catch (const Error&) {
        ++refused;
      }
      copy[at] ^= flip;
    }
  }
  return refused;
}

}  // namespace humpty::test
