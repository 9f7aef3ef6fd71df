#include "puzzle/rows.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "puzzle/natural.hpp"

namespace humpty::puzzle {
namespace {

// Is the column `stem`, or `stem_3`?
bool belongs(std::string_view column, std::string_view stem) {
  if (column == stem) return true;
  if (column.size() < stem.size() + 2 || !column.starts_with(stem) || column[stem.size()] != '_')
    return false;
  const std::string_view rest = column.substr(stem.size() + 1);
  return rest.find_first_not_of("0123456789") == std::string_view::npos;
}

using Columns = std::vector<std::size_t>;

// By the numbers in the names where every column has its own, otherwise as they stand.
void sort_by_number(Columns& columns, const std::vector<std::string>& names) {
  std::set<int> numbers;
  for (std::size_t column : columns)
    if (const auto number = last_number(names[column])) numbers.insert(*number);
  if (numbers.size() != columns.size()) return;
  std::sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
    return *last_number(names[a]) < *last_number(names[b]);
  });
}

// The column of that name, or else all of that stem; maybe none.
Columns columns_of(const io::Table& table, const std::string& target) {
  Columns columns, several;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (table.names[c] == target)
      columns.push_back(c);
    else if (belongs(table.names[c], target))
      several.push_back(c);
  }
  if (columns.empty()) columns = several;
  sort_by_number(columns, table.names);
  return columns;
}

[[noreturn]] void no_target(const io::Table& table, const std::string& target) {
  std::vector<std::string> shown(
      table.names.begin(),
      table.names.begin() + std::min<std::ptrdiff_t>(60, std::ssize(table.names)));
  throw Error(ErrorCode::bad_data,
              fmt::format("no column '{}' for the target (nor {}_0, {}_1, …); name one with "
                          "--target. There are: {}{}",
                          target, target, target, fmt::join(shown, ", "),
                          shown.size() < table.names.size() ? ", …" : ""),
              {.file = table.file});
}

Matrix take(const io::Table& table, const Columns& columns) {
  Matrix matrix{table.values.rows, columns.size(), {}};
  matrix.values.resize(matrix.rows * matrix.cols);
  for (std::size_t r = 0; r < matrix.rows; ++r)
    for (std::size_t c = 0; c < matrix.cols; ++c)
      matrix.row(r)[c] = table.values.row(r)[columns[c]];
  return matrix;
}

std::vector<std::string> take_names(const io::Table& table, const Columns& columns) {
  std::vector<std::string> names;
  for (std::size_t column : columns) names.push_back(table.names[column]);
  return names;
}

}  // namespace

Rows to_features(const io::Table& table, const std::string& target) {
  const Columns targets = columns_of(table, target);
  Columns features;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::string& column = table.names[c];
    if (!belongs(column, "pred") && !belongs(column, "true") && !belongs(column, target))
      features.push_back(c);
  }
  sort_by_number(features, table.names);
  return {take(table, features), take(table, targets), take_names(table, features),
          take_names(table, targets)};
}

Rows to_rows(const io::Table& table, const std::string& target) {
  Rows rows = to_features(table, target);
  if (rows.target.cols == 0) no_target(table, target);
  return rows;
}

}  // namespace humpty::puzzle
