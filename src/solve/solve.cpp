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
      all_rows(puzzle.rows, 0, puzzle.rows.features.rows) {}

std::vector<int> Job::expand_ids(const order::Order& order) const {
  std::vector<int> ids;
  for (std::size_t block : order) ids.push_back(expand[block]->id);
  return ids;
}

double Job::floor() const {
  double square = 0;
  for (float y : puzzle.rows.target.values) square += double{y} * double{y};
  constexpr double kRelative = 16 * 0x1p-24;
  return kRelative * kRelative * square / static_cast<double>(puzzle.rows.target.values.size());
}

}  // namespace strategy

namespace {

class Clock {
 public:
  explicit Clock(std::vector<Timing>& timings) : timings_(timings) {}
  void lap(std::string stage) {
    const auto now = std::chrono::steady_clock::now();
    timings_.push_back(
        {std::move(stage), std::chrono::duration<double, std::milli>(now - last_).count()});
    last_ = now;
  }

 private:
  std::vector<Timing>& timings_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void fill_in(const strategy::Job& job, const order::Order& order, Solution& solution) {
  const Pairing& pairing = solution.pairing;
  for (std::size_t k : order) {
    const double score = pairing.scores[k * pairing.contract.size() + pairing.match[k]];
    solution.blocks.push_back(
        {job.expand[k]->id, job.contract[k]->id, score, pair::margin(pairing, k)});
    solution.permutation.insert(solution.permutation.end(),
                                {job.expand[k]->id, job.contract[k]->id});
  }
  solution.head = job.puzzle.pieces[job.puzzle.with_role(Role::head)[0]].id;
  solution.permutation.push_back(solution.head);
}

}  // namespace

Solution solve(const Puzzle& puzzle, const SolveOptions& options) {
  Solution solution;
  Clock clock(solution.timings);
  Threads threads(options.threads);
  Watch watch(options.progress);
  watch.go_on("pair", 0, "scoring all pairs");
  solution.pairing = pair::pair_by_ratio(puzzle, threads);
  clock.lap("pair");
  strategy::Job job(puzzle, solution.pairing, threads, watch);
  fill_in(job,
          options.method == Method::paper ? strategy::solve_as_paper(job, options, solution)
                                          : strategy::solve_best(job, solution),
          solution);
  clock.lap("order");
  solution.interrupted = watch.stopped();
  const OnProgress progress =
      watch.stopped() ? nullptr : options.progress;  // what was found is still checked
  solution.certificate = verify(puzzle, solution.permutation, {false, options.threads, progress});
  solution.verdict = solution.certificate.verdict;
  clock.lap("verify");
  return solution;
}

std::string Solution::permutation_text() const {
  return fmt::format("{}", fmt::join(permutation, ","));
}

std::string Solution::sha256() const { return sha256_hex(permutation_text()); }

}  // namespace humpty
