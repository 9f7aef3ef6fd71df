// Looks inside whatever is there. Each file is read by itself, so that one that is damaged hides
// nothing of the others, and only its facts are kept: a folder of large checkpoints needs the
// memory of the few that are being read.
#include <algorithm>
#include <cmath>
#include <set>

#include "humpty/humpty.hpp"
#include "io/read.hpp"
#include "puzzle/checkpoint.hpp"
#include "puzzle/files.hpp"
#include "puzzle/layers.hpp"
#include "puzzle/pieces.hpp"
#include "puzzle/read.hpp"
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

// The facts of each file, and its tensors without their values.
void look_into(FileFacts& facts, const io::Opened& opened, const std::string& key,
               std::vector<puzzle::Entry>& entries) {
  try {
    io::Tensors found = io::read_tensors(facts.file, opened);
    puzzle::keep_net(found, key);
    for (const io::Tensor& tensor : found.tensors) facts.tensors.push_back(facts_of(tensor));
    facts.skipped = found.skipped;
    puzzle::add_entries(found, entries);
  } catch (const Error& error) {
    facts.error = error.what();
  }
}

struct Found {
  std::vector<puzzle::Entry> entries;     // of all files that could be read
  std::vector<const TensorFacts*> facts;  // beside them
};

Found look_into_all(std::vector<FileFacts>& files, const io::Opened& opened, const std::string& key,
                    Threads& threads) {
  std::vector<std::vector<puzzle::Entry>> entries(files.size());
  threads.run(files.size(),
              [&](std::size_t i, unsigned) { look_into(files[i], opened, key, entries[i]); });
  Found found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    found.entries.insert(found.entries.end(), entries[i].begin(), entries[i].end());
    for (const TensorFacts& tensor : files[i].tensors) found.facts.push_back(&tensor);
  }
  return found;
}

PieceFacts facts_of(const puzzle::Layer& layer, const Found& found) {
  PieceFacts facts;
  facts.id = layer.id;
  facts.file = layer.source;
  facts.weight = *found.facts[layer.weight];
  if (layer.bias) facts.bias = *found.facts[*layer.bias];
  facts.transposed = layer.turned;
  return facts;
}

void find_pieces(const Found& found, bool transposed, std::size_t features, Inspection& result) {
  if (found.entries.empty()) return;
  try {
    const puzzle::Layers layers = puzzle::find_layers(found.entries, transposed, features);
    for (const puzzle::Layer& layer : layers.layers)
      result.pieces.push_back(facts_of(layer, found));
    result.notes.insert(result.notes.end(), layers.notes.begin(), layers.notes.end());
  } catch (const Error& error) {
    result.pieces_unknown = error.what();
  }
}

void find_roles(std::size_t features, Inspection& result) {
  if (result.pieces.empty()) return;
  std::vector<Piece> shapes(result.pieces.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const PieceFacts& piece = result.pieces[i];
    shapes[i].weight = io::to_matrix(piece.weight.shape[piece.transposed ? 1 : 0],
                                     piece.weight.shape[piece.transposed ? 0 : 1]);
  }
  try {
    puzzle::find_roles(shapes, features);
    for (std::size_t i = 0; i < shapes.size(); ++i) result.pieces[i].role = shapes[i].role;
  } catch (const Error& error) {
    result.roles_unknown = error.what();
  }
}

std::vector<ColumnFacts> columns_of(const io::Table& table) {
  std::vector<ColumnFacts> columns;
  for (const std::string& column : table.names) columns.push_back({column, "?", {}});
  for (std::size_t r = 0; r < table.values.rows; ++r)
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (const float value = table.values.row(r)[c]; std::isfinite(value))
        widen(columns[c].range, value);
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

TableFacts look_into_table(const std::string& file, const puzzle::Files& files,
                           const ReadOptions& options, Threads& threads,
                           std::vector<std::string>& notes) {
  TableFacts facts;
  facts.file = file;
  try {
    const puzzle::Data data = puzzle::read_data(file, threads, notes, files.opened);
    facts.rows = data.table.values.rows;
    facts.columns = columns_of(data.table);
    const puzzle::Choice choice{options.target, options.features, options.drop_missing};
    set_uses(facts.columns, options.target_file.empty() ? puzzle::to_rows(data, choice, notes)
                                                        : puzzle::to_features(data, choice, notes));
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

// Whether it makes a puzzle; one that does knows the roles even where shapes do not tell them.
void try_to_read(const puzzle::Files& files, const ReadOptions& options, Inspection& result) {
  try {
    const Puzzle puzzle = puzzle::read_found(files, options);
    for (PieceFacts& piece : result.pieces) piece.role = puzzle.piece(piece.id).role;
    result.roles_unknown.clear();
  } catch (const Error& error) {
    result.obstacle = error.what();
  }
}

}  // namespace

Inspection inspect(const std::vector<std::string>& paths, const ReadOptions& options) {
  puzzle::Files files = puzzle::find_files(paths, options);
  if (!options.data.empty()) files.data = {puzzle::choose_data(files, options.data)};
  std::vector<std::string> tables = files.data.empty() ? files.maybe_data : files.data;
  std::sort(tables.begin(), tables.end());
  puzzle::sort_naturally(files.pieces);
  Threads threads(options.threads, options.cancel);
  Inspection result;
  for (const std::string& file : tables)
    result.tables.push_back(look_into_table(file, files, options, threads, result.notes));
  for (const std::string& file : files.pieces) result.files.push_back({file, {}, {}, ""});
  const std::size_t features = feature_count(result.tables);
  find_pieces(look_into_all(result.files, files.opened, options.key, threads), options.transposed,
              features, result);
  find_roles(features, result);
  try_to_read(files, options, result);
  return result;
}

}  // namespace humpty
