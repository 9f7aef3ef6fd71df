// The whole job, stage by stage, in units of F, one forward pass of all rows by our own kernel; F
// itself against the FMA peak. All take turns, round after round, so that a busy moment of the
// machine hits all of them, and every answer is checked before its time counts. The puzzle in
// disguise (renumbered, permuted, rescaled) runs beside the plain one.
//   bench_solve FOLDER PROGRAM [--json FILE] [--sha256 HEX]
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "disguise.hpp"
#include "net/net.hpp"
#include "order/walk.hpp"
#include "peak.hpp"
#include "times.hpp"

namespace {

using humpty::Puzzle;
using humpty::Solution;
using humpty::bench::seconds_of;
using Words = std::vector<std::string>;

constexpr int kRounds = 15, kPaperRounds = 3;

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "bench_solve: {}\n", why);
  std::exit(1);
}

// Runs a program silently to its end; gives the most memory that it held, in MB. A child counts the
// memory of the process that started it as its own, so ask while this one is small.
double run_program(const Words& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&silent, descriptor, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int status = posix_spawnp(&child, arguments[0], &silent, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&silent);
  rusage usage{};
  if (status != 0 || wait4(child, &status, 0, &usage) != child || status != 0)
    fail(fmt::format("{} failed", fmt::join(words, " ")));
  return static_cast<double>(usage.ru_maxrss) * 1024e-6;
}

// One forward pass of all rows in the order of the answer.
class Forward {
 public:
  Forward(const Puzzle& puzzle, const Solution& answer, humpty::Threads& threads)
      : net_(pairs(puzzle, answer), puzzle.piece(answer.head), puzzle.activation),
        batch_(puzzle.rows, 0, puzzle.rows.features.rows),
        walk_(net_, batch_, threads) {
    for (std::size_t k = 0; k < net_.blocks(); ++k) order_.push_back(k);
  }
  void run() const {
    if (walk_.error(order_, 1e300) > 1e-9) fail("the forward pass misses the target");
  }
  double flops() const {
    return 4.0 * static_cast<double>(net_.blocks() * net_.d() * net_.hidden() * batch_.rows());
  }

 private:
  static std::vector<humpty::net::Net::Pair> pairs(const Puzzle& puzzle, const Solution& answer) {
    std::vector<humpty::net::Net::Pair> list;
    for (const humpty::Block& block : answer.blocks)
      list.push_back({&puzzle.piece(block.in), &puzzle.piece(block.out)});
    return list;
  }
  humpty::net::Net net_;
  humpty::net::Batch batch_;
  humpty::order::Walk walk_;
  humpty::order::Order order_;
};

// Seconds by what they were spent on, in the sequence of first mention.
class Table {
 public:
  void add(const std::string& what, double seconds) {
    if (seconds_.find(what) == seconds_.end()) names_.push_back(what);
    seconds_[what].push_back(seconds);
  }
  humpty::bench::Times times(const std::string& what) const {
    return humpty::bench::summary(seconds_.at(what));
  }
  void print() const {
    const auto f = times("F");
    fmt::print("  {:<42} {:>8} {:>8} {:>8} {:>8}\n", "", "best ms", "median", "best F", "median F");
    for (const std::string& name : names_) {
      const auto t = times(name);
      fmt::print("  {:<42} {:>8.1f} {:>8.1f} {:>8.2f} {:>8.2f}\n", name, t.best * 1e3,
                 t.median * 1e3, t.best / f.best, t.median / f.median);
    }
  }
  nlohmann::ordered_json json() const {
    nlohmann::ordered_json rows;
    for (const std::string& name : names_)
      rows[name] = {{"best_ms", times(name).best * 1e3}, {"median_ms", times(name).median * 1e3}};
    return rows;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::vector<double>> seconds_;
};

// A puzzle in a folder and in memory, with its answer.
struct Case {
  std::string name, folder;
  Puzzle puzzle;
  std::string sha256;
};

Solution solved(const Case& one, humpty::SolveOptions options) {
  options.time_limit = 0;
  const Solution solution = humpty::solve(one.puzzle, options);
  if (solution.verdict != humpty::Verdict::exact || solution.sha256() != one.sha256)
    fail(fmt::format("wrong answer to {}: {} {}", one.name, name(solution.verdict),
                     solution.sha256()));
  return solution;
}

void add_solve(const Case& one, unsigned threads, Table& table) {
  const Solution solution = solved(one, {.threads = threads});
  double finding = 0;
  for (const humpty::Timing& timing : solution.timings) {
    table.add(one.name + timing.stage, timing.ms / 1e3);
    if (timing.stage != "verify") finding += timing.ms / 1e3;
  }
  table.add(one.name + "pair + seed + search", finding);
}

void add_program(const Case& one, const std::string& program, unsigned threads, Table& table) {
  table.add(one.name + "whole program", seconds_of([&] {
              run_program({program, "solve", one.folder, "--threads", std::to_string(threads),
                           "--expect-sha256", one.sha256});
            }));
}

Words files_of(const std::string& folder) {
  Words words{"cat"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".pth" || entry.path().extension() == ".csv")
      words.push_back(entry.path().string());
  return words;
}

void add_paper(const Case& one, humpty::Seed seed, unsigned threads, Table& table) {
  const char* what = seed == humpty::Seed::wout ? "wout" : "delta";
  table.add(fmt::format("--method paper --seed {}", what), seconds_of([&] {
              solved(one, {.method = humpty::Method::paper, .seed = seed, .threads = threads});
            }));
}

nlohmann::ordered_json run(const std::vector<Case>& cases, const std::string& program,
                           unsigned count) {
  const Case& plain = cases[0];
  humpty::Threads threads(count);
  const Forward forward(plain.puzzle, solved(plain, {.threads = count}), threads);
  const Words cat = files_of(plain.folder);
  Table table;
  double peak = 0;
  for (int round = 0; round < kRounds; ++round) {
    peak = std::max(peak, humpty::bench::fma_peak(count));
    for (int again = 0; again < 3; ++again) table.add("F", seconds_of([&] { forward.run(); }));
    table.add("cat of the same files", seconds_of([&] { run_program(cat); }));
    table.add("start-up", seconds_of([&] { run_program({program, "--version"}); }));
    for (const Case& one : cases) {
      table.add(one.name + "read",
                seconds_of([&] { humpty::read_puzzle({one.folder}, {.threads = count}); }));
      add_solve(one, count, table);
      add_program(one, program, count, table);
    }
    if (round >= kPaperRounds) continue;
    add_paper(plain, humpty::Seed::wout, count, table);
    add_paper(plain, humpty::Seed::delta, count, table);
  }
  const double share = forward.flops() / table.times("F").best * 1e-9 / peak;
  fmt::print("\n{} thread{}: F is {:.0f} % of the FMA peak of {:.0f} GFLOP/s\n", count,
             count > 1 ? "s" : "", 100 * share, peak);
  table.print();
  return {{"fma_peak_gflops", peak}, {"F_share_of_peak", share}, {"rows", table.json()}};
}

// The same puzzle under another appearance, in a folder of its own.
Case disguised(const Case& plain, const std::string& folder) {
  const Solution answer = humpty::solve(plain.puzzle);
  const auto other = humpty::test::disguise(plain.puzzle, answer.permutation, 1);
  humpty::lab::write_puzzle(folder, {other.puzzle, other.truth, {}}, "{}", true);
  Solution truth;
  truth.permutation = other.truth;
  return {"in disguise: ", folder, humpty::read_puzzle({folder}), truth.sha256()};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The whole job, stage by stage, in units of one forward pass");
  std::string folder, program, json, sha256;
  app.add_option("folder", folder, "The puzzle")->required();
  app.add_option("program", program, "The humpty to run")->required();
  app.add_option("--json", json, "Write the figures to this file, too");
  app.add_option("--sha256", sha256,
                 "Of the answer; default: of the first answer verified as exact");
  CLI11_PARSE(app, argc, argv);

  const double memory = run_program({program, "solve", folder});  // first, while this is small
  fmt::print("{}: peak memory of the whole program {:.1f} MB\n", folder, memory);
  Case plain{"", folder, humpty::read_puzzle({folder}), sha256};
  if (sha256.empty()) plain.sha256 = humpty::solve(plain.puzzle).sha256();
  const auto scratch =
      std::filesystem::temp_directory_path() / fmt::format("humpty-bench-{}", getpid());
  const std::vector<Case> cases{plain, disguised(plain, scratch.string())};
  nlohmann::ordered_json report{{"puzzle", folder}, {"peak_memory_mb", memory}};
  for (const unsigned count : {1u, 2u})
    report["threads"][std::to_string(count)] = run(cases, program, count);
  std::filesystem::remove_all(scratch);
  if (!json.empty()) std::ofstream(json) << report.dump(2) << "\n";
}
