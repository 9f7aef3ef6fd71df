// Pair, order, verify; and the clock for each.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.hpp"
#include "pair/ratio.hpp"
#include "solve/job.hpp"
#include "solve/poor_data.hpp"
#include "verify/floor.hpp"

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

// Sixteen roundings' worth of the target's size, and what its digits and the noise declared leave
// open: generous, for the search only. What counts as exact is the verifier's to say.
double search_floor(const Matrix& target, double noise) {
  double square = 0;
  for (float y : target.values) square += double{y} * double{y};
  constexpr double kRelative = 16 * 0x1p-24, kMargin = 1.1;
  return kRelative * kRelative * square / static_cast<double>(target.values.size()) +
         kMargin * (verifier::rounding_of(target.values) + noise * noise);
}

}  // namespace

Job::Job(const Puzzle& puzzle_, const Pairing& pairing_, double noise_, Threads& threads_,
         Watch& watch_, Clock& clock_, net::Net::Passes passes)
    : puzzle(puzzle_),
      pairing(pairing_),
      threads(threads_),
      watch(watch_),
      clock(clock_),
      expand(pieces_of(puzzle, pairing.expand)),
      contract(pieces_of(puzzle, matched(pairing))),
      net(pairs(expand, contract), puzzle.pieces[puzzle.with_role(Role::head)[0]],
          puzzle.activation, passes),
      noise(noise_),
      floor(search_floor(puzzle.rows.target, noise)) {}

net::Batch Job::rows(std::size_t count) const {
  const std::size_t all = puzzle.rows.features.rows;
  return net::Batch(puzzle.rows, 0, count == 0 ? all : std::min(count, all));
}

std::vector<int> Job::expand_ids(const order::Order& order) const {
  std::vector<int> ids;
  for (std::size_t block : order) ids.push_back(expand[block]->id);
  return ids;
}

bool Job::exchange(std::size_t a, std::size_t b) {
  if (expand[a]->weight.rows != expand[b]->weight.rows) return false;
  std::swap(contract[a], contract[b]);
  net.exchange(a, b);
  return true;
}

}  // namespace strategy

namespace {

std::vector<int> permutation_of(const strategy::Job& job, const order::Order& order) {
  std::vector<int> ids;
  for (std::size_t k : order) ids.insert(ids.end(), {job.expand[k]->id, job.contract[k]->id});
  ids.push_back(job.puzzle.pieces[job.puzzle.with_role(Role::head)[0]].id);
  return ids;
}

Block block(const Pairing& pairing, int in, int out) {
  const auto place = [](const std::vector<int>& ids, int id) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  };
  const std::size_t row = place(pairing.expand, in), column = place(pairing.contract, out),
                    width = pairing.contract.size();
  const double score = pairing.scores[row * width + column];
  return {in, out, score,
          column == pairing.match[row] ? pair::margin(pairing, row)
                                       : score - pairing.scores[row * width + pairing.match[row]]};
}

void set_permutation(std::vector<int> permutation, Solution& solution) {
  solution.blocks.clear();
  for (std::size_t i = 0; i + 1 < permutation.size(); i += 2)
    solution.blocks.push_back(block(solution.pairing, permutation[i], permutation[i + 1]));
  solution.head = permutation.back();
  solution.permutation = std::move(permutation);
}

// The floor is generous. Where a rival explains the rows much better still, it is the likelier
// order, and is certified instead.
void polish(const Puzzle& puzzle, const VerifyOptions& options, Solution& solution) {
  constexpr double kMuchBetter = 0.5;
  for (std::size_t step = 0; step < puzzle.blocks(); ++step) {
    const Rival* best = nullptr;
    for (const Rival& rival : solution.certificate.survivors)
      if (!rival.is_bound && rival.mse < kMuchBetter * solution.certificate.mse &&
          (!best || rival.mse < best->mse))
        best = &rival;
    if (!best) return;
    set_permutation(after(*best, solution.permutation), solution);
    solution.certificate = verify(puzzle, solution.permutation, options);
  }
}

// Scores of wrong pairs are noise about zero; these stand out of it.
std::vector<int> firm_pairs(const Solution& solution) {
  const Pairing& pairing = solution.pairing;
  double sum = 0, square = 0, count = 0;
  for (std::size_t i = 0; i < pairing.scores.size(); ++i) {
    const double score = pairing.scores[i];
    if (!std::isfinite(score) ||
        pairing.match[i / pairing.contract.size()] == i % pairing.contract.size())
      continue;
    sum += score, square += score * score, ++count;
  }
  constexpr double kSigmas = 5;
  const double mean = count > 0 ? sum / count : 0,
               sigma = count > 0 ? std::sqrt(std::max(0.0, square / count - mean * mean)) : 0;
  std::vector<int> firm;
  for (const Block& each : solution.blocks)
    if (each.score > mean + kSigmas * sigma && each.margin > kSigmas / 2 * sigma)
      firm.push_back(each.in);
  return firm;
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
  const Puzzle searched = strategy::with_plain_outputs(puzzle);
  strategy::Job job(searched, solution.pairing, options.noise, threads, watch, clock);
  if (puzzle.target == Target::none) {
    set_permutation(permutation_of(job, strategy::guess_without_rows(job)), solution);
    solution.firm_pairs = firm_pairs(solution);
    strategy::explain_guess(solution);
    clock.lap("order");
    return solution;
  }
  VerifyOptions checking{.scope = options.certificate,
                         .noise = options.noise,
                         .advise = false,
                         .threads = options.threads,
                         .progress = options.progress};
  const strategy::Accept accept = [&](const strategy::Job& proposed, const order::Order& order) {
    clock.lap("search");
    // What was found before a stop is still checked. Rivals cost nothing until the floor is
    // reached.
    if (watch.why() == Stop::asked) checking.progress = nullptr;
    const Certificate certificate = verify(puzzle, permutation_of(proposed, order), checking);
    if (solution.permutation.empty() || certificate.verdict != Verdict::unsolved ||
        certificate.mse < solution.certificate.mse) {
      set_permutation(permutation_of(proposed, order), solution);
      solution.certificate = certificate;
    }
    clock.lap("verify");
    return certificate.verdict != Verdict::unsolved;
  };
  if (options.method == Method::paper)
    solve_as_paper(job, options, solution, accept);
  else if (!(pair::is_clear(solution.pairing) && solve_quickly(job, solution, accept)))
    solve_harder(job, options, solution, accept);
  if (watch.stopped()) solution.stopped = watch.why() == Stop::asked ? "asked to" : "time limit";
  clock.lap("order");
  polish(puzzle, checking, solution);
  if (solution.certificate.verdict == Verdict::unsolved) {
    checking.advise = true;
    solution.certificate = verify(puzzle, solution.permutation, checking);
  }
  solution.firm_pairs = firm_pairs(solution);
  solution.verdict = solution.certificate.verdict;
  clock.lap("verify");
  return solution;
}

std::string Solution::permutation_text() const {
  return fmt::format("{}", fmt::join(permutation, ","));
}

std::string Solution::sha256() const { return sha256_hex(permutation_text()); }

}  // namespace humpty
