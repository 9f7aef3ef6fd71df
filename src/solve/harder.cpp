// Where a seed and swaps do not get there, or the ratio does not tell the pairs.
//
//   1. All signals together pair the pieces (pair/ensemble.hpp).
//   2. The relaxation orders those pairs from nothing (order/relax.hpp). Every rounding of it that
//      is new is a start for insertions, and insertions do the last, discrete part: from a tau of
//      0.7 they are exact more often than not.
//   3. Pairs that the weights leave unsure become unknowns too: a relaxation over place × candidate
//      pair. As soon as its pairs settle they are ordered as in 2, where a step costs a tenth.
//   4. Still not there: the best order so far is softened, every block spread over the places
//      around its own, and relaxed again; wide and narrow spreads in turn.
//
// The steps' sizes follow from the net and the rows alone, never from the clock, so that the answer
// does not depend on the machine unless the time limit ends the search.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "net/mixture.hpp"
#include "order/relax.hpp"
#include "pair/ensemble.hpp"
#include "solve/job.hpp"

namespace humpty::strategy {
namespace {

double trace_now() { static const auto start = std::chrono::steady_clock::now(); return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
using order::Order;
using order::Standing;
using order::Weights;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSure = 0.99;                                   // a pair given this is not questioned
constexpr std::size_t kLeastRows = 512, kMostRows = 2048;        // of a relaxation, outputs counted
constexpr std::size_t kClimbRows = 512;                          // of insertions
constexpr std::size_t kMostMemory = std::size_t{3} << 30;        // of a relaxation, bytes
constexpr std::size_t kSteps = 40;                               // of a relaxation
constexpr double kSlow = 0.9;   // a step that leaves more than this of the error is a slow one,
constexpr int kSlowSteps = 2;   // and so many in a row end a relaxation

std::size_t relaxation_rows(std::size_t unknowns, const Puzzle& puzzle) {
  const std::size_t outputs = puzzle.rows.target.cols;
  const std::size_t wanted = std::clamp(unknowns, kLeastRows, kMostRows) / outputs;
  return std::min(std::max<std::size_t>(wanted, 64), puzzle.rows.features.rows);
}

std::vector<net::Candidate> one_each(std::size_t n) {
  std::vector<net::Candidate> candidates;
  for (std::size_t k = 0; k < n; ++k) candidates.push_back({k, k});
  return candidates;
}

// Every block spread evenly over the places within `width` of its own, and a little everywhere.
Weights softened(const Order& order, std::size_t width, const Weights& centre) {
  constexpr float kEverywhere = 0.03f;
  const std::size_t n = order.size();
  Weights weights(n * n);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t s = 0; s < n; ++s)
      if ((s > t ? s - t : t - s) <= width) weights[t * n + order[s]] = 1;
  constexpr int kBalance = 20;
  for (int round = 0; round < kBalance; ++round) {
    for (std::size_t t = 0; t < n; ++t) {
      float sum = 0;
      for (std::size_t b = 0; b < n; ++b) sum += weights[t * n + b];
      for (std::size_t b = 0; b < n; ++b) weights[t * n + b] /= sum;
    }
    for (std::size_t b = 0; b < n; ++b) {
      float sum = 0;
      for (std::size_t t = 0; t < n; ++t) sum += weights[t * n + b];
      for (std::size_t t = 0; t < n; ++t) weights[t * n + b] /= sum;
    }
  }
  for (std::size_t u = 0; u < n * n; ++u)
    weights[u] = (1 - kEverywhere) * weights[u] + kEverywhere * centre[u];
  return weights;
}

// Ends a relaxation that gets nowhere.
class Patience {
 public:
  bool goes_on(double loss) {
    slow_ = loss > kSlow * last_ ? slow_ + 1 : 0;
    last_ = loss;
    return slow_ < kSlowSteps;
  }

 private:
  double last_ = kInfinity;
  int slow_ = 0;
};

// Orders the blocks of one pairing.
class Orderer {
 public:
  Orderer(Job& job, const Accept& accept, std::vector<Round>& rounds)
      : job_(job),
        accept_(accept),
        rounds_(rounds),
        mixture_(job.expand, job.contract, one_each(job.net.blocks()), head(job), job.puzzle.activation),
        batch_(job.rows(relaxation_rows(job.net.blocks() * job.net.blocks(), job.puzzle))),
        relaxation_(mixture_, batch_, job.threads),
        few_(job.rows(kClimbRows)),
        walk_(job.net, few_, job.threads) {}

  // From nothing, or from the best so far, softened.
  bool relax(std::size_t steps) { return run(relaxation_.polytope().centre(), steps); }
  bool relax_again(std::size_t width, std::size_t steps) {
    return run(softened(best_.order, width, relaxation_.polytope().centre()), steps);
  }
  // Insertions and exchanges of W_out from the best so far.
  bool mend() {
    if (best_.order.empty()) return false;
    Standing standing = best_;
    standing.error = walk_.error(standing.order, kInfinity);
    const auto exchange = [&](std::size_t a, std::size_t b) { return job_.exchange(a, b); };
    while (standing.error > job_.floor && !job_.watch.stopped()) {
      const std::size_t moves = order::exchange_sweep(walk_, standing, exchange, job_.watch) +
                                order::insertion_sweep(walk_, standing, job_.watch);
      if (moves == 0) break;
      rounds_.push_back({moves, standing.error, few_.rows()});
    }
    return propose(standing);
  }

  double error() const { return best_.error; }

  // Has the verifier look at the best, whatever it is.
  bool settle() { return !best_.order.empty() && accept_(job_, best_.order); }

  static const Piece& head(const Job& job) {
    return job.puzzle.pieces[job.puzzle.with_role(Role::head)[0]];
  }

 private:
  bool run(Weights start, std::size_t steps) {
    relaxation_.start(std::move(start));
    Patience patience;
    Order last;
    for (std::size_t step = 0; step < steps; ++step) {
      if (!relaxation_.step(job_.watch)) break;
      Order order = better_rounding();
      if (getenv("HUMPTY_TRACE")) fmt::print(stderr, "{:.1f} ", trace_now()), fmt::print(stderr, "  step {} loss {:.5f} rounding {:.4g}\n", step, relaxation_.loss(), walk_.error(order, kInfinity));
      if (order != last && worth_climbing(order) && climb(order)) return true;
      last = std::move(order);
      if (!patience.goes_on(relaxation_.loss())) break;
    }
    return !last.empty() && climb(last);
  }

  Order better_rounding() const {
    Order rounded, mean;
    for (const auto& [in, out] : relaxation_.rounded()) rounded.push_back(in);
    for (const auto& [in, out] : relaxation_.by_mean_place()) mean.push_back(in);
    const double error = walk_.error(rounded, kInfinity);
    return walk_.error(mean, error) < error ? mean : rounded;
  }

  // A climb costs as much as some ten steps of the relaxation on large nets, little on small ones:
  // those try every rounding.
  bool worth_climbing(const Order& order) const {
    constexpr std::size_t kSmall = 32;
    return job_.net.blocks() <= kSmall || walk_.error(order, kInfinity) <= job_.floor;
  }

  bool climb(const Order& order) {
    if (std::find(climbed_.begin(), climbed_.end(), order) != climbed_.end()) return false;
    climbed_.push_back(order);
    Standing standing{order, walk_.error(order, kInfinity)};
    for (double last = kInfinity; standing.error > job_.floor && standing.error < kSlow * last;) {
      last = standing.error;
      std::size_t moves = sweep(standing);
      if (standing.error > kSlow * last && standing.error < close_) moves += wider_sweeps(standing);
      if (moves > 0) rounds_.push_back({moves, standing.error, few_.rows()});
    }
    return propose(standing);
  }

  std::size_t sweep(Standing& standing) {
    const std::size_t moves = order::insertion_sweep(walk_, standing, job_.watch);
    if (getenv("HUMPTY_TRACE")) fmt::print(stderr, "{:.1f} ", trace_now()), fmt::print(stderr, "    insertion {} moves, error {:.4g}\n", moves, standing.error);
    return moves;
  }

  // Near the goal, where nearly every wrong move is refuted on the first rows, these are cheap.
  std::size_t wider_sweeps(Standing& standing) {
    std::size_t moves = order::swap_sweep(walk_, standing, job_.watch);
    for (std::size_t length : {2, 3})
      moves += order::insertion_sweep(walk_, standing, job_.watch, length);
    if (getenv("HUMPTY_TRACE")) fmt::print(stderr, "{:.1f} ", trace_now()), fmt::print(stderr, "    wider {} moves, error {:.4g}\n", moves, standing.error);
    return moves;
  }

  bool propose(const Standing& standing) {
    if (!(standing.error < best_.error)) return false;
    best_ = standing;
    return (standing.error <= job_.floor || job_.watch.stopped()) && accept_(job_, standing.order);
  }

  Job& job_;
  const Accept& accept_;
  std::vector<Round>& rounds_;
  net::Mixture mixture_;
  net::Batch batch_;
  order::Relaxation relaxation_;
  net::Batch few_;
  order::Walk walk_;
  double close_ = 1e-3;
  Standing best_{{}, kInfinity};
  std::vector<Order> climbed_;
};

Pairing paired(const Pairing& table, std::vector<std::size_t> match) {
  Pairing pairing = table;
  pairing.match = std::move(match);
  return pairing;
}

// The ensemble's match where it is sure, every other pair of one width where it is not.
std::vector<net::Candidate> unsure_candidates(const Job& job, const pair::Ensemble& ensemble,
                                              double sure) {
  const std::size_t n = ensemble.confidence.size();
  std::vector<char> taken(n);
  std::vector<net::Candidate> candidates;
  for (std::size_t i = 0; i < n; ++i)
    if (ensemble.confidence[i] >= sure) {
      candidates.push_back({i, ensemble.best.match[i]});
      taken[ensemble.best.match[i]] = 1;
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (ensemble.confidence[i] < sure && !taken[j] && std::isfinite(ensemble.best.scores[i * n + j]))
        candidates.push_back({i, j});
  static_cast<void>(job);
  return candidates;
}

// Pairs and places at once. Whenever the pairs have settled they are ordered on their own.
class Pairer {
 public:
  Pairer(const Job& job, const Pairing& table, const Accept& accept, std::vector<Round>& rounds)
      : job_(job), table_(table), accept_(accept), rounds_(rounds) {
    for (int id : table.contract) contract_.push_back(&job.puzzle.piece(id));
  }

  bool run(const std::vector<net::Candidate>& candidates) {
    const std::size_t unknowns = candidates.size() * job_.net.blocks();
    const std::size_t rows = relaxation_rows(unknowns, job_.puzzle);
    if (order::Relaxation::memory(unknowns, rows * job_.net.o()) > kMostMemory) return false;
    const net::Mixture mixture(job_.expand, contract_, candidates, Orderer::head(job_),
                               job_.puzzle.activation);
    const net::Batch batch = job_.rows(rows);
    order::Relaxation relaxation(mixture, batch, job_.threads);
    relaxation.start(relaxation.polytope().centre());
    Patience patience;
    std::vector<std::size_t> last, tried;
    for (std::size_t step = 0; step < kSteps && relaxation.step(job_.watch); ++step) {
      std::vector<std::size_t> match = pairs(relaxation);
      if (getenv("HUMPTY_TRACE")) { std::size_t same=0; for(std::size_t i=0;i<match.size();++i) same+= !last.empty() && last[i]==match[i]; fmt::print(stderr, "{:.1f} ", trace_now()), fmt::print(stderr, "  joint step {} loss {:.5f} same pairs {}\n", step, relaxation.loss(), same); }
      if (match == last && match != tried) {
        tried = match;
        if (order_with(match)) return true;
      }
      last = std::move(match);
      if (!patience.goes_on(relaxation.loss())) break;
    }
    return !last.empty() && last != tried && order_with(last);
  }

 private:
  static std::vector<std::size_t> pairs(const order::Relaxation& relaxation) {
    std::vector<std::size_t> match(relaxation.places());
    for (const auto& [in, out] : relaxation.rounded()) match[in] = out;
    return match;
  }

  bool order_with(const std::vector<std::size_t>& match) {
    const Pairing pairing = paired(table_, match);
    Job job(job_.puzzle, pairing, job_.noise, job_.threads, job_.watch, job_.clock,
            net::Net::Passes::both);
    Orderer orderer(job, accept_, rounds_);
    constexpr std::size_t kFewSteps = 8;
    return orderer.relax(kFewSteps) || orderer.mend() || orderer.settle();
  }

  const Job& job_;
  const Pairing& table_;
  const Accept& accept_;
  std::vector<Round>& rounds_;
  std::vector<const Piece*> contract_;
};

}  // namespace

void solve_harder(Job& job, const SolveOptions& options, Solution& solution, const Accept& accept) {
  const pair::Ensemble ensemble =
      pair::pair_by_ensemble(job.puzzle, job.threads, job.watch, options.rng);
  job.clock.lap("pair");
  if (getenv("HUMPTY_TRACE")) { std::size_t sure=0; for(double c:ensemble.confidence) sure+=c>=kSure; fmt::print(stderr,"ensemble signal {} separation {:.2f} chance {:.2f} sure {}\n",ensemble.signal,ensemble.separation,ensemble.chance,sure); }
  solution.pairing = ensemble.best;
  solution.seed = "relaxation";
  Job best(job.puzzle, solution.pairing, job.noise, job.threads, job.watch, job.clock,
           net::Net::Passes::both);
  Orderer orderer(best, accept, solution.rounds);
  const std::size_t n = best.net.blocks();
  const bool sure = std::all_of(ensemble.confidence.begin(), ensemble.confidence.end(),
                                [](double c) { return c >= kSure; });
  if (ensemble.signal && (orderer.relax(sure ? kSteps : 8) || (!sure && orderer.mend()))) return;
  if (!sure) {
    Pairer pairer(best, ensemble.best, accept, solution.rounds);
    const auto unsure = unsure_candidates(best, ensemble, kSure);
    const auto all = unsure_candidates(best, ensemble, 2);
    if (unsure.size() < all.size() && pairer.run(unsure)) return;
    if (pairer.run(all)) return;
  }
  if (!ensemble.signal && orderer.relax(kSteps)) return;
  constexpr std::size_t kAgain = 12;
  for (std::size_t again = 0; again < kAgain && !job.watch.stopped(); ++again) {
    const std::size_t widths[] = {n / 12 + 1, 1, 2, 1, n / 16 + 1, 1};
    if (getenv("HUMPTY_TRACE")) fmt::print(stderr, "again {} error {:.4g}\n", again, orderer.error());
    if (orderer.relax_again(widths[again % std::size(widths)], kSteps)) return;
  }
  if (!orderer.mend()) orderer.settle();
}

}  // namespace humpty::strategy
