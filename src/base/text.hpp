// Text from outside, made fit to be shown.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace humpty {

// Names come from hostile files: whatever would break the one line or steer a terminal is escaped.
inline std::string one_line(std::string_view text) {
  std::string clean;
  for (unsigned char c : text) {
    if (c < 0x20 || c == 0x7f)
      clean += fmt::format("\\x{:02x}", c);
    else
      clean += static_cast<char>(c);
  }
  return clean;
}

}  // namespace humpty
