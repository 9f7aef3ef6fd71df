#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "io/csv.hpp"
#include "io/file.hpp"

namespace humpty::io {
namespace {

// Quotes whatever a reader might take apart, trim, or mistake for a byte order mark.
void append_name(std::string& out, std::string_view name) {
  const std::string_view edges = " \t\xef";
  const bool plain = !name.empty() && name.find_first_of(",\"\r\n") == name.npos &&
                     edges.find(name.front()) == edges.npos &&
                     edges.find(name.back()) == edges.npos;
  if (!plain) out += '"';
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  if (!plain) out += '"';
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string out;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (c > 0) out += ',';
    append_name(out, table.names[c]);
  }
  out += '\n';
  for (std::size_t r = 0; r < table.values.rows; ++r) {
    for (std::size_t c = 0; c < table.values.cols; ++c) {
      const float value = table.values.row(r)[c];
      if (!std::isfinite(value))
        throw Error(ErrorCode::bad_value, fmt::format("{} cannot go into a table", value),
                    {.file = table.file, .line = r + 2, .column = c + 1});
      fmt::format_to(std::back_inserter(out), "{}{}", c > 0 ? "," : "", value);
    }
    out += '\n';
  }
  return out;
}

void write_csv(const std::string& path, const Table& table) { write_file(path, to_csv(table)); }

}  // namespace humpty::io
