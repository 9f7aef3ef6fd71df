// RFC 4648: bytes as text that JSON and HTML leave alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace humpty::report {

inline std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (int k = 0; k < 4; ++k)
      text += i + static_cast<std::size_t>(k) <= bytes.size() ? kLetters[group >> (18 - 6 * k) & 63]
                                                              : '=';
  }
  return text;
}

}  // namespace humpty::report
