// Where a seed and swaps do not get there, or the ratio does not tell the pairs.
//
//   1. All signals together pair the pieces (pair/ensemble.hpp).
//   2. Those pairs are ordered from nothing (orderer.hpp), first by where the blocks are quiet.
//   3. Pairs that the weights leave unsure become unknowns too: a relaxation over place × candidate
//      pair, first of the unsure ones, then of all. As soon as its pairs settle they are ordered as
//      in 2, where a step costs a tenth.
//   4. Still not there: softened and relaxed again.
//
// An activation that nobody stated is an unknown as well. The relaxation's error after three steps
// tells most of them apart; leaky and relu are nearly one function, so what is found under one is
// tried under all others before it is given up.
//
// How much is done follows from the net and the rows, never from the clock, so that the answer does
// not depend on the machine unless the time limit ends the search.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/random.hpp"
#include "order/seeds.hpp"
#include "pair/ensemble.hpp"
#include "pair/ratio.hpp"
#include "solve/orderer.hpp"

namespace humpty::strategy {
namespace {

using order::Order;

constexpr double kSure = 0.99;                             // a pair given this is not questioned
constexpr std::size_t kMostMemory = std::size_t{3} << 30;  // of a relaxation, bytes
constexpr std::size_t kGuessRows = 64;
constexpr std::size_t kAgain = 24, kSomeAgain = 8;  // times that the best is relaxed again

// What all attempts share.
struct Search {
  Job& job;
  const SolveOptions& options;
  Listener& listener;
  pair::Ensemble ensemble;

  void tell(const std::string& line) {
    job.watch.go_on("order", -1, line);
    listener.remarked(line);
  }
};

// The ensemble's match where it is at least so sure, every pair of one width among the others.
std::vector<net::Candidate> candidates(const pair::Ensemble& ensemble, double sure) {
  const std::size_t n = ensemble.confidence.size();
  std::vector<char> taken(n);
  std::vector<net::Candidate> list;
  for (std::size_t i = 0; i < n; ++i) {
    if (ensemble.confidence[i] < sure) continue;
    list.push_back({i, ensemble.best.match[i]});
    taken[ensemble.best.match[i]] = 1;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (ensemble.confidence[i] < sure && !taken[j] &&
          std::isfinite(ensemble.best.scores[i * n + j]))
        list.push_back({i, j});
  return list;
}

// One puzzle under one activation.
class Attempt {
 public:
  Attempt(Search& search, const Puzzle& puzzle)
      : search_(search),
        puzzle_(puzzle),
        job_(with(search.ensemble.best)),
        orderer_(job_, search.listener),
        sure_(std::all_of(search.ensemble.confidence.begin(), search.ensemble.confidence.end(),
                          [](double confidence) { return confidence >= kSure; })) {
    for (int id : search.ensemble.best.contract) contract_.push_back(&puzzle.piece(id));
  }

  bool first() {
    if (search_.ensemble.signal) {
      search_.tell("ordering the pairs without a seed");
      if (orderer_.start_quietly()) return true;
      if (orderer_.relax(sure_ ? kSteps : kFewSteps) || under_others()) return true;
      if (!sure_ && (orderer_.mend() || under_others())) return true;
    }
    if (puzzle_.roles_confidence < 1 && search_.options.pairs.empty() && find_roles()) return true;
    if (!sure_ && pair_by_data()) return true;
    return !search_.ensemble.signal && orderer_.relax(kSteps);
  }

  bool again(std::size_t times = kAgain) {
    const std::size_t n = job_.net.blocks();
    const std::size_t widths[] = {n / 12 + 1, 1, 2, 1, n / 16 + 1, 1};
    for (std::size_t k = 0; k < times && !job_.watch.stopped(); ++k) {
      search_.tell(fmt::format("relaxing the best again, error {:.3g}", orderer_.best().error));
      if (orderer_.relax_again(widths[k % std::size(widths)])) return true;
    }
    return (search_.options.pairs.empty() && orderer_.mend()) || under_others();
  }

  bool settle() { return orderer_.settle(); }

 private:
  bool under_others() { return under_others(job_, orderer_); }

  // The best order under every other activation, where nobody stated one.
  bool under_others(const Job& found, const Orderer& orderer) {
    const Order& order = orderer.best().order;
    if (order.empty() || puzzle_.activation_known) return false;
    constexpr std::size_t kRows = 128;
    const Pairing pairing = found.pairing_now();
    for (Activation activation : all_activations()) {
      if (activation == puzzle_.activation) continue;
      Puzzle other = found.puzzle;
      other.activation = activation;
      const Job job(other, pairing, job_.noise, job_.threads, job_.watch, job_.clock);
      const net::Batch few = job.rows(kRows);
      if (order::error_of(job.net, few, job.threads, order) <= job.floor &&
          search_.listener.accept(job, order, orderer.best_way()))
        return true;
    }
    return false;
  }

  Job with(const Pairing& pairing) const {
    return Job(puzzle_, pairing, search_.options.noise, search_.job.threads, search_.job.watch,
               search_.job.clock, net::Net::Passes::both);
  }

  bool pair_by_data() {
    const std::vector<net::Candidate> unsure = candidates(search_.ensemble, kSure),
                                      all = candidates(search_.ensemble, 2);
    if (unsure.size() < all.size()) {
      search_.tell(fmt::format(
          "{} pairs unsure by the weights: letting the data pair them",
          std::count_if(search_.ensemble.confidence.begin(), search_.ensemble.confidence.end(),
                        [](double c) { return c < kSure; })));
      if (relax_pairs(unsure)) return true;
    }
    search_.tell("letting the data pair all pieces");
    return relax_pairs(all);
  }

  bool relax_pairs(const std::vector<net::Candidate>& list) {
    return relax_pairs(job_.expand, contract_, list, job_.net.blocks());
  }

  // Roles, pairs and places at once: square pieces may be on either side of a pair.
  bool find_roles() {
    search_.tell("roles unsure by the weights: letting the data settle them");
    std::vector<const Piece*> expand, contract;
    for (const Piece& piece : puzzle_.pieces) {
      const bool square = is_square(piece);
      if (piece.role == Role::expand || square) expand.push_back(&piece);
      if (piece.role == Role::contract || square) contract.push_back(&piece);
    }
    std::vector<net::Candidate> list;
    for (std::size_t i = 0; i < expand.size(); ++i)
      for (std::size_t j = 0; j < contract.size(); ++j)
        if (expand[i] != contract[j] && expand[i]->weight.rows == contract[j]->weight.cols)
          list.push_back({i, j});
    return relax_pairs(expand, contract, list, job_.net.blocks());
  }

  bool is_square(const Piece& piece) const {
    return piece.role != Role::head && piece.weight.rows == piece.weight.cols;
  }

  using Pairs = std::vector<std::pair<int, int>>;  // ids, sorted

  // Pairs and places at once. Pairs that stay the same for a step are ordered on their own.
  bool relax_pairs(const std::vector<const Piece*>& expand,
                   const std::vector<const Piece*>& contract,
                   const std::vector<net::Candidate>& list, std::size_t places) {
    const std::size_t unknowns = list.size() * places;
    const std::size_t rows = relaxation_rows(unknowns, puzzle_);
    if (order::Relaxation::memory(unknowns, rows * job_.net.o()) > kMostMemory) return false;
    const net::Mixture mixture(expand, contract, list, head_of(puzzle_), puzzle_.activation);
    const net::Batch batch = job_.rows(rows);
    order::Relaxation relaxation(mixture, uses(expand, contract, places), batch, job_.threads);
    relaxation.start(relaxation.polytope().centre());
    Patience patience;
    Pairs last, tried;
    for (std::size_t step = 0; step < kSteps && relaxation.step(job_.watch); ++step) {
      Pairs now = pairs(relaxation, expand, contract);
      if (!now.empty() && now == last && now != tried && order_with(tried = now)) return true;
      last = std::move(now);
      if (!patience.goes_on(relaxation.loss())) break;
    }
    return !last.empty() && last != tried && order_with(last);
  }

  // A piece on both sides has one number.
  static order::Uses uses(const std::vector<const Piece*>& expand,
                          const std::vector<const Piece*>& contract, std::size_t places) {
    std::vector<const Piece*> numbered;
    const auto number = [&](const Piece* piece) {
      const auto found = std::find(numbered.begin(), numbered.end(), piece);
      const auto at = static_cast<std::size_t>(found - numbered.begin());
      if (found == numbered.end()) numbered.push_back(piece);
      return at;
    };
    order::Uses uses{places, {}, {}};
    for (const Piece* piece : expand) uses.in.push_back(number(piece));
    for (const Piece* piece : contract) uses.out.push_back(number(piece));
    return uses;
  }

  static Pairs pairs(const order::Relaxation& relaxation, const std::vector<const Piece*>& expand,
                     const std::vector<const Piece*>& contract) {
    Pairs pairs;
    for (const auto& [in, out] : relaxation.rounded())
      pairs.emplace_back(expand[in]->id, contract[out]->id);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  // The puzzle with the roles that the pairs give, and its pairing.
  bool order_with(const Pairs& pairs) {
    Puzzle puzzle = puzzle_;
    for (Piece& piece : puzzle.pieces)
      for (const auto& [in, out] : pairs)
        if (piece.id == in || piece.id == out)
          piece.role = piece.id == in ? Role::expand : Role::contract;
    Pairing pairing = pair::pair_by_ratio(puzzle, job_.threads);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      pairing.match[k] = static_cast<std::size_t>(
          std::find(pairing.contract.begin(), pairing.contract.end(), pairs[k].second) -
          pairing.contract.begin());
    Job job(puzzle, pairing, job_.noise, job_.threads, job_.watch, job_.clock,
            net::Net::Passes::both);
    Orderer orderer(job, search_.listener);
    return orderer.relax(kFewSteps) || orderer.mend() || under_others(job, orderer) ||
           orderer.settle();
  }

  Search& search_;
  const Puzzle& puzzle_;
  Job job_;
  Orderer orderer_;
  bool sure_;
  std::vector<const Piece*> contract_;  // along the pairing's axis
};

// The error of random orders over the target's variance: below two the search has a slope to
// follow; nets that blow up when they are shuffled have millions, and mostly stay unsolved.
double hardness(const Job& job, std::uint64_t rng) {
  constexpr int kOrders = 5;
  Random random(rng);
  const net::Batch some = job.rows(128);
  Order order(job.net.blocks());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::vector<double> errors;
  for (int i = 0; i < kOrders; ++i) {
    random.shuffle(order);
    errors.push_back(order::error_of(job.net, some, job.threads, order));
  }
  std::sort(errors.begin(), errors.end());
  return errors[kOrders / 2] / std::max(net::variance(job.puzzle.rows.target), 1e-30);
}

// The relaxation's error after a few steps on few rows.
double trial_loss(Search& search, Activation activation) {
  constexpr std::size_t kTrialSteps = 3, kTrialRows = 512, kLeastRows = 64;
  Puzzle puzzle = search.job.puzzle;
  puzzle.activation = activation;
  const Job job(puzzle, search.ensemble.best, 0, search.job.threads, search.job.watch,
                search.job.clock);
  const net::Mixture mixture(job.expand, job.contract, one_each(job.expand.size()), head_of(puzzle),
                             activation);
  const net::Batch batch = job.rows(std::max(kTrialRows / job.net.o(), kLeastRows));
  order::Relaxation relaxation(mixture, batch, job.threads);
  relaxation.start(relaxation.polytope().centre());
  for (std::size_t step = 0; step < kTrialSteps && relaxation.step(job.watch); ++step) {
  }
  return relaxation.loss();
}

// The likeliest first; relu unless another one is clearly better. Near twins of others (leaky,
// gelu-tanh) are left out: what is found under one is tried under all.
std::vector<Activation> ranked_activations(Search& search) {
  constexpr double kClearly = 0.8;
  const std::vector<Activation> tried = {Activation::relu, Activation::gelu, Activation::silu,
                                         Activation::tanh, Activation::identity};
  std::vector<double> losses;
  for (Activation activation : tried) losses.push_back(trial_loss(search, activation));
  losses[0] *= kClearly;
  std::vector<Activation> ranked;
  for (std::size_t i : order::ascending(losses)) ranked.push_back(tried[i]);
  return ranked;
}

void solve_with_unknown_activation(Search& search) {
  const std::vector<Activation> ranked = ranked_activations(search);
  for (std::size_t i = 0; i < ranked.size() && !search.job.watch.stopped(); ++i) {
    search.tell(fmt::format("taking the activation to be {}", name(ranked[i])));
    Puzzle puzzle = search.job.puzzle;
    puzzle.activation = ranked[i];
    Attempt attempt(search, puzzle);
    if (attempt.first() || (i == 0 && attempt.again(kSomeAgain))) return;
    attempt.settle();
  }
  Puzzle puzzle = search.job.puzzle;
  puzzle.activation = search.listener.activation();
  Attempt last(search, puzzle);
  if (last.first() || last.again()) return;
  last.settle();
}

// In case everything is stopped before there is more: pairing large nets takes its time.
void tell_first_guess(const Job& job, Listener& listener) {
  const net::Batch few = job.rows(kGuessRows);
  const Order guess = order::seed_wout(job.contract);
  const double error = order::error_of(job.net, few, job.threads, guess);
  listener.reached(job, {guess, error}, {kByWout, error, job.expand_ids(guess)});
}

// Pairs that the caller has stated are not questioned.
pair::Ensemble pairing_of(const Job& job, const SolveOptions& options) {
  if (options.pairs.empty())
    return pair::pair_by_ensemble(job.puzzle, job.threads, job.watch, options.rng);
  pair::Ensemble stated;
  stated.best = job.pairing;
  stated.confidence.assign(job.expand.size(), 1);
  stated.signal = true;
  return stated;
}

}  // namespace

void solve_harder(Job& job, const SolveOptions& options, Listener& listener) {
  tell_first_guess(job, listener);
  Search search{job, options, listener, pairing_of(job, options)};
  job.clock.lap("pair");
  listener.paired(search.ensemble.best);
  search.tell(fmt::format("random orders have {:.3g} times the target's variance for an error",
                          hardness(job, options.rng)));
  if (!search.ensemble.signal) search.tell("the weights hold no trace of the pairing");
  if (!job.puzzle.activation_known) return solve_with_unknown_activation(search);
  Attempt attempt(search, job.puzzle);
  if (attempt.first() || attempt.again()) return;
  attempt.settle();
}

}  // namespace humpty::strategy
