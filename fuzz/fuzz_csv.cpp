// The reader of tables: whatever the text, it gives finite numbers under different names or a
// humpty::Error, and what it gives survives being written and read again.
#include <cmath>
#include <cstdlib>

#include "humpty/humpty.hpp"
#include "io/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace humpty::io;
  Table table;
  try {
    table = read_csv(Bytes(data, size), "fuzz");
  } catch (const humpty::Error&) {
    return 0;
  }
  const humpty::Matrix& values = table.values;
  if (values.rows == 0 || values.cols != table.names.size()) std::abort();
  if (values.values.size() != values.rows * values.cols) std::abort();
  for (const float value : values.values)
    if (!std::isfinite(value)) std::abort();
  const std::string written = to_csv(table);
  const Table again = read_csv(bytes_of(written), "again");
  if (again.names != table.names || again.values.values != values.values) std::abort();
  return 0;
}
