// Pair, order, verify; and the clock for each.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.hpp"
#include "net/stem.hpp"
#include "pair/ratio.hpp"
#include "solve/answer.hpp"
#include "solve/job.hpp"
#include "solve/poor_data.hpp"

namespace humpty {
namespace {

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

// The match as the caller knows it.
void state_pairs(const std::vector<std::pair<int, int>>& pairs, Pairing& pairing) {
  const auto place = [](const std::vector<int>& ids, int id) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  };
  const std::size_t n = pairing.expand.size();
  std::vector<char> in_seen(n + 1), out_seen(n + 1);
  for (const auto& [in, out] : pairs) {
    const std::size_t row = place(pairing.expand, in), column = place(pairing.contract, out);
    const bool fresh = !std::exchange(in_seen[row], 1) && !std::exchange(out_seen[column], 1);
    if (row == n || column == n || !fresh || !std::isfinite(pairing.scores[row * n + column]))
      throw Error(ErrorCode::usage,
                  fmt::format("pieces {} and {} cannot be a pair: name an expand and a contract "
                              "piece of one width, each once",
                              in, out));
    pairing.match[row] = column;
  }
  if (pairs.size() != n)
    throw Error(ErrorCode::usage, fmt::format("{} of {} pairs are stated", pairs.size(), n));
}

// One solve from start to end: what it was given, what it has found so far.
class Search {
 public:
  Search(const Puzzle& puzzle, const SolveOptions& options)
      : puzzle_(puzzle),
        options_(options),
        clock_(solution_.timings),
        threads_(options.threads, options.cancel),
        watch_(options.progress, options.time_limit, [this] { show(); }),
        checking_{.scope = options.certificate,
                  .quick = true,
                  .noise = options.noise,
                  .advise = false,
                  .threads = options.threads,
                  .progress = options.progress,
                  .cancel = options.cancel} {
    solution_.activation = puzzle.activation;
  }

  Solution run() {
    watch_.go_on("pair", 0, "scoring all pairs");
    solution_.pairing = pair::pair_by_ratio(puzzle_, threads_);
    if (!options_.pairs.empty()) state_pairs(options_.pairs, solution_.pairing);
    clock_.lap("pair");
    show();
    if (puzzle_.target == Target::none) return guess();
    const Puzzle& stream = stream_of_it();
    if (puzzle_.target == Target::probabilities)
      search(strategy::with_logits(stream));
    else
      search(stream);
    if (watch_.stopped())
      solution_.stopped = watch_.why() == Stop::asked ? "asked to" : "time limit";
    clock_.lap("search");
    conclude();
    return std::move(solution_);
  }

 private:
  void show() const {
    if (options_.news) options_.news(solution_);
  }

  Solution guess() {
    const strategy::Job job(stream_of_it(), solution_.pairing, 0, threads_, watch_, clock_);
    set_permutation(applied(job, strategy::guess_without_rows(job)), solution_);
    solution_.firm_pairs = firm_pairs(solution_);
    strategy::explain_guess(solution_);
    clock_.lap("search");
    return std::move(solution_);
  }

  void search(const Puzzle& puzzle) {
    const strategy::Accept accept = [&](const strategy::Job& job, const order::Order& order) {
      return propose(job, order);
    };
    const Pairing pairing = solution_.pairing;
    strategy::Job job(puzzle, pairing, options_.noise, threads_, watch_, clock_);
    if (options_.method == Method::paper) {
      solve_as_paper(job, options_, solution_, accept);
      return;
    }
    const bool clear = !options_.pairs.empty() || pair::is_clear(pairing);
    if (clear && solve_quickly(job, options_, solution_, accept)) return;
    solve_harder(job, options_, solution_, accept);
  }

  // Has the verifier look at a proposal and keeps the best. Rivals cost nothing until the floor is
  // reached; what was found before a stop is still checked.
  bool propose(const strategy::Job& job, const order::Order& order) {
    clock_.lap("search");
    if (watch_.why() == Stop::asked) checking_.progress = nullptr;
    const Certificate certificate =
        verify(with(job.puzzle.activation), applied(job, order), checking_);
    if (solution_.permutation.empty() || certificate.verdict != Verdict::unsolved ||
        certificate.mse < solution_.certificate.mse) {
      solution_.pairing = job.pairing_now();
      set_permutation(applied(job, order), solution_);
      solution_.activation = job.puzzle.activation;
      solution_.certificate = certificate;
    }
    clock_.lap("verify");
    return certificate.verdict != Verdict::unsolved;
  }

  void conclude() {
    const Puzzle& puzzle = with(solution_.activation);
    polish(puzzle, checking_, solution_);
    if (solution_.certificate.verdict == Verdict::unsolved) {
      checking_.advise = true;
      solution_.certificate = verify(puzzle, solution_.permutation, checking_);
    }
    solution_.firm_pairs = firm_pairs(solution_);
    solution_.verdict = solution_.certificate.verdict;
    clock_.lap("verify");
  }

  // What the blocks see of it: past the stem, where there is one.
  const Puzzle& stream_of_it() {
    if (!puzzle_.stem()) return puzzle_;
    return stream_.emplace(net::past_stem(puzzle_, threads_));
  }

  std::vector<int> applied(const strategy::Job& job, const order::Order& order) const {
    std::vector<int> ids = job.permutation(order);
    if (const Piece* stem = puzzle_.stem()) ids.insert(ids.begin(), stem->id);
    return ids;
  }

  // What was given, under another activation where that is tried.
  const Puzzle& with(Activation activation) {
    if (activation == puzzle_.activation) return puzzle_;
    if (!other_ || other_->activation != activation) {
      other_ = puzzle_;
      other_->activation = activation;
    }
    return *other_;
  }

  const Puzzle& puzzle_;
  const SolveOptions& options_;
  Solution solution_;
  Clock clock_;
  Threads threads_;
  Watch watch_;
  VerifyOptions checking_;
  std::optional<Puzzle> other_, stream_;
};

}  // namespace

Solution solve(const Puzzle& puzzle, const SolveOptions& options) {
  return Search(puzzle, options).run();
}

std::string Solution::permutation_text() const {
  return fmt::format("{}", fmt::join(permutation, ","));
}

std::string Solution::sha256() const { return sha256_hex(permutation_text()); }

}  // namespace humpty
