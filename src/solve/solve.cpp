// Pair, order, verify; and the clock for each.
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.hpp"
#include "pair/ratio.hpp"
#include "solve/job.hpp"

namespace humpty {
namespace strategy {
namespace {

std::vector<net::Net::Pair> pairs(const std::vector<const Piece*>& expand,
                                  const std::vector<const Piece*>& contract) {
  std::vector<net::Net::Pair> blocks;
  for (std::size_t k = 0; k < expand.size(); ++k) blocks.push_back({expand[k], contract[k]});
  return blocks;
}

std::vector<const Piece*> pieces_of(const Puzzle& puzzle, const std::vector<int>& ids) {
  std::vector<const Piece*> pieces;
  for (int id : ids) pieces.push_back(&puzzle.piece(id));
  return pieces;
}

std::vector<int> matched(const Pairing& pairing) {
  std::vector<int> ids;
  for (std::size_t column : pairing.match) ids.push_back(pairing.contract[column]);
  return ids;
}

// Sixteen roundings' worth of the target's size: generous, for the search only. What counts as
// exact is the verifier's to say.
double float32_floor(const Matrix& target) {
  double square = 0;
  for (float y : target.values) square += double{y} * double{y};
  constexpr double kRelative = 16 * 0x1p-24;
  return kRelative * kRelative * square / static_cast<double>(target.values.size());
}

}  // namespace

Job::Job(const Puzzle& puzzle_, const Pairing& pairing_, Threads& threads_, Watch& watch_)
    : puzzle(puzzle_),
      pairing(pairing_),
      threads(threads_),
      watch(watch_),
      expand(pieces_of(puzzle, pairing.expand)),
      contract(pieces_of(puzzle, matched(pairing))),
      net(pairs(expand, contract), puzzle.pieces[puzzle.with_role(Role::head)[0]],
          puzzle.activation),
      floor(float32_floor(puzzle.rows.target)) {}

net::Batch Job::rows(std::size_t count) const {
  const std::size_t all = puzzle.rows.features.rows;
  return net::Batch(puzzle.rows, 0, count == 0 ? all : std::min(count, all));
}

std::vector<int> Job::expand_ids(const order::Order& order) const {
  std::vector<int> ids;
  for (std::size_t block : order) ids.push_back(expand[block]->id);
  return ids;
}

}  // namespace strategy

namespace {

// Adds the time since the last lap to a stage.
class Clock {
 public:
  explicit Clock(std::vector<Timing>& timings) : timings_(timings) {}
  void lap(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    for (Timing& timing : timings_)
      if (timing.stage == stage) return void(timing.ms += ms);
    timings_.push_back({stage, ms});
  }

 private:
  std::vector<Timing>& timings_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::vector<int> permutation_of(const strategy::Job& job, const order::Order& order) {
  std::vector<int> ids;
  for (std::size_t k : order) ids.insert(ids.end(), {job.expand[k]->id, job.contract[k]->id});
  ids.push_back(job.puzzle.pieces[job.puzzle.with_role(Role::head)[0]].id);
  return ids;
}

void set_blocks(const strategy::Job& job, const order::Order& order, Solution& solution) {
  const Pairing& pairing = solution.pairing;
  solution.blocks.clear();
  for (std::size_t k : order)
    solution.blocks.push_back({job.expand[k]->id, job.contract[k]->id,
                               pairing.scores[k * pairing.contract.size() + pairing.match[k]],
                               pair::margin(pairing, k)});
  solution.permutation = permutation_of(job, order);
  solution.head = solution.permutation.back();
}

}  // namespace

Solution solve(const Puzzle& puzzle, const SolveOptions& options) {
  Solution solution;
  Clock clock(solution.timings);
  Threads threads(options.threads);
  Watch watch(options.progress, options.time_limit);
  watch.go_on("pair", 0, "scoring all pairs");
  solution.pairing = pair::pair_by_ratio(puzzle, threads);
  clock.lap("pair");
  strategy::Job job(puzzle, solution.pairing, threads, watch);
  const strategy::Accept accept = [&](const order::Order& order) {
    clock.lap("order");
    // What was found before a stop is still checked. Rivals cost nothing until the floor is
    // reached.
    const OnProgress progress = watch.why() == Stop::asked ? nullptr : options.progress;
    const Certificate certificate = verify(puzzle, permutation_of(job, order),
                                           {.scope = options.certificate,
                                            .noise = options.noise,
                                            .threads = options.threads,
                                            .progress = progress});
    if (solution.permutation.empty() || certificate.verdict != Verdict::unsolved ||
        certificate.mse < solution.certificate.mse) {
      set_blocks(job, order, solution);
      solution.certificate = certificate;
    }
    clock.lap("verify");
    return certificate.verdict != Verdict::unsolved;
  };
  if (options.method == Method::paper)
    solve_as_paper(job, options, solution, accept);
  else
    solve_best(job, solution, accept);
  if (watch.stopped()) solution.stopped = watch.why() == Stop::asked ? "asked to" : "time limit";
  solution.verdict = solution.certificate.verdict;
  return solution;
}

std::string Solution::permutation_text() const {
  return fmt::format("{}", fmt::join(permutation, ","));
}

std::string Solution::sha256() const { return sha256_hex(permutation_text()); }

}  // namespace humpty
