// Plain bytes, and little-endian numbers in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace humpty::io {

using Bytes = std::span<const std::uint8_t>;

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// For messages: as much of a hostile text as fits in a line, cut between characters.
inline std::string shortened(std::string_view text, std::size_t most = 60) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (text[most] & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "…";
}

// The caller has checked that sizeof(T) bytes are there.
template <class T>
T load_le(const std::uint8_t* at) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8 | at[i]);
  return value;
}

template <>
inline std::uint8_t load_le<std::uint8_t>(const std::uint8_t* at) {
  return *at;
}

template <class T>
void append_le(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> 8 * i & 0xff);
}

}  // namespace humpty::io
