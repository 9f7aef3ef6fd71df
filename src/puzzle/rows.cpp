#include "puzzle/rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "puzzle/natural.hpp"

namespace humpty::puzzle {
namespace {

// What people call the net's answers, the true answers and the features. Those further down are
// taken only where none further up is there.
constexpr std::array<std::string_view, 14> kAnswers{
    "pred",    "preds",  "prediction", "predictions", "y_pred", "y_hat", "yhat",
    "outputs", "output", "logits",     "targets",     "target", "y",     "labels"};
constexpr std::array<std::string_view, 9> kTruths{
    "true", "truth", "target", "targets", "label", "labels", "y", "y_true", "ground_truth"};
constexpr std::array<std::string_view, 8> kFeatures{
    "inputs", "input", "features", "feature", "x", "data", "measurement", "measurements"};

constexpr std::string_view kNameless = "column";  // stem of what comes from a bare array

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return result;
}

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
Columns columns_of(const io::Table& table, std::string_view name) {
  Columns columns, several;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (table.names[c] == name)
      columns.push_back(c);
    else if (belongs(table.names[c], name))
      several.push_back(c);
  }
  if (columns.empty()) columns = several;
  sort_by_number(columns, table.names);
  return columns;
}

std::string some_names(const io::Table& table) {
  const auto end = table.names.begin() + std::min<std::ptrdiff_t>(60, std::ssize(table.names));
  return fmt::format("{}{}", fmt::join(table.names.begin(), end, ", "),
                     end == table.names.end() ? "" : ", …");
}

[[noreturn]] void no_column(const io::Table& table, std::string_view name, std::string_view what) {
  throw Error(ErrorCode::bad_data,
              fmt::format("no column '{0}' for the {1} (nor {0}_0, {0}_1, …); name one with "
                          "--{1}. There are: {2}",
                          name, what, some_names(table)),
              {.file = table.file});
}

// A list as the user gives it, each a name or a stem; a name that holds a comma is one name.
Columns columns_asked_for(const io::Table& table, std::string_view list, std::string_view what) {
  Columns all = columns_of(table, list);
  if (!all.empty()) return all;
  std::vector<bool> taken(table.names.size());
  for (std::string_view rest = list;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const Columns found = columns_of(table, rest.substr(0, comma));
    if (found.empty()) no_column(table, rest.substr(0, comma), what);
    for (std::size_t column : found) {
      if (!taken[column]) all.push_back(column);
      taken[column] = true;
    }
    if (comma == rest.size()) return all;
    rest.remove_prefix(comma + 1);
  }
}

// The first of the words that some column is called, in capitals or not.
template <class Words>
Columns columns_called(const io::Table& table, const Words& words) {
  for (const std::string_view word : words) {
    Columns columns;
    for (std::size_t c = 0; c < table.names.size(); ++c)
      if (belongs(lower(table.names[c]), word)) columns.push_back(c);
    sort_by_number(columns, table.names);
    if (!columns.empty()) return columns;
  }
  return {};
}

std::string range_text(const io::Table& table, const Columns& columns) {
  const std::string& first = table.names[columns.front()];
  return columns.size() == 1 ? fmt::format("'{}'", first)
                             : fmt::format("'{}' … '{}'", first, table.names[columns.back()]);
}

// Nameless columns come from one bare array; its last column is the best guess.
bool nameless(const io::Table& table) {
  return table.names.size() > 1 &&
         std::all_of(table.names.begin(), table.names.end(),
                     [](const std::string& name) { return belongs(name, kNameless); });
}

Columns guess_target(const io::Table& table, std::vector<std::string>& notes) {
  Columns guess = columns_called(table, kAnswers);
  if (guess.empty() && nameless(table)) guess = {table.names.size() - 1};
  if (!guess.empty())
    notes.push_back(
        fmt::format("there is no '{}': taking {} for the net's answers (else: --target)",
                    kAnswers[0], range_text(table, guess)));
  return guess;
}

// Maybe none.
Columns find_target(const io::Table& table, const std::string& wanted,
                    std::vector<std::string>& notes) {
  Columns named = columns_of(table, wanted);
  if (!named.empty()) return named;
  if (wanted == kAnswers[0]) return guess_target(table, notes);
  if (wanted.find(',') != wanted.npos) return columns_asked_for(table, wanted, "target");
  return {};
}

bool is_answer(const std::string& column) {
  return std::any_of(kTruths.begin(), kTruths.end(),
                     [&](std::string_view word) { return word != "y" && belongs(column, word); });
}

// All that is no answer.
Columns possible_features(const io::Table& table, const Columns& target, const std::string& wanted,
                          std::vector<std::string>& notes) {
  Columns rest;
  std::vector<bool> taken(table.names.size());
  for (std::size_t column : target) taken[column] = true;
  std::vector<std::string> answers;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::string& column = table.names[c];
    if (taken[c] || belongs(column, "pred") || belongs(column, "true") || belongs(column, wanted))
      continue;
    if (is_answer(lower(column)))
      answers.push_back(column);
    else
      rest.push_back(c);
  }
  if (!answers.empty())
    notes.push_back(
        fmt::format("'{}' is taken for true answers, not for a feature (else: --features)",
                    fmt::join(answers, "', '")));
  sort_by_number(rest, table.names);
  return rest;
}

// In a file of arrays one is mostly called so; a table's columns are mostly all of use.
Columns find_features(const Data& data, const Columns& target, const Choice& choice,
                      std::vector<std::string>& notes) {
  if (!choice.features.empty()) return columns_asked_for(data.table, choice.features, "features");
  Columns rest = possible_features(data.table, target, choice.target, notes);
  Columns group = data.arrays ? columns_called(data.table, kFeatures) : Columns{};
  if (group.empty() || group.size() == rest.size()) return rest;
  notes.push_back(
      fmt::format("taking {} for the features (else: --features)", range_text(data.table, group)));
  return group;
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

// ------------------------------------------------------------------------------------------ arrays

// How many rows most values have: what is not a feature is small.
std::size_t usual_rows(const io::Arrays& found) {
  std::map<std::size_t, std::size_t> values;
  for (const io::NamedArray& array : found.arrays)
    values[array.values.rows] += array.values.values.size();
  const auto most =
      std::max_element(values.begin(), values.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == values.end() ? 0 : most->first;
}

void check_finite(const io::NamedArray& array, const std::string& file) {
  for (std::size_t i = 0; i < array.values.values.size(); ++i)
    if (!std::isfinite(array.values.values[i]))
      throw Error(ErrorCode::bad_value,
                  fmt::format("{} at row {}, column {}: the data must be finite",
                              array.values.values[i], i / array.values.cols, i % array.values.cols),
                  {.file = file, .tensor = array.name});
}

void add_names(const io::NamedArray& array, std::vector<std::string>& names) {
  const std::string stem = array.name.empty() ? std::string(kNameless) : array.name;
  if (array.values.cols == 1) return names.push_back(stem);
  for (std::size_t c = 0; c < array.values.cols; ++c)
    names.push_back(fmt::format("{}_{}", stem, c));
}

void check_distinct(std::vector<std::string> names, const std::string& file) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw Error(ErrorCode::bad_data, fmt::format("two columns would be called '{}'", *twice),
                {.file = file});
}

}  // namespace

io::Table to_table(const io::Arrays& found, std::vector<std::string>& notes) {
  io::Table table{found.file, {}, {}};
  for (const std::string& word : found.skipped)
    notes.push_back(fmt::format("{}: {}", found.file, word));
  const std::size_t rows = usual_rows(found);
  std::vector<const io::NamedArray*> columns;
  for (const io::NamedArray& array : found.arrays) {
    if (array.values.rows != rows || array.values.cols == 0) {
      notes.push_back(fmt::format("'{}' has {} rows, not {}, and is left out", array.name,
                                  array.values.rows, rows));
      continue;
    }
    check_finite(array, found.file);
    add_names(array, table.names);
    columns.push_back(&array);
  }
  if (table.names.empty() || rows == 0)
    throw Error(ErrorCode::bad_data, "holds no rows of data", {.file = found.file});
  check_distinct(table.names, found.file);
  table.values = {rows, table.names.size(), {}};
  table.values.values.reserve(rows * table.names.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (const io::NamedArray* array : columns)
      table.values.values.append(array->values.row(r), array->values.row(r) + array->values.cols);
  return table;
}

Data read_data(const std::string& file, Threads& threads, std::vector<std::string>& notes) {
  auto read = io::read_table(file, &threads);
  if (auto* table = std::get_if<io::Table>(&read)) return {std::move(*table), false};
  return {to_table(std::get<io::Arrays>(read), notes), true};
}

Rows to_features(const Data& data, const Choice& choice, std::vector<std::string>& notes) {
  const Columns target = find_target(data.table, choice.target, notes);
  const Columns features = find_features(data, target, choice, notes);
  return {take(data.table, features), take(data.table, target), take_names(data.table, features),
          take_names(data.table, target)};
}

Rows to_rows(const Data& data, const Choice& choice, std::vector<std::string>& notes) {
  Rows rows = to_features(data, choice, notes);
  if (rows.target.cols == 0) no_column(data.table, choice.target, "target");
  return rows;
}

}  // namespace humpty::puzzle
