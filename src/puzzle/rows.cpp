#include "puzzle/rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
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

using io::kNameless;

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

// The row numbers that pandas writes in front unless told not to.
bool is_index(const io::Table& table) {
  if (table.names[0] != "" && table.names[0] != "Unnamed: 0") return false;
  if (table.odd.contains(0)) return true;
  for (std::size_t r = 0; r < table.values.rows; ++r)
    if (table.values.row(r)[0] != std::floor(table.values.row(r)[0])) return false;
  return true;
}

// Integers beside floats are ids and counters.
void leave_out_whole(const io::Table& table, Columns& columns, std::vector<std::string>& notes) {
  Columns whole, others;
  for (const std::size_t column : columns)
    (table.whole.contains(column) ? whole : others).push_back(column);
  if (whole.empty() || others.empty()) return;
  notes.push_back(fmt::format("{} is of integers and not taken for a feature (else: --features)",
                              range_text(table, whole)));
  columns = others;
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
    if (c == 0 && is_index(table))
      notes.push_back(
          "the first column has no name and is taken for row numbers, not for a feature");
    else if (is_answer(lower(column)))
      answers.push_back(column);
    else
      rest.push_back(c);
  }
  if (!answers.empty())
    notes.push_back(
        fmt::format("'{}' is taken for true answers, not for a feature (else: --features)",
                    fmt::join(answers, "', '")));
  leave_out_whole(table, rest, notes);
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

// What stands at a place that should hold a number.
[[noreturn]] void fail_at(const io::Table& table, std::size_t row, std::size_t column) {
  const std::string name = io::shortened(table.names[column]);
  const float value = table.values.row(row)[column];
  Where where{.file = table.file};
  if (table.first_line) {
    where.line = table.first_line + row;
    where.column = column + 1;
  }
  const std::string place = table.first_line ? "" : fmt::format(" in row {}", row);
  if (std::isnan(value))
    throw Error(
        ErrorCode::bad_value,
        fmt::format("column '{}' has no value{}; --drop-missing leaves out such rows", name, place),
        where);
  const auto odd = table.odd.find(column);
  throw Error(
      ErrorCode::bad_value,
      fmt::format("column '{}' holds '{}'{}, which is not a finite number; --features names the "
                  "columns to use",
                  name, odd == table.odd.end() ? fmt::format("{}", value) : odd->second, place),
      where);
}

// Columns of a table that are of use.
struct Part {
  const io::Table& table;
  Columns columns;
};

using RowNumbers = std::vector<std::size_t>;

// Each row must have a number in each of the columns, but those that lack a value may be dropped.
void drop_unsound(const Part& part, bool drop, RowNumbers& rows) {
  std::erase_if(rows, [&](std::size_t r) {
    const float* row = part.table.values.row(r);
    bool lacking = false;
    for (const std::size_t column : part.columns) {
      if (std::isfinite(row[column])) continue;
      if (!drop || !std::isnan(row[column])) fail_at(part.table, r, column);
      lacking = true;
    }
    return lacking;
  });
}

Matrix take(const Part& part, const RowNumbers& rows) {
  Matrix matrix{rows.size(), part.columns.size(), {}};
  matrix.values.resize(matrix.rows * matrix.cols);
  float* to = matrix.values.data();
  for (const std::size_t r : rows) {
    const float* row = part.table.values.row(r);
    for (const std::size_t column : part.columns) *to++ = row[column];
  }
  return matrix;
}

std::vector<std::string> take_names(const Part& part) {
  std::vector<std::string> names;
  for (std::size_t column : part.columns) names.push_back(part.table.names[column]);
  return names;
}

Rows gather(const Part& features, const Part& target, bool drop, std::vector<std::string>& notes) {
  const std::size_t all = features.table.values.rows;
  RowNumbers rows(all);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  drop_unsound(features, drop, rows);
  drop_unsound(target, drop, rows);
  if (rows.empty())
    throw Error(ErrorCode::bad_data, "every row lacks a value", {.file = features.table.file});
  if (rows.size() < all)
    notes.push_back(
        fmt::format("{} of {} rows lack a value and are left out", all - rows.size(), all));
  return {take(features, rows), take(target, rows), take_names(features), take_names(target)};
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

void add_names(const io::NamedArray& array, io::Table& table) {
  std::vector<std::string>& names = table.names;
  for (std::size_t c = 0; array.whole && c < array.values.cols; ++c)
    table.whole.insert(names.size() + c);
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
    add_names(array, table);
    columns.push_back(&array);
  }
  if (table.names.empty() || rows == 0)
    throw Error(ErrorCode::bad_data,
                "holds no rows of data" + (found.skipped.empty() ? "" : "; " + found.skipped[0]),
                {.file = found.file});
  check_distinct(table.names, found.file);
  table.values = {rows, table.names.size(), {}};
  table.values.values.reserve(rows * table.names.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (const io::NamedArray* array : columns)
      table.values.values.append(array->values.row(r), array->values.row(r) + array->values.cols);
  return table;
}

Data read_data(const std::string& file, Threads& threads, std::vector<std::string>& notes,
               const io::Opened& opened) {
  auto read = io::read_table(file, &threads, opened);
  if (auto* arrays = std::get_if<io::Arrays>(&read)) return {to_table(*arrays, notes), true};
  io::Table& table = std::get<io::Table>(read);
  notes.insert(notes.end(), table.notes.begin(), table.notes.end());
  return {std::move(table), false};
}

Rows to_features(const Data& data, const Choice& choice, std::vector<std::string>& notes) {
  const Columns target = find_target(data.table, choice.target, notes);
  const Columns features = find_features(data, target, choice, notes);
  return gather({data.table, features}, {data.table, target}, choice.drop_missing, notes);
}

Rows to_rows(const Data& data, const Choice& choice, std::vector<std::string>& notes) {
  Rows rows = to_features(data, choice, notes);
  if (rows.target.cols == 0) no_column(data.table, choice.target, "target");
  return rows;
}

Rows to_rows(const Data& data, const Data& answers, const Choice& choice,
             std::vector<std::string>& notes) {
  const io::Table &table = data.table, &other = answers.table;
  if (table.values.rows != other.values.rows)
    throw Error(
        ErrorCode::bad_data,
        fmt::format("has {} rows, but {} has {}", other.values.rows, table.file, table.values.rows),
        {.file = other.file});
  Columns target = choice.target == kAnswers[0] ? columns_of(other, choice.target)
                                                : columns_asked_for(other, choice.target, "target");
  if (target.empty()) {
    target.resize(other.names.size());
    std::iota(target.begin(), target.end(), std::size_t{0});
    if (target.size() > 1 && is_index(other)) target.erase(target.begin());
  }
  return gather({table, find_features(data, {}, choice, notes)}, {other, target},
                choice.drop_missing, notes);
}

}  // namespace humpty::puzzle
