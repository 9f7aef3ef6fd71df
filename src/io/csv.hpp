// Tables of numbers with a header row.
#pragma once

#include <string>
#include <vector>

#include "humpty/humpty.hpp"
#include "io/bytes.hpp"

namespace humpty {
class Threads;
}

namespace humpty::io {

struct Table {
  std::string file;
  std::vector<std::string> names;  // one per column, all different
  Matrix values;                   // rows × columns
};

// Reads RFC 4180 with what is found in the wild: LF or CRLF, a byte order mark, spaces around
// cells, blank lines at the end. Every cell must be a number that float32 can hold. An Error says
// line and column, and is the same with any number of threads: the first in the file.
Table read_csv(const std::string& path, Threads* threads = nullptr);
Table read_csv(Bytes bytes, const std::string& file, Threads* threads = nullptr);

// Writes the fewest digits that read back to the same floats.
void write_csv(const std::string& path, const Table& table);
std::string to_csv(const Table& table);

}  // namespace humpty::io
