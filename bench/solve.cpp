// The whole job in units of F, one forward pass of all rows by our own kernel, measured in the same
// run. Every answer is checked before its time counts.
//   bench_solve FOLDER PROGRAM [SHA256]
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "net/net.hpp"
#include "order/walk.hpp"
#include "times.hpp"

namespace {

using humpty::Puzzle;
using humpty::Solution;

using humpty::bench::time_of;
using humpty::bench::Times;

void check(const Solution& solution, const std::string& sha256) {
  if (solution.verdict == humpty::Verdict::exact && (sha256.empty() || solution.sha256() == sha256))
    return;
  fmt::print(stderr, "wrong answer: {} {}\n", name(solution.verdict), solution.sha256());
  std::exit(1);
}

double stage_ms(const Solution& solution, std::string_view stage) {
  for (const humpty::Timing& timing : solution.timings)
    if (timing.stage == stage) return timing.ms;
  return 0;
}

// One forward pass of all rows in the order of the answer.
Times forward(const Puzzle& puzzle, const Solution& answer, humpty::Threads& threads) {
  std::vector<humpty::net::Net::Pair> pairs;
  for (const humpty::Block& block : answer.blocks)
    pairs.push_back({&puzzle.piece(block.in), &puzzle.piece(block.out)});
  const humpty::net::Net net(pairs, puzzle.piece(answer.head), puzzle.activation);
  const humpty::net::Batch batch(puzzle.rows, 0, puzzle.rows.features.rows);
  humpty::order::Order order(pairs.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const humpty::order::Walk walk(net, batch, threads);
  const Times times = time_of([&] { walk.error(order, 1e300); }, 30);
  if (walk.error(order, 1e300) > 1e-9) std::exit(1);
  return times;
}

void run(const std::string& folder, const std::string& program, const std::string& sha256,
         unsigned count) {
  const Puzzle puzzle = humpty::read_puzzle({folder});
  humpty::Threads threads(count);
  const Solution answer = humpty::solve(puzzle, {.threads = count});
  check(answer, sha256);
  const Times f = forward(puzzle, answer, threads);
  fmt::print("{} thread{}: F = {:.1f} ms (median {:.1f})\n", count, count > 1 ? "s" : "",
             f.best * 1e3, f.median * 1e3);
  const auto row = [&](const char* what, const Times& times) {
    fmt::print("  {:<38} {:7.1f} ms  {:6.2f} F   (medians {:.2f} F)\n", what, times.best * 1e3,
               times.best / f.best, times.median / f.median);
  };

  std::vector<double> found, verified;
  time_of(
      [&] {
        const Solution solution = humpty::solve(puzzle, {.threads = count});
        check(solution, sha256);
        found.push_back((stage_ms(solution, "pair") + stage_ms(solution, "seed") +
                         stage_ms(solution, "search")) /
                        1e3);
        verified.push_back(stage_ms(solution, "verify") / 1e3);
      },
      20);
  row("read pieces and rows",
      time_of([&] { humpty::read_puzzle({folder}, {.threads = count}); }, 20));
  row("cat of the same files",
      time_of(
          [&] {
            if (std::system(
                    fmt::format("find '{}' -name '*.pth' -o -name '*.csv' | xargs cat >/dev/null",
                                folder)
                        .c_str()))
              std::exit(1);
          },
          10));
  row("pair + order", humpty::bench::summary(found));
  row("verify", humpty::bench::summary(verified));
  const std::string expected = sha256.empty() ? "" : "--expect-sha256 " + sha256;
  row("whole program", time_of(
                           [&] {
                             const int status = std::system(
                                 fmt::format("'{}' solve '{}' --threads {} {} >/dev/null 2>&1",
                                             program, folder, count, expected)
                                     .c_str());
                             if (WEXITSTATUS(status) != 0) std::exit(1);
                           },
                           20));
  humpty::SolveOptions paper{.method = humpty::Method::paper, .threads = count};
  const auto as_paper = [&] { check(humpty::solve(puzzle, paper), sha256); };
  paper.seed = humpty::Seed::wout;
  row("--method paper --seed wout", time_of(as_paper, 3));
  paper.seed = humpty::Seed::delta;
  row("--method paper --seed delta", time_of(as_paper, 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: bench_solve FOLDER PROGRAM [SHA256]\n");
    return 2;
  }
  for (unsigned count : {1u, 2u}) run(argv[1], argv[2], argc > 3 ? argv[3] : "", count);
}
