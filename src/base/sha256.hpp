// SHA-256 (FIPS 180-4), for the hash by which published answers are compared, and fingerprints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace humpty {

// Of text that comes in parts.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view part);
  std::string hex();  // once, at the end

 private:
  std::array<std::uint32_t, 8> state_;
  std::string pending_;  // less than a chunk
  std::uint64_t bytes_ = 0;
};

std::string sha256_hex(std::string_view text);

}  // namespace humpty
