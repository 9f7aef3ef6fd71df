// Small fixed jobs whose instructions bench/guard counts. What comes before and after the job
// itself is not counted: counting is on inside humpty_guarded() only. One thread, planted nets
// (the same bits on every machine), every answer checked.
//   bench_guarded --compiler      says what compiled it
//   bench_guarded FOLDER          writes the puzzle that the job `read` reads, lists the jobs
//   bench_guarded FOLDER JOB      does one of them
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "pair/ratio.hpp"
#include "planted.hpp"

extern "C" void humpty_guarded(const std::function<void()>& job) {
  job();
  asm volatile("");  // no tail call: the job has to return through here
}

namespace {

using humpty::lab::Dropped;

// Through a pointer that the compiler cannot see through, or it makes copies of the function under
// other names.
void (*volatile guarded)(const std::function<void()>&) = humpty_guarded;

constexpr humpty::bench::Shape kShape{16, 24, 40, 200};

void require(bool right, const char* what) {
  if (right) return;
  fmt::print(stderr, "wrong answer: {}\n", what);
  std::exit(1);
}

void read(const Dropped& dropped, const std::string& folder) {
  humpty::Puzzle puzzle;
  guarded([&] { puzzle = humpty::read_puzzle({folder}, {.threads = 1}); });
  require(puzzle.pieces.size() == dropped.permutation.size(), "pieces");
  require(puzzle.rows.features.values == dropped.puzzle.rows.features.values, "rows");
}

void pair(const Dropped& dropped, const std::string&) {
  humpty::Threads threads(1);
  humpty::Pairing pairing;
  guarded([&] { pairing = humpty::pair::pair_by_ratio(dropped.puzzle, threads); });
  std::map<int, int> partner;
  for (std::size_t i = 0; i + 1 < dropped.permutation.size(); i += 2)
    partner[dropped.permutation[i]] = dropped.permutation[i + 1];
  for (std::size_t i = 0; i < pairing.match.size(); ++i)
    require(partner[pairing.expand[i]] == pairing.contract[pairing.match[i]], "pairs");
}

void solve(const Dropped& dropped, const humpty::SolveOptions& options) {
  humpty::Solution solution;
  guarded([&] { solution = humpty::solve(dropped.puzzle, options); });
  require(solution.verdict == humpty::Verdict::exact, "verdict");
  require(solution.permutation == dropped.permutation, "order");
}

void solve_best(const Dropped& dropped, const std::string&) {
  solve(dropped, {.threads = 1, .time_limit = 0});
}

void solve_as_paper(const Dropped& dropped, const std::string&) {
  solve(
      dropped,
      {.method = humpty::Method::paper, .seed = humpty::Seed::wout, .threads = 1, .time_limit = 0});
}

void verify(const Dropped& dropped, const std::string&) {
  humpty::Certificate certificate;
  guarded(
      [&] { certificate = humpty::verify(dropped.puzzle, dropped.permutation, {.threads = 1}); });
  require(certificate.verdict == humpty::Verdict::exact, "verdict");
}

const std::map<std::string, void (*)(const Dropped&, const std::string&)> kJobs{
    {"read", read},
    {"pair", pair},
    {"solve", solve_best},
    {"paper", solve_as_paper},
    {"verify", verify}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--compiler") {
    fmt::print("{}\n", HUMPTY_COMPILER);
    return 0;
  }
  const Dropped dropped = humpty::bench::planted(kShape, 1, 1);
  if (argc == 2) {
    humpty::lab::write_puzzle(argv[1], dropped, "{}", true);
    for (const auto& job : kJobs) fmt::print("{}\n", job.first);
    return 0;
  }
  const auto job = argc == 3 ? kJobs.find(argv[2]) : kJobs.end();
  if (job == kJobs.end()) {
    fmt::print(stderr, "usage: bench_guarded --compiler | FOLDER [JOB]\n");
    return 2;
  }
  job->second(dropped, argv[1]);
}
