// Arrays to rows: whatever a file's arrays are called and however large they are, the rows are
// finite and of one length, features and target share no column; or there is a humpty::Error. Each
// line of the input is an array: a digit for its rows, one for its columns, its name. The first two
// lines are what the user asks for.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "humpty/humpty.hpp"
#include "puzzle/rows.hpp"

namespace {

using namespace humpty;

std::string take_line(std::string_view& text) {
  const std::size_t length = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, length));
  text.remove_prefix(std::min(length + 1, text.size()));
  return line;
}

io::NamedArray array_of(const std::string& line) {
  if (line.size() < 2) return {line, {}};
  const std::size_t rows = static_cast<unsigned char>(line[0]) % 10,
                    cols = static_cast<unsigned char>(line[1]) % 10;
  Matrix values{rows, cols, std::vector<float>(rows * cols, 1.5f)};
  if (line.ends_with('!') && !values.values.empty()) values.values[values.values.size() - 1] = NAN;
  return {line.substr(2), std::move(values)};
}

void check(const io::Table& table, const Rows& rows) {
  if (rows.target.cols == 0 || rows.target.rows != table.values.rows) std::abort();
  if (rows.features.rows != table.values.rows) std::abort();
  if (rows.features.cols != rows.feature_names.size()) std::abort();
  for (const Matrix* part : {&rows.features, &rows.target}) {
    if (part->values.size() != part->rows * part->cols) std::abort();
    for (const float value : part->values)
      if (!std::isfinite(value)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  puzzle::Choice choice;
  if (const std::string target = take_line(text); !target.empty()) choice.target = target;
  choice.features = take_line(text);
  io::Arrays found{"fuzz", {}, {}};
  while (!text.empty()) found.arrays.push_back(array_of(take_line(text)));
  std::vector<std::string> notes;
  try {
    const puzzle::Data table{puzzle::to_table(found, notes), size % 2 == 0};
    check(table.table, puzzle::to_rows(table, choice, notes));
  } catch (const Error&) {
  }
  return 0;
}
