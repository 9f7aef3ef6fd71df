// Tables of numbers, as text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "humpty/humpty.hpp"
#include "io/bytes.hpp"

namespace humpty {
class Threads;
}

namespace humpty::io {

constexpr std::string_view kNameless = "column";  // stem of what a column without a name is called

struct Table {
  std::string file;
  std::vector<std::string> names;  // one per column, all different
  Matrix
      values;  // rows × columns; NaN where a value is missing, infinite where a cell is no number
  std::size_t first_line = 0;                   // where the rows start in the file; 0: no text
  std::map<std::size_t, std::string> odd = {};  // of a column, the first cell that is no number
  std::set<std::size_t> whole = {};             // columns that were stored as integers
  std::vector<std::string> notes = {};          // "no header: …"
};

// Reads RFC 4180 with what is found in the wild: LF or CRLF, a byte order mark, spaces around
// cells, blank lines at the end; semicolons, tabs, bars or spaces instead of commas; no header (the
// columns are then called column_0, column_1, …). A cell must be a number that float32 can hold,
// missing (empty, NA, nan, …), or in a column that nobody asks for. An Error says line and column,
// and is the same with any number of threads: the first in the file.
Table read_csv(const std::string& path, Threads* threads = nullptr);
Table read_csv(Bytes bytes, const std::string& file, Threads* threads = nullptr);

// Writes the fewest digits that read back to the same floats.
void write_csv(const std::string& path, const Table& table);
std::string to_csv(const Table& table);

}  // namespace humpty::io
