#include <fmt/format.h>

#include "humpty/humpty.hpp"

namespace humpty {
namespace {

std::string place(const Where& where) {
  std::string text = where.file;
  if (where.line) text += fmt::format(":{}", *where.line);
  if (where.column) text += fmt::format(":{}", *where.column);
  if (!where.tensor.empty())
    text += fmt::format("{}tensor '{}'", text.empty() ? "" : ": ", where.tensor);
  if (where.offset) text += fmt::format("{}byte {}", text.empty() ? "" : ": ", *where.offset);
  return text;
}

// Names come from hostile files: whatever would break the one line or steer a terminal is escaped.
std::string one_line(std::string_view text) {
  std::string clean;
  for (unsigned char c : text) {
    if (c < 0x20 || c == 0x7f)
      clean += fmt::format("\\x{:02x}", c);
    else
      clean += static_cast<char>(c);
  }
  return clean;
}

}  // namespace

Error::Error(ErrorCode code, std::string message, Where where)
    : code_(code), where_(std::move(where)), message_(one_line(message)) {
  const std::string at = one_line(place(where_));
  what_ = at.empty() ? message_ : at + ": " + message_;
}

}  // namespace humpty
