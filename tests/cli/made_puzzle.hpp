// A small puzzle on disk that the program solves, to be damaged in one place per test.
#pragma once

#include <random>

#include "io/csv.hpp"
#include "io/torch.hpp"
#include "nets.hpp"
#include "program.hpp"

namespace humpty::test {

inline void write_piece(const std::string& path, const Piece& piece) {
  fs::create_directories(fs::path(path).parent_path());
  const std::vector<io::Tensor> tensors{
      {"weight", {piece.weight.rows, piece.weight.cols}, io::DType::float32, piece.weight.values},
      {"bias", {piece.bias.size()}, io::DType::float32, piece.bias}};
  io::write_torch(path, tensors);
}

inline io::Table to_table(const Rows& rows) {
  io::Table table;
  for (std::size_t f = 0; f < rows.features.cols; ++f)
    table.names.push_back(fmt::format("measurement_{}", f));
  for (std::size_t o = 0; o < rows.target.cols; ++o)
    table.names.push_back(rows.target.cols == 1 ? "pred" : fmt::format("pred_{}", o));
  table.values = {rows.features.rows, table.names.size(), {}};
  for (std::size_t r = 0; r < rows.features.rows; ++r) {
    table.values.values.append(rows.features.row(r), rows.features.row(r) + rows.features.cols);
    table.values.values.append(rows.target.row(r), rows.target.row(r) + rows.target.cols);
  }
  return table;
}

// Four blocks of 5/8, one output, 60 rows: pieces/piece_K.pth and data.csv. Ids are the places in
// which they are applied, so the answer is 0,1,2,…,8.
struct MadePuzzle {
  Folder folder;
  std::vector<Piece> applied;
  Rows rows;

  explicit MadePuzzle(std::size_t outputs = 1, unsigned seed = 11) {
    std::mt19937 rng(seed);
    applied = random_net(4, 5, 8, outputs, rng);
    rows = random_rows(applied, 60, rng);
    for (const Piece& piece : applied) write_piece(piece_path(piece.id), piece);
    io::write_csv(folder / "data.csv", to_table(rows));
  }
  std::string piece_path(int id) const { return folder / fmt::format("pieces/piece_{}.pth", id); }
  Outcome solve(const std::string& options = "") const {
    return run_program(folder, "solve . " + options);
  }
  void replace_in_data(const std::string& from, const std::string& to) const {
    std::string text = read_text(folder / "data.csv");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    write_text(folder / "data.csv", text.replace(at, from.size(), to));
  }
};

}  // namespace humpty::test
