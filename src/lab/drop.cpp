#include "humpty/humpty.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "base/sha256.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "io/torch.hpp"
#include "net/predict.hpp"

namespace humpty::lab {
namespace fs = std::filesystem;
namespace {

constexpr const char* kParts[] = {"pieces", "data.csv", "answer.json"};

std::string piece_file(int id) { return fmt::format("pieces/piece_{}.pth", id); }

void add_columns(const std::string& stem, const Matrix& values, bool numbered, io::Table& table,
                 std::size_t at) {
  for (std::size_t c = 0; c < values.cols; ++c) {
    table.names.push_back(numbered ? fmt::format("{}_{}", stem, c) : stem);
    for (std::size_t r = 0; r < values.rows; ++r) table.values.row(r)[at + c] = values.row(r)[c];
  }
}

io::Table to_table(const Dropped& dropped) {
  const Matrix &x = dropped.puzzle.rows.features, &y = dropped.puzzle.rows.target,
               &truth = dropped.truth;
  io::Table table;
  table.values = {x.rows, x.cols + y.cols + truth.cols, {}};
  table.values.values.resize(table.values.rows * table.values.cols);
  add_columns("measurement", x, true, table, 0);
  add_columns("pred", y, y.cols > 1, table, x.cols);
  add_columns("true", truth, truth.cols > 1, table, x.cols + y.cols);
  return table;
}

std::string answer_text(const Dropped& dropped, const std::string& about) {
  nlohmann::ordered_json answer;
  answer["permutation"] = dropped.permutation;
  answer["sha256"] = sha256_hex(fmt::format("{}", fmt::join(dropped.permutation, ",")));
  answer["activation"] = name(dropped.puzzle.activation);
  answer["blocks"] = dropped.puzzle.blocks();
  answer.update(nlohmann::ordered_json::parse(about));
  return answer.dump(2) + "\n";
}

void write_parts(const fs::path& folder, const Dropped& dropped, const std::string& about) {
  fs::create_directories(folder / "pieces");
  for (const Piece& piece : dropped.puzzle.pieces) {
    std::vector<io::Tensor> tensors;
    tensors.push_back({"weight",
                       {piece.weight.rows, piece.weight.cols},
                       io::DType::float32,
                       piece.weight.values});
    if (!piece.bias.empty())
      tensors.push_back({"bias", {piece.bias.size()}, io::DType::float32, piece.bias});
    io::write_torch((folder / piece_file(piece.id)).string(), tensors);
  }
  io::write_csv((folder / "data.csv").string(), to_table(dropped));
  io::write_file((folder / "answer.json").string(), answer_text(dropped, about));
}

void move_into_place(const fs::path& from, const fs::path& folder) {
  fs::create_directories(folder);
  for (const char* part : kParts) {
    fs::remove_all(folder / part);
    fs::rename(from / part, folder / part);
  }
}

}  // namespace

Dropped drop(std::vector<Piece> applied, Rows rows, Activation activation, std::uint64_t rng,
             unsigned thread_count, const CancelFlag* cancel) {
  Threads threads(thread_count, cancel);
  Dropped dropped;
  dropped.truth = std::move(rows.target);
  rows.target = net::predict(applied, activation, rows.features, threads);
  dropped.permutation.resize(applied.size());
  std::iota(dropped.permutation.begin(), dropped.permutation.end(), 0);
  Random(rng).shuffle(dropped.permutation);
  for (std::size_t i = 0; i < applied.size(); ++i) {
    applied[i].id = dropped.permutation[i];
    applied[i].file = piece_file(applied[i].id);
    applied[i].role = role_at(i, applied.size());
  }
  std::sort(applied.begin(), applied.end(),
            [](const Piece& a, const Piece& b) { return a.id < b.id; });
  dropped.puzzle = {std::move(applied), std::move(rows), activation};
  return dropped;
}

void write_puzzle(const std::string& folder, const Dropped& dropped, const std::string& about,
                  bool force) {
  const fs::path target = fs::path(folder).lexically_normal();
  check_output_folder(folder, force);
  const fs::path partial = fmt::format(
      "{}.partial-{}", (target.has_filename() ? target : target.parent_path()).string(), getpid());
  try {
    write_parts(partial, dropped, about);
    move_into_place(partial, target);
    fs::remove_all(partial);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    throw Error(ErrorCode::not_writable, error.code().message(), {.file = folder});
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    throw;
  }
}

void check_output_folder(const std::string& folder, bool force) {
  if (fs::exists(folder) && !fs::is_directory(folder))
    throw Error(ErrorCode::not_writable, "is a file; name a folder to write into",
                {.file = folder});
  if (!force && fs::exists(folder) && !fs::is_empty(folder))
    throw Error(ErrorCode::not_writable,
                "the folder is not empty; name another one, or replace its puzzle with --force",
                {.file = folder});
}

}  // namespace humpty::lab
