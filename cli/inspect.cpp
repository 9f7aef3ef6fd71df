#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "commands.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"

namespace humpty::cli {
namespace {

using Cells = std::vector<std::string>;

std::size_t width(std::string_view text) {  // in characters
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Rows of cells, the first being the headings, in columns as wide as their widest cell.
std::string aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Cells& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += "  " + row[c] + std::string(widths[c] - width(row[c]), ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string shape_text(const TensorFacts& tensor) {
  return tensor.shape.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.shape, "×"));
}

std::string range_text(const std::optional<std::pair<double, double>>& range) {
  return range ? fmt::format("{:.4g} … {:.4g}", range->first, range->second) : "-";
}

Cells piece_cells(const PieceFacts& piece, const std::string& file) {
  return {std::to_string(piece.id),
          one_line(file),
          shape_text(piece.weight) + (piece.transposed ? " (in × out)" : ""),
          piece.weight.dtype,
          piece.role ? std::string(name(*piece.role)) : "?",
          fmt::format("{:.4f}", piece.weight.norm),
          range_text(piece.weight.range),
          std::to_string(piece.weight.non_finite + (piece.bias ? piece.bias->non_finite : 0)),
          piece.bias ? fmt::format("{:.4f}", piece.bias->norm) : "none"};
}

Cells tensor_cells(const TensorFacts& tensor) {
  return {one_line(tensor.name),
          shape_text(tensor),
          tensor.dtype,
          fmt::format("{:.4f}", tensor.norm),
          range_text(tensor.range),
          std::to_string(tensor.non_finite)};
}

// The folder that all the files are in, if there is one.
std::string common_folder(const std::vector<FileFacts>& files) {
  const auto folder = [](const FileFacts& f) {
    return std::filesystem::path(f.file).parent_path().string();
  };
  const std::string first = folder(files[0]);
  const bool same = std::all_of(files.begin(), files.end(),
                                [&](const FileFacts& f) { return folder(f) == first; });
  return same ? first : "";
}

std::string without(const std::string& folder, std::string text) {
  if (folder.empty()) return text;
  return CLI::detail::find_and_replace(std::move(text), folder + "/", "");
}

std::string pieces_text(const Inspection& inspection) {
  if (inspection.pieces.empty()) return "";
  std::vector<Cells> rows{
      {"id", "file", "shape", "dtype", "role", "norm", "range", "non-finite", "bias norm"}};
  const std::string folder = common_folder(inspection.files);
  for (const PieceFacts& piece : inspection.pieces)
    rows.push_back(piece_cells(piece, without(folder, piece.file)));
  std::string text = fmt::format("pieces   {}{}\n{}", rows.size() - 1,
                                 folder.empty() ? "" : one_line(" in " + folder), aligned(rows));
  if (!inspection.roles_unknown.empty())
    text += fmt::format("roles    unknown: {}\n", inspection.roles_unknown);
  return text;
}

// What files hold whose tensors make no pieces, and which could not be read.
std::string other_files_text(const Inspection& inspection) {
  std::string text;
  if (!inspection.pieces_unknown.empty())
    text += fmt::format("no piece {}\n", inspection.pieces_unknown);
  for (const FileFacts& file : inspection.files) {
    if (!file.error.empty()) text += fmt::format("damaged  {}\n", file.error);
    if (!inspection.pieces.empty() || file.tensors.empty()) continue;
    std::vector<Cells> rows{{"tensor", "shape", "dtype", "norm", "range", "non-finite"}};
    for (const TensorFacts& tensor : file.tensors) rows.push_back(tensor_cells(tensor));
    text += fmt::format("tensors  {}\n{}", one_line(file.file), aligned(rows));
  }
  return text;
}

std::string skipped_text(const Inspection& inspection) {
  std::string text;
  for (const FileFacts& file : inspection.files)
    for (const std::string& word : file.skipped)
      text += fmt::format("skipped  {}: {}\n", one_line(file.file), one_line(word));
  return text;
}

std::string table_text(const TableFacts& table) {
  if (table.columns.empty()) return fmt::format("damaged  {}\n", table.error);
  std::vector<Cells> rows{{"column", "use", "range", ""}};
  for (const ColumnFacts& column : table.columns) {
    const bool constant = column.range && column.range->first == column.range->second;
    rows.push_back(
        {one_line(column.name), column.use, range_text(column.range), constant ? "constant" : ""});
  }
  const auto count = [&](std::string_view use) {
    return std::count_if(table.columns.begin(), table.columns.end(),
                         [&](const ColumnFacts& column) { return column.use == use; });
  };
  std::string text = fmt::format("data     {}: {} rows, {} columns: {} features, {} targets\n{}",
                                 one_line(table.file), table.rows, table.columns.size(),
                                 count("feature"), count("target"), aligned(rows));
  if (!table.error.empty()) text += fmt::format("target   unknown: {}\n", table.error);
  return text;
}

std::string to_text(const Inspection& inspection) {
  std::string text;
  if (!inspection.files.empty()) text += pieces_text(inspection);
  text += other_files_text(inspection) + skipped_text(inspection);
  for (const TableFacts& table : inspection.tables) text += table_text(table);
  for (const std::string& note : inspection.notes)
    text += fmt::format("note     {}\n", one_line(note));
  return text + (inspection.obstacle.empty()
                     ? "puzzle   complete: humpty solve can take it\n"
                     : fmt::format("puzzle   not as it is: {}\n", inspection.obstacle));
}

// Nothing to show is an error: the first reason, and how many more there are.
void check_something_was_read(const Inspection& inspection) {
  std::vector<std::string> errors;
  for (const FileFacts& file : inspection.files) {
    if (file.error.empty()) return;
    errors.push_back(file.error);
  }
  for (const TableFacts& table : inspection.tables) {
    if (!table.columns.empty()) return;
    errors.push_back(table.error);
  }
  if (errors.empty()) throw Error(ErrorCode::not_found, inspection.obstacle);
  std::string message = errors[0];
  if (errors.size() > 1)
    message += fmt::format(" (and {} more that cannot be read)", errors.size() - 1);
  throw Error(ErrorCode::bad_format, message);
}

struct InspectCommand {
  PuzzleOptions puzzle;
  std::string json;

  int run() const {
    check_outputs({{"--json", json}});
    const Inspection inspection = inspect(puzzle.paths, puzzle.read);
    check_something_was_read(inspection);
    write_both(to_text(inspection), json, [&] { return to_json(inspection); });
    return 0;
  }
};

}  // namespace

void add_inspect(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("inspect", "Show what is in the files, puzzle or not");
  command->footer(R"(
Shows every piece (where it is, role, norm and range of its weight, NaN and infinite values, norm of its bias),
what other files hold, what was skipped or could not be read and why, and the columns of the data.
Norms and ranges are of the finite values. The last line says whether humpty solve can take it.

Exit codes: 0 something was read, 2 a path is missing or nothing could be read.

Examples:
  humpty inspect historical_data_and_pieces
  humpty inspect checkpoint.pth --json - | jq '.files[].tensors[].shape')");
  auto state = std::make_shared<InspectCommand>();
  state->puzzle.add_files_to(*command);
  command
      ->add_option("--json", state->json,
                   "Write the facts as JSON to FILE ('-': standard output, instead of the table)")
      ->type_name("FILE");
  command->callback([state, &exit_code] { exit_code = state->run(); });
}

}  // namespace humpty::cli
