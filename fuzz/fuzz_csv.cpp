// The reader of tables: whatever the text, it gives numbers under different names or a
// humpty::Error. Infinite ones are explained; a table without gaps survives being written and read
// again.
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
  bool whole = true;
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    whole &= std::isfinite(values.values[i]);
    if (std::isinf(values.values[i]) != 0 && !table.odd.contains(i % values.cols)) std::abort();
  }
  if (!whole) return 0;
  const std::string written = to_csv(table);
  const Table again = read_csv(bytes_of(written), "again");
  if (again.names != table.names || again.values.values != values.values) std::abort();
  return 0;
}
