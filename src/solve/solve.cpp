// Pair, order, verify; and the clock for each.
#include <algorithm>
#include <cmath>
#include <limits>
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The error that a way ends with, on the rows that it looked at.
double last_error(const strategy::Way& way) {
  if (!way.rounds.empty()) return way.rounds.back().mse;
  return way.seed_order.empty() ? kInfinity : way.seed_mse;
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
    std::vector<int> permutation = after(*best, solution.permutation);
    Certificate certificate = verify(puzzle, permutation, options);
    if (!certificate.complete) return;
    set_permutation(std::move(permutation), solution);
    solution.certificate = std::move(certificate);
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

// An order with all that is told of it.
struct Answer {
  std::vector<int> permutation;
  Pairing pairing;
  Activation activation = Activation::relu;
  strategy::Way way;
  double error = 0;  // on the rows that the search looked at
  Certificate certificate = {};
};

// One solve from start to end: what it was given, what it has found so far.
//
// The time limit, and a wish to stop, hold for all of it. They end a search wherever it is, by an
// exception (base/watch.hpp); the best that it had reached is then the answer, and gets kGrace
// seconds of the verifier's time. What that could not check is not claimed.
class Search : public strategy::Listener {
 public:
  Search(const Puzzle& puzzle, const SolveOptions& options)
      : puzzle_(puzzle),
        options_(options),
        clock_(solution_.timings),
        threads_(options.threads, options.cancel),
        watch_(options.progress, options.time_limit) {
    solution_.activation = puzzle.activation;
    threads_.heed(watch_);
  }

  Solution run() {
    try {
      find();
    } catch (const Stopped&) {
    }
    clock_.lap("search");
    if (puzzle_.target == Target::none)
      explain();
    else
      conclude();
    if (watch_.stopped())
      solution_.stopped = watch_.why() == Stop::asked ? "asked to" : "time limit";
    return std::move(solution_);
  }

  void paired(const Pairing& pairing) override {
    solution_.pairing = pairing;
    show();
  }
  void went(const strategy::Way& way) override {
    set_way(way, solution_);
    show();
  }
  void remarked(const std::string& line) override { solution_.story.push_back(line); }

  void reached(const strategy::Job& job, const order::Standing& best,
               const strategy::Way& way) override {
    if (!reached_ || best.error < reached_->error)
      reached_ = answer(job, best.order, way, best.error);
  }

  bool accept(const strategy::Job& job, const order::Order& order,
              const strategy::Way& way) override {
    return propose(answer(job, order, way, last_error(way)));
  }
  Activation activation() const override {
    return kept_ ? kept_->activation : solution_.activation;
  }

 private:
  static constexpr double kGrace = 0.3;

  void show() const {
    if (options_.news) options_.news(solution_);
  }

  void find() {
    const Puzzle& stream = stream_of_it();
    if (puzzle_.target == Target::none) {
      const Pairing pairing = scored();
      const strategy::Job job(stream, pairing, 0, threads_, watch_, clock_);
      const strategy::Guess guess = strategy::guess_without_rows(job);
      kept_ = answer(job, guess.order, {guess.seed}, kInfinity);
    } else if (puzzle_.target == Target::probabilities) {
      search(strategy::with_logits(stream));
    } else {
      search(stream);
    }
  }

  Pairing scored() {
    watch_.go_on("pair", 0, "scoring all pairs");
    Pairing pairing = pair::pair_by_ratio(puzzle_, threads_);
    if (!options_.pairs.empty()) state_pairs(options_.pairs, pairing);
    clock_.lap("pair");
    paired(pairing);
    return pairing;
  }

  void search(const Puzzle& puzzle) {
    if (options_.method == Method::best) return search_well(puzzle);
    const Pairing pairing = scored();
    strategy::Job job(puzzle, pairing, options_.noise, threads_, watch_, clock_);
    solve_as_paper(job, options_, *this);
  }

  void search_well(const Puzzle& puzzle) {
    const strategy::When all = strategy::when_to_try_all(puzzle, options_);
    if (all == strategy::When::before_scoring && try_all(puzzle, unscored_pairing(puzzle_))) return;
    const Pairing pairing = scored();
    strategy::Job job(puzzle, pairing, options_.noise, threads_, watch_, clock_);
    const bool clear = !options_.pairs.empty() || pair::is_clear(pairing);
    if (clear && solve_quickly(job, options_, *this)) return;
    if (all == strategy::When::before_all_signals && solve_by_trying_all(job, options_, *this))
      return;
    solve_harder(job, options_, *this);
    if (all == strategy::When::last && kept_ && kept_->certificate.verdict == Verdict::unsolved)
      solve_by_trying_all(job, options_, *this);
  }

  bool try_all(const Puzzle& puzzle, const Pairing& pairing) {
    strategy::Job job(puzzle, pairing, options_.noise, threads_, watch_, clock_);
    paired(pairing);
    return solve_by_trying_all(job, options_, *this);
  }

  Answer answer(const strategy::Job& job, const order::Order& order, const strategy::Way& way,
                double error) const {
    return {applied(job, order), job.pairing_now(), job.puzzle.activation, way, error};
  }

  // Where nothing was reached.
  Answer pieces_as_they_lie() const {
    Answer answer{{}, solution_.pairing, puzzle_.activation, {"the pieces as they lie"}, kInfinity};
    if (answer.pairing.match.empty()) {
      answer.pairing = unscored_pairing(puzzle_);
      if (!options_.pairs.empty()) state_pairs(options_.pairs, answer.pairing);
    }
    if (const Piece* stem = puzzle_.stem()) answer.permutation.push_back(stem->id);
    for (std::size_t k = 0; k < answer.pairing.match.size(); ++k)
      answer.permutation.insert(
          answer.permutation.end(),
          {answer.pairing.expand[k], answer.pairing.contract[answer.pairing.match[k]]});
    answer.permutation.push_back(strategy::head_of(puzzle_).id);
    return answer;
  }

  // Has the verifier look at it and keeps the best. Rivals cost nothing until the floor is reached.
  bool propose(Answer answer) {
    clock_.lap("search");
    answer.certificate = verify(with(answer.activation), answer.permutation, checking());
    const bool solved = answer.certificate.verdict != Verdict::unsolved;
    if (!answer.certificate.complete) {
      watch_.stop(watch_.seconds_left() > 0 ? Stop::asked : Stop::out_of_time);
      if (answer.certificate.rows == 0 && std::isfinite(answer.error))
        answer.certificate.why += fmt::format(
            "; on the rows that the search looked at the error is {:.3g}", answer.error);
    }
    if (!kept_ || solved || error_of(answer) < error_of(*kept_)) {
      kept_ = std::move(answer);
      assemble();
    }
    clock_.lap("verify");
    return solved;
  }

  static double error_of(const Answer& answer) {
    return answer.certificate.rows > 0 ? answer.certificate.mse : answer.error;
  }

  VerifyOptions checking(bool advise = false) {
    double seconds = watch_.seconds_left() + kGrace;
    if (watch_.why() == Stop::asked) {
      if (!ending_) ending_.emplace(nullptr, kGrace);
      seconds = std::min(seconds, ending_->seconds_left());
    }
    constexpr double kLeast = 1e-3;
    return {.scope = options_.certificate,
            .quick = true,
            .noise = options_.noise,
            .advise = advise,
            .threads = options_.threads,
            .time_limit = std::max(seconds, kLeast),
            .progress = ending_ ? nullptr : options_.progress,
            .cancel = options_.cancel};
  }

  // The one place where a solution is made of what the strategies tell.
  void assemble() {
    solution_.pairing = kept_->pairing;
    set_permutation(kept_->permutation, solution_);
    solution_.activation = kept_->activation;
    set_way(kept_->way, solution_);
    solution_.certificate = kept_->certificate;
  }

  void conclude() {
    if (watch_.stopped() && reached_ &&
        (!kept_ ||
         (reached_->permutation != kept_->permutation && reached_->error < error_of(*kept_))))
      propose(std::move(*reached_));
    if (!kept_) propose(pieces_as_they_lie());
    assemble();
    show();
    const Puzzle& puzzle = with(solution_.activation);
    polish(puzzle, checking(), solution_);
    if (solution_.certificate.verdict == Verdict::unsolved && solution_.certificate.complete) {
      Certificate advised = verify(puzzle, solution_.permutation, checking(true));
      if (advised.complete) solution_.certificate = std::move(advised);
    }
    solution_.firm_pairs = firm_pairs(solution_);
    solution_.verdict = solution_.certificate.verdict;
    clock_.lap("verify");
  }

  // Without rows there is nothing to verify.
  void explain() {
    const bool guessed = kept_.has_value();
    if (!guessed) kept_ = pieces_as_they_lie();
    assemble();
    solution_.firm_pairs = firm_pairs(solution_);
    if (guessed) return strategy::explain_guess(solution_);
    solution_.certificate.permutation = solution_.permutation;
    solution_.certificate.why = "stopped before the pieces were paired: they are as they lie";
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
  std::optional<Watch> ending_;    // since somebody has asked for a stop
  std::optional<Answer> kept_;     // the best that the verifier has seen
  std::optional<Answer> reached_;  // the best by the rows that a search looks at
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
