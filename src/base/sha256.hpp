// SHA-256 (FIPS 180-4), for the hash by which published answers are compared.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace humpty {

// Of whatever is added, piece by piece.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  std::string hex();  // ends it

 private:
  std::array<std::uint32_t, 8> state_;
  std::string rest_;  // less than a chunk
  std::uint64_t size_ = 0;
};

std::string sha256_hex(std::string_view text);

}  // namespace humpty
