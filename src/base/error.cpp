#include <fmt/format.h>

#include "base/text.hpp"
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

}  // namespace

Error::Error(ErrorCode code, const std::string& message, Where where)
    : code_(code), where_(std::move(where)), message_(one_line(message)) {
  const std::string at = one_line(place(where_));
  what_ = at.empty() ? message_ : at + ": " + message_;
}

}  // namespace humpty
