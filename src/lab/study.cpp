// Measures the pairing signals where the answers are known.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "humpty/humpty.hpp"
#include "io/file.hpp"

namespace humpty::lab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void bad_answer(const std::string& file) {
  throw Error(ErrorCode::bad_format,
              "no answer: this needs \"permutation\", a list of piece ids or comma-joined text",
              {.file = file});
}

std::vector<int> ids_in(const std::string& text, const std::string& file) {
  const nlohmann::json list = nlohmann::json::parse("[" + text + "]", nullptr, false);
  if (!list.is_array() ||
      !std::all_of(list.begin(), list.end(), [](const auto& id) { return id.is_number_integer(); }))
    bad_answer(file);
  return list.get<std::vector<int>>();
}

using Partners = std::map<int, int>;  // expand id → contract id

// in, out, in, out, …, head
Partners partners(const std::vector<int>& permutation) {
  Partners found;
  for (std::size_t i = first_block(permutation.size()); i + 2 < permutation.size(); i += 2)
    found[permutation[i]] = permutation[i + 1];
  return found;
}

std::vector<bool> right_pairs(const PairReport& report, const Partners& truth) {
  std::vector<bool> right;
  for (std::size_t i = 0; i < report.pairing.expand.size(); ++i) {
    const auto found = truth.find(report.pairing.expand[i]);
    right.push_back(found != truth.end() &&
                    found->second == report.pairing.contract[report.pairing.match[i]]);
  }
  return right;
}

void add_ensemble(const PairReport& report, const Partners& truth, SignalScores& scores) {
  const std::vector<bool> right = right_pairs(report, truth);
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double confidence = report.confidence[i];
    scores.pairs.emplace_back(confidence, right[i]);
    scores.given_90 += confidence >= 0.9;
    scores.right_90 += confidence >= 0.9 && right[i];
    scores.given_99 += confidence >= 0.99;
    scores.right_99 += confidence >= 0.99 && right[i];
    const std::vector<int>& list = report.candidates[i];
    const auto end = list.begin() + std::min<std::ptrdiff_t>(5, std::ssize(list));
    const auto own = truth.find(report.pairing.expand[i]);
    scores.in_five += own != truth.end() && std::find(list.begin(), end, own->second) != end;
  }
  scores.trace = report.trace;
  scores.separation = report.separation;
  scores.chance = report.chance;
}

SignalScores study(const std::string& folder, const std::vector<int>& answer, PairOptions options) {
  SignalScores scores;
  const Puzzle puzzle = read_puzzle({folder}, {.threads = options.threads});
  const Partners truth = partners(answer);
  scores.blocks = puzzle.blocks();
  for (PairSignal signal : {PairSignal::ensemble, PairSignal::ratio, PairSignal::norms,
                            PairSignal::whitened, PairSignal::bilinear}) {
    options.signal = signal;
    const auto start = std::chrono::steady_clock::now();
    const PairReport report = pair_pieces(puzzle, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const std::vector<bool> right = right_pairs(report, truth);
    scores.correct.emplace_back(
        signal, static_cast<std::size_t>(std::count(right.begin(), right.end(), true)));
    if (signal != PairSignal::ensemble) continue;
    scores.seconds = took.count();
    add_ensemble(report, truth, scores);
  }
  return scores;
}

// A puzzle with an answer, or a folder of them.
std::vector<std::string> puzzles_in(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw Error(ErrorCode::not_found, "no such folder", {.file = folder});
  if (fs::exists(fs::path(folder) / "answer.json")) return {folder};
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "answer.json")) found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  if (found.empty())
    throw Error(ErrorCode::not_found,
                "no puzzles with an answer.json here; 'humpty train' and 'humpty drop' write them",
                {.file = folder});
  return found;
}

}  // namespace

std::vector<std::string> puzzles_with_answers(const std::vector<std::string>& folders) {
  std::vector<std::string> puzzles;
  for (const std::string& folder : folders)
    for (const std::string& puzzle : puzzles_in(folder)) puzzles.push_back(puzzle);
  return puzzles;
}

std::optional<std::vector<int>> read_answer(const std::string& folder) {
  const std::string path = (fs::path(folder) / "answer.json").string();
  if (!fs::exists(path)) return std::nullopt;
  const io::File file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("permutation")) bad_answer(path);
  const nlohmann::json& list = json["permutation"];
  return ids_in(list.is_string()                   ? list.get<std::string>()
                : list.is_array() && !list.empty() ? list.dump().substr(1, list.dump().size() - 2)
                                                   : "?",
                path);
}

std::vector<SignalScores> study_signals(const std::vector<std::string>& folders,
                                        const PairOptions& options) {
  const std::vector<std::string> puzzles = puzzles_with_answers(folders);
  std::vector<SignalScores> all;
  for (const std::string& folder : puzzles) {
    if (options.progress &&
        !options.progress({"study",
                           static_cast<double>(all.size()) / static_cast<double>(puzzles.size()),
                           folder}))
      break;
    SignalScores scores;
    try {
      scores = study(folder, *read_answer(folder), options);
    } catch (const Error& error) {
      scores.error = error.what();
    }
    scores.net = folder;
    all.push_back(std::move(scores));
  }
  return all;
}

}  // namespace humpty::lab
