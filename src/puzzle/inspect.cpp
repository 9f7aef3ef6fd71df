// Looks inside whatever is there. Each file is read by itself, so that one that is damaged hides
// nothing of the others, and only its facts are kept: a folder of large checkpoints needs the
// memory of the few that are being read.
#include <algorithm>
#include <cmath>
#include <set>

#include "humpty/humpty.hpp"
#include "io/csv.hpp"
#include "io/read.hpp"
#include "puzzle/files.hpp"
#include "puzzle/pieces.hpp"
#include "puzzle/roles.hpp"
#include "puzzle/rows.hpp"

namespace humpty {
namespace {

using Range = std::optional<std::pair<double, double>>;

void widen(Range& range, double value) {
  if (!range) range = {value, value};
  range = {std::min(range->first, value), std::max(range->second, value)};
}

TensorFacts facts_of(const io::Tensor& tensor) {
  TensorFacts facts;
  facts.name = tensor.name;
  facts.dtype = io::name(tensor.dtype);
  facts.shape = tensor.shape;
  double squares = 0;
  for (const double value : tensor.values) {
    if (!std::isfinite(value)) {
      ++facts.non_finite;
      continue;
    }
    squares += value * value;
    widen(facts.range, value);
  }
  facts.norm = std::sqrt(squares);
  return facts;
}

// The file's facts, and its layer if it is a piece.
Piece look_into(FileFacts& facts) {
  Piece layer;
  try {
    io::Tensors found = io::read_tensors(facts.file);
    facts.readable = true;
    for (const io::Tensor& tensor : found.tensors) facts.tensors.push_back(facts_of(tensor));
    facts.skipped = found.skipped;
    layer = puzzle::to_piece(std::move(found));
  } catch (const Error& error) {
    facts.error = error.what();
  }
  return layer;
}

struct Pieces {
  std::vector<Piece> layers;      // those files that are pieces
  std::vector<FileFacts*> facts;  // beside them
};

void find_roles(Pieces& pieces, std::size_t features, std::string& unknown) {
  if (pieces.layers.empty()) return;
  try {
    puzzle::find_roles(pieces.layers, features);
    for (std::size_t i = 0; i < pieces.layers.size(); ++i)
      pieces.facts[i]->role = pieces.layers[i].role;
  } catch (const Error& error) {
    unknown = error.what();
  }
}

Pieces look_into_all(std::vector<FileFacts>& files, Threads& threads) {
  std::vector<Piece> layers(files.size());
  threads.run(files.size(), [&](std::size_t i, unsigned) { layers[i] = look_into(files[i]); });
  Pieces pieces;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].error.empty()) continue;
    pieces.layers.push_back(std::move(layers[i]));
    pieces.facts.push_back(&files[i]);
  }
  return pieces;
}

std::vector<FileFacts> numbered(std::vector<std::string> files) {
  const std::vector<int> ids = puzzle::number_files(files);
  std::vector<FileFacts> facts(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    facts[i].file = files[i];
    facts[i].id = ids[i];
  }
  std::stable_sort(facts.begin(), facts.end(),
                   [](const FileFacts& a, const FileFacts& b) { return a.id < b.id; });
  return facts;
}

std::vector<ColumnFacts> columns_of(const io::Table& table) {
  std::vector<ColumnFacts> columns;
  for (const std::string& column : table.names) columns.push_back({column, "?", {}});
  for (std::size_t r = 0; r < table.values.rows; ++r)
    for (std::size_t c = 0; c < columns.size(); ++c)
      widen(columns[c].range, table.values.row(r)[c]);
  return columns;
}

// Says what each column is for, if the target is there.
void set_uses(std::vector<ColumnFacts>& columns, const Rows& rows) {
  const std::set<std::string> features(rows.feature_names.begin(), rows.feature_names.end()),
      targets(rows.target_names.begin(), rows.target_names.end());
  for (ColumnFacts& column : columns)
    column.use = targets.contains(column.name)    ? "target"
                 : features.contains(column.name) ? "feature"
                                                  : "unused";
}

TableFacts look_into_table(const std::string& file, const std::string& target, Threads& threads) {
  TableFacts facts;
  facts.file = file;
  try {
    const io::Table table = io::read_csv(file, &threads);
    facts.rows = table.values.rows;
    facts.columns = columns_of(table);
    set_uses(facts.columns, puzzle::to_rows(table, target));
  } catch (const Error& error) {
    facts.error = error.what();
  }
  return facts;
}

// How wide the data says the stream is, if there is one table and it says so.
std::size_t feature_count(const std::vector<TableFacts>& tables) {
  if (tables.size() != 1) return 0;
  return static_cast<std::size_t>(
      std::count_if(tables[0].columns.begin(), tables[0].columns.end(),
                    [](const ColumnFacts& column) { return column.use == "feature"; }));
}

std::string obstacle(const std::vector<std::string>& paths, const ReadOptions& options) {
  try {
    read_puzzle(paths, options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

Inspection inspect(const std::vector<std::string>& paths, const ReadOptions& options) {
  puzzle::Files files = puzzle::find_files(paths);
  if (!options.data.empty()) files.data = {puzzle::choose_data(files, options.data)};
  std::sort(files.data.begin(), files.data.end());
  Threads threads(options.threads);
  Inspection result;
  for (const std::string& file : files.data)
    result.tables.push_back(look_into_table(file, options.target, threads));
  result.files = numbered(files.pieces);
  Pieces pieces = look_into_all(result.files, threads);
  find_roles(pieces, feature_count(result.tables), result.roles_unknown);
  result.obstacle = obstacle(paths, options);
  return result;
}

}  // namespace humpty
