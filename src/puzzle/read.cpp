// Reads the files of a puzzle, and checks that they fit together.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "humpty/humpty.hpp"
#include "puzzle/files.hpp"
#include "puzzle/pieces.hpp"
#include "puzzle/read.hpp"
#include "puzzle/roles.hpp"
#include "puzzle/rows.hpp"

namespace humpty {
namespace {

void check_fit(const Puzzle& puzzle, const std::string& data) {
  const Piece& head = puzzle.pieces[puzzle.with_role(Role::head)[0]];
  const Rows& rows = puzzle.rows;
  if (rows.features.rows == 0)
    throw Error(ErrorCode::bad_data, "the data has no rows", {.file = data});
  const Piece* stem = puzzle.stem();
  const std::size_t inputs = (stem ? *stem : head).weight.cols;
  if (rows.features.cols != inputs)
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the net takes {} inputs but the data has {} feature columns ({}{})", inputs,
                    rows.features.cols,
                    fmt::join(rows.feature_names.begin(),
                              rows.feature_names.begin() +
                                  std::min<std::ptrdiff_t>(6, std::ssize(rows.feature_names)),
                              ", "),
                    rows.feature_names.size() > 6 ? ", …" : ""),
        {.file = data});
  if (rows.target.cols != head.weight.rows)
    throw Error(ErrorCode::bad_data,
                fmt::format("the net has {} outputs but the data has {} target columns ({})",
                            head.weight.rows, rows.target.cols, fmt::join(rows.target_names, ", ")),
                {.file = data});
}

// Rows of probabilities sum to one, which the outputs of a linear layer do not.
bool are_probabilities(const Matrix& target) {
  constexpr double kTolerance = 1e-3;
  if (target.cols < 2) return false;
  for (std::size_t r = 0; r < target.rows; ++r) {
    double sum = 0;
    for (std::size_t k = 0; k < target.cols; ++k) {
      if (!(target.row(r)[k] >= 0)) return false;
      sum += double{target.row(r)[k]};
    }
    if (std::abs(sum - 1) > kTolerance) return false;
  }
  return true;
}

void check_probabilities(const Matrix& target, const std::string& data) {
  for (float p : target.values)
    if (!(p >= 0 && p <= 1))
      throw Error(ErrorCode::bad_data,
                  fmt::format("{} is no probability; leave out --probabilities", p),
                  {.file = data});
}

Target target_kind(const ReadOptions& options, const Rows& rows, const std::string& data) {
  if (options.target == "true" || options.target.starts_with("true_")) return Target::truth;
  if (options.probabilities) check_probabilities(rows.target, data);
  return options.probabilities || are_probabilities(rows.target) ? Target::probabilities
                                                                 : Target::outputs;
}

Puzzle with_activation(std::vector<Piece> pieces, Rows rows, const ReadOptions& options) {
  Puzzle puzzle;
  puzzle.pieces = std::move(pieces);
  puzzle.rows = std::move(rows);
  puzzle.activation = options.activation.value_or(Activation::relu);
  puzzle.activation_known = options.activation.has_value();
  return puzzle;
}

void set_roles(Puzzle& puzzle, const ReadOptions& options) {
  for (const Piece& piece : puzzle.pieces) puzzle::check_finite(piece);
  if (options.roles.empty())
    puzzle.roles_confidence = puzzle::find_roles(puzzle.pieces, puzzle.rows.features.cols);
  else
    puzzle::state_roles(puzzle.pieces, options.roles);
}

Puzzle assemble(std::vector<Piece> pieces, Rows rows, const ReadOptions& options,
                const std::string& data) {
  Puzzle puzzle = with_activation(std::move(pieces), std::move(rows), options);
  set_roles(puzzle, options);
  check_fit(puzzle, data);
  return puzzle;
}

// Rows from memory have passed no reader.
void check_finite(const Matrix& values, const std::vector<std::string>& names, const char* what,
                  const Threads& threads) {
  for (std::size_t r = 0; r < values.rows; ++r) {
    if (r % 4096 == 0) threads.check();
    const float* row = values.row(r);
    for (std::size_t c = 0; c < values.cols; ++c)
      if (!std::isfinite(row[c]))
        throw Error(
            ErrorCode::bad_value,
            fmt::format("{} is {} in row {}; leave such rows out",
                        c < names.size() ? names[c] : fmt::format("{} {}", what, c), row[c], r));
  }
}

void check_rows(const Rows& rows, const ReadOptions& options) {
  const Threads threads(1, options.cancel);
  if (rows.features.rows != rows.target.rows)
    throw Error(ErrorCode::bad_data, fmt::format("{} rows of features but {} of the target",
                                                 rows.features.rows, rows.target.rows));
  check_finite(rows.features, rows.feature_names, "feature", threads);
  check_finite(rows.target, rows.target_names, "target", threads);
}

Puzzle without_rows(std::vector<Piece> pieces, const ReadOptions& options) {
  Puzzle puzzle = with_activation(std::move(pieces), {}, options);
  puzzle.target = Target::none;
  set_roles(puzzle, options);
  return puzzle;
}

puzzle::Choice choice_of(const ReadOptions& options) {
  return {options.target, options.features, options.drop_missing};
}

Rows read_rows(const puzzle::Files& files, const std::string& data, const ReadOptions& options,
               Threads& threads, std::vector<std::string>& notes) {
  const auto read = [&](const std::string& file) {
    return puzzle::read_data(file, threads, notes, files.opened);
  };
  if (options.target_file.empty()) return puzzle::to_rows(read(data), choice_of(options), notes);
  const puzzle::Data features = read(data);
  return puzzle::to_rows(features, read(options.target_file), choice_of(options), notes);
}

}  // namespace

Puzzle puzzle::read_found(const Files& files, const ReadOptions& options) {
  puzzle::check_pieces(files);
  Threads threads(options.threads, options.cancel);
  std::vector<io::Tensors> tensors =
      puzzle::read_files(files.pieces, files.opened, options.key, threads);
  std::vector<std::string> notes;
  const auto pieces = [&](std::size_t width) {
    return puzzle::to_pieces(std::move(tensors), options.transposed, width, notes);
  };
  Puzzle puzzle;
  const bool none = options.data_optional && options.data.empty() && files.data.empty() &&
                    files.maybe_data.empty();
  if (options.no_data || none) {
    puzzle = without_rows(pieces(0), options);
  } else {
    const std::string data = puzzle::choose_data(files, options.data);
    Rows rows = read_rows(files, data, options, threads, notes);
    const Target target = target_kind(options, rows, data);
    const std::size_t width = rows.features.cols;
    // The roles in a heap are for salvage to find.
    puzzle = options.heap ? with_activation(pieces(width), std::move(rows), options)
                          : assemble(pieces(width), std::move(rows), options, data);
    puzzle.target = target;
  }
  puzzle.notes = std::move(notes);
  return puzzle;
}

Puzzle read_puzzle(const std::vector<std::string>& paths, const ReadOptions& options) {
  return puzzle::read_found(puzzle::find_files(paths, options), options);
}

Rows make_rows(std::vector<std::string> names, Matrix values, const ReadOptions& options,
               std::vector<std::string>* notes) {
  std::vector<std::string> found;
  io::check_names({names.begin(), names.end()}, "");
  if (names.empty() || names.size() != values.cols)
    throw Error(ErrorCode::bad_shape,
                fmt::format("{} names for {} columns", names.size(), values.cols));
  const puzzle::Data data{{"", std::move(names), std::move(values)}, false};
  Rows rows = puzzle::to_rows(data, choice_of(options), found);
  if (notes) notes->insert(notes->end(), found.begin(), found.end());
  return rows;
}

std::vector<Piece> read_pieces(const std::vector<std::string>& paths, const ReadOptions& options,
                               std::vector<std::string>* notes) {
  const puzzle::Files files = puzzle::find_files(paths, options);
  puzzle::check_pieces(files);
  Threads threads(options.threads, options.cancel);
  std::vector<std::string> found;
  std::vector<Piece> pieces =
      puzzle::to_pieces(puzzle::read_files(files.pieces, files.opened, options.key, threads),
                        options.transposed, 0, found);
  if (notes) notes->insert(notes->end(), found.begin(), found.end());
  return pieces;
}

Puzzle make_puzzle(std::vector<Piece> pieces, Rows rows, Activation activation) {
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.id < b.id; });
  return assemble(std::move(pieces), std::move(rows), {.activation = activation}, "");
}

Puzzle make_puzzle(std::vector<Piece> pieces, Rows rows, const ReadOptions& options) {
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.id < b.id; });
  if (options.no_data) return without_rows(std::move(pieces), options);
  check_rows(rows, options);
  const Target target = target_kind(options, rows, "");
  Puzzle puzzle = assemble(std::move(pieces), std::move(rows), options, "");
  puzzle.target = target;
  return puzzle;
}

Puzzle make_puzzle(Blocks blocks, Rows rows, const ReadOptions& options) {
  std::vector<Piece> pieces;
  const auto add = [&](Piece& piece, Role role) {
    puzzle::check_finite(piece);
    piece.id = static_cast<int>(pieces.size());
    piece.role = role;
    pieces.push_back(std::move(piece));
  };
  for (auto& [in, out] : blocks.blocks) {
    if (in.weight.rows != out.weight.cols)
      throw Error(ErrorCode::bad_shape,
                  fmt::format("block {} has {} hidden units on the way in and {} on the way out",
                              pieces.size() / 2, in.weight.rows, out.weight.cols));
    add(in, Role::expand);
    add(out, Role::contract);
  }
  add(blocks.head, Role::head);
  if (blocks.stem) add(*blocks.stem, Role::stem);
  puzzle::check_roles(pieces);
  check_rows(rows, options);
  Puzzle puzzle = with_activation(std::move(pieces), std::move(rows), options);
  check_fit(puzzle, "");
  puzzle.target = target_kind(options, puzzle.rows, "");
  return puzzle;
}

std::vector<Piece> make_pieces(std::vector<NamedTensors> files, const ReadOptions& options,
                               std::size_t features, std::vector<std::string>* notes) {
  std::vector<io::Tensors> read;
  for (NamedTensors& file : files) {
    io::Tensors tensors{std::move(file.file), {}};
    for (NamedTensor& tensor : file.tensors) {
      const Where where{.file = tensors.file, .tensor = tensor.name};
      if (io::count_items(tensor.shape, where) != tensor.values.size())
        throw Error(ErrorCode::bad_shape, "its shape does not fit its values", where);
      tensors.tensors.push_back({std::move(tensor.name), std::move(tensor.shape),
                                 io::dtype_named(tensor.dtype), std::move(tensor.values)});
    }
    io::check_names(tensors.tensors, tensors.file);
    read.push_back(std::move(tensors));
  }
  std::vector<std::string> found;
  std::vector<Piece> pieces =
      puzzle::to_pieces(std::move(read), options.transposed, features, found);
  if (notes) notes->insert(notes->end(), found.begin(), found.end());
  return pieces;
}

std::vector<std::size_t> Puzzle::with_role(Role role) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].role == role) found.push_back(i);
  return found;
}

const Piece* Puzzle::stem() const {
  const std::vector<std::size_t> found = with_role(Role::stem);
  return found.empty() ? nullptr : &pieces[found[0]];
}

const Piece& Puzzle::piece(int id) const {
  const auto found = std::lower_bound(pieces.begin(), pieces.end(), id,
                                      [](const Piece& p, int wanted) { return p.id < wanted; });
  if (found == pieces.end() || found->id != id)
    throw Error(ErrorCode::usage, fmt::format("there is no piece {}", id));
  return *found;
}

}  // namespace humpty
