// What one size costs: a planted puzzle solved from scratch, checked, as one line of JSON with the
// best milliseconds of every stage. One size per process, so that the peak memory is its own.
//   bench_scale blocks d h rows [threads]
#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "memory.hpp"
#include "planted.hpp"

namespace {

constexpr int kRuns = 5;
constexpr double kEnough = 2000;  // ms: what takes longer is run once

humpty::Solution solved(const humpty::lab::Dropped& dropped, unsigned threads) {
  const humpty::Solution solution =
      humpty::solve(dropped.puzzle, {.threads = threads, .time_limit = 0});
  if (solution.verdict != humpty::Verdict::exact || solution.permutation != dropped.permutation) {
    fmt::print(stderr, "wrong answer, {}: {}\n", name(solution.verdict), solution.certificate.why);
    std::exit(1);
  }
  return solution;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: bench_scale blocks d h rows [threads]\n");
    return 2;
  }
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  const humpty::bench::Shape shape{number(1), number(2), number(3), number(4)};
  const auto dropped = humpty::bench::planted(shape, 1);
  const auto threads = static_cast<unsigned>(argc > 5 ? number(5) : 0);
  std::map<std::string, double> best;
  std::size_t moves = 0;
  double spent = 0;
  for (int run = 0; run < kRuns && spent < kEnough; ++run) {
    const humpty::Solution solution = solved(dropped, threads);
    moves = 0;
    for (const humpty::Round& round : solution.rounds) moves += round.swaps;
    for (const humpty::Timing& timing : solution.timings) {
      spent += timing.ms;
      const double before = run ? best[timing.stage] : timing.ms;
      best[timing.stage] = std::min(before, timing.ms);
    }
  }
  fmt::print("{}\n", nlohmann::json{{"blocks", shape.blocks},
                                    {"d", shape.d},
                                    {"h", shape.h},
                                    {"rows", shape.rows},
                                    {"moves", moves},
                                    {"ms", best},
                                    {"peak_mib", humpty::bench::peak_mib()}}
                         .dump());
}
