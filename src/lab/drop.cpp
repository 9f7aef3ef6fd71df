#include "humpty/humpty.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

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

// The permutation in an answer that we wrote, known by its hash; of any other file nothing.
std::vector<int> own_answer(const fs::path& path) {
  if (!fs::is_regular_file(fs::symlink_status(path))) return {};
  const io::File file(path.string());
  const nlohmann::json answer =
      nlohmann::json::parse(file.bytes().begin(), file.bytes().end(), nullptr, false);
  if (!answer.is_object()) return {};
  const nlohmann::json ids = answer.value("permutation", nlohmann::json());
  if (!ids.is_array() ||
      !std::all_of(ids.begin(), ids.end(), [](const auto& id) { return id.is_number_integer(); }))
    return {};
  auto permutation = ids.get<std::vector<int>>();
  const std::string hash = sha256_hex(fmt::format("{}", fmt::join(permutation, ",")));
  return answer.value("sha256", nlohmann::json()) == hash ? permutation : std::vector<int>{};
}

[[noreturn]] void refuse_to_replace(const fs::path& stranger) {
  throw Error(ErrorCode::not_writable,
              "is no part of a puzzle written by humpty, so it is not replaced; move it away or "
              "name another folder",
              {.file = stranger.string()});
}

// Only a puzzle of our own making may be replaced: its answer is there, its rows are a file, and
// among its pieces lie none but those that the answer numbers.
void check_replaceable(const fs::path& folder) {
  const auto there = [&](const char* part) {
    return fs::exists(fs::symlink_status(folder / part));
  };
  if (std::none_of(std::begin(kParts), std::end(kParts), there)) return;
  std::set<fs::path> own;
  for (int id : own_answer(folder / "answer.json")) own.insert(folder / piece_file(id));
  const fs::path pieces = folder / "pieces", rows = folder / "data.csv";
  if (fs::is_directory(fs::symlink_status(pieces))) {
    for (const fs::directory_entry& entry : fs::directory_iterator(pieces))
      if (!own.contains(entry.path()) || !fs::is_regular_file(entry.symlink_status()))
        refuse_to_replace(entry.path());
  } else if (there("pieces")) {
    refuse_to_replace(pieces);
  }
  if (there("data.csv") && (own.empty() || !fs::is_regular_file(fs::symlink_status(rows))))
    refuse_to_replace(rows);
  if (there("answer.json") && own.empty()) refuse_to_replace(folder / "answer.json");
}

// A folder within the target's for what is not whole yet. It goes at the end, as do the folders
// made for it that nothing came into.
class Workplace {
 public:
  explicit Workplace(const fs::path& folder)
      : path_(folder / fmt::format(".partial-{}", getpid())) {
    for (fs::path up = folder; !up.empty() && !fs::exists(up); up = up.parent_path())
      made_.push_back(up);
    fs::create_directories(path_);
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    for (const fs::path& each : made_) fs::remove(each, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  std::vector<fs::path> made_;  // the innermost first
};

// Old parts go aside, and come back if the new ones cannot take their place.
void move_into_place(const fs::path& fresh, const fs::path& aside, const fs::path& folder) {
  std::vector<std::pair<fs::path, fs::path>> moved;
  const auto move = [&](const fs::path& from, const fs::path& to) {
    fs::rename(from, to);
    moved.emplace_back(from, to);
  };
  fs::create_directory(aside);
  try {
    for (const char* part : kParts) {
      if (fs::exists(folder / part)) move(folder / part, aside / part);
      move(fresh / part, folder / part);
    }
  } catch (...) {
    std::error_code ignored;
    for (auto it = moved.rbegin(); it != moved.rend(); ++it)
      fs::rename(it->second, it->first, ignored);
    throw;
  }
}

// What the standard library says of files, as an Error.
template <class Work>
void with_files_of(const std::string& folder, const Work& work) {
  try {
    work();
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorCode::not_writable, error.code().message(), {.file = folder});
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
  check_output_folder(folder, force);
  with_files_of(folder, [&] {
    const fs::path target = (fs::path(folder) / "").lexically_normal().parent_path();
    const Workplace place(target.empty() ? "." : target);
    write_parts(place.path() / "new", dropped, about);
    move_into_place(place.path() / "new", place.path() / "old", target);
  });
}

void check_output_folder(const std::string& folder, bool force) {
  with_files_of(folder, [&] {
    io::check_writable_folder(folder);
    if (!fs::exists(folder)) return;
    if (!force && !fs::is_empty(folder))
      throw Error(ErrorCode::not_writable,
                  "the folder is not empty; name another one, or replace its puzzle with --force",
                  {.file = folder});
    check_replaceable(folder);
  });
}

}  // namespace humpty::lab
