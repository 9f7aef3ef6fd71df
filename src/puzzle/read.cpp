// Reads the files of a puzzle, and checks that they fit together.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "humpty/humpty.hpp"
#include "io/csv.hpp"
#include "puzzle/files.hpp"
#include "puzzle/pieces.hpp"
#include "puzzle/roles.hpp"
#include "puzzle/rows.hpp"

namespace humpty {
namespace {

void check_fit(const Puzzle& puzzle, const std::string& data) {
  const Piece& head = puzzle.pieces[puzzle.with_role(Role::head)[0]];
  const Rows& rows = puzzle.rows;
  if (rows.features.rows == 0)
    throw Error(ErrorCode::bad_data, "the data has no rows", {.file = data});
  if (rows.features.cols != head.weight.cols)
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the net takes {} inputs but the data has {} feature columns ({}{})",
                    head.weight.cols, rows.features.cols,
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

Puzzle assemble(std::vector<Piece> pieces, Rows rows, const ReadOptions& options,
                const std::string& data) {
  Puzzle puzzle{std::move(pieces), std::move(rows)};
  puzzle.activation = options.activation.value_or(Activation::relu);
  puzzle.activation_known = options.activation.has_value();
  for (const Piece& piece : puzzle.pieces) puzzle::check_finite(piece);
  if (options.roles.empty())
    puzzle.roles_confidence = puzzle::find_roles(puzzle.pieces, puzzle.rows.features.cols);
  else
    puzzle::state_roles(puzzle.pieces, options.roles);
  check_fit(puzzle, data);
  return puzzle;
}

}  // namespace

Puzzle read_puzzle(const std::vector<std::string>& paths, const ReadOptions& options) {
  const puzzle::Files files = puzzle::find_files(paths);
  if (!files.barren.empty())
    throw Error(
        ErrorCode::not_found,
        "no pieces here: no .pth, .safetensors, .npz, … in the folder or in its folder 'pieces'",
        {.file = files.barren[0]});
  if (files.pieces.empty())
    throw Error(ErrorCode::not_found, "no pieces: name a folder or files of pieces");
  Threads threads(options.threads);
  std::vector<Piece> pieces = puzzle::read_pieces(files.pieces, threads);
  const std::string data = puzzle::choose_data(files, options.data);
  Rows rows = puzzle::to_rows(io::read_csv(data, &threads), options.target);
  return assemble(std::move(pieces), std::move(rows), options, data);
}

Puzzle make_puzzle(std::vector<Piece> pieces, Rows rows, Activation activation) {
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.id < b.id; });
  return assemble(std::move(pieces), std::move(rows), {.activation = activation}, "");
}

std::vector<std::size_t> Puzzle::with_role(Role role) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].role == role) found.push_back(i);
  return found;
}

const Piece& Puzzle::piece(int id) const {
  const auto found = std::lower_bound(pieces.begin(), pieces.end(), id,
                                      [](const Piece& p, int wanted) { return p.id < wanted; });
  if (found == pieces.end() || found->id != id)
    throw Error(ErrorCode::usage, fmt::format("there is no piece {}", id));
  return *found;
}

}  // namespace humpty
