// The relaxation (order/relax.hpp) gets near, insertions do the last, discrete part: from a tau of
// 0.7 they are exact more often than not. What is still wrong then is mostly blocks that hardly
// matter, which the relaxation leaves spread out. So the best order so far is softened, every block
// spread over the places around its own, and relaxed again: that rearranges all of them at once,
// where every insertion has to help by itself. A spread over one place on either side did most on
// the nets where it was needed (js48-10 of the zoo: error 1e-3, 1e-4, 1e-6, exact).
//
// Before all that the blocks are asked where they are quiet (order/quiet.hpp), which costs about as
// much as one step of the relaxation. Where that is telling, the order is nearly right, and the
// best insertion of all, made again and again, does the rest in a few moves: on js48-2 seven, where
// sweeps, which make the best move of one block after the other, stick at an error of 0.015. Where
// it is not, the error says so at once.
#include "solve/orderer.hpp"

#include <algorithm>

#include "order/quiet.hpp"

namespace humpty::strategy {
namespace {

using order::Order;
using order::Standing;
using order::Weights;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kLeastRows = 512, kMostRows = 2048;  // of a relaxation, outputs counted
constexpr std::size_t kClimbRows = 512;                    // of insertions
constexpr std::size_t kQuietRows = 128;                    // of activities
constexpr double kPromising = 0.25;                        // of the target's variance
constexpr int kSlowSteps = 2;
constexpr std::size_t kSmall = 32;  // blocks: a climb from every rounding costs little
constexpr std::size_t kLarge = 64;
constexpr double kClose = 1e-3;  // mean squared error below which wider sweeps are cheap

// Divides each of n lines of n numbers by its sum; the k-th number of a line is `step` further on.
void normalise(Weights& weights, std::size_t n, std::size_t line, std::size_t step) {
  for (std::size_t i = 0; i < n; ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += weights[i * line + k * step];
    for (std::size_t k = 0; k < n; ++k) weights[i * line + k * step] /= sum;
  }
}

// Every block spread evenly over the places within `width` of its own, and a little everywhere.
Weights softened(const Order& order, std::size_t width, const Weights& centre) {
  constexpr float kEverywhere = 0.03f;
  constexpr int kBalance = 20;  // Sinkhorn's rounds
  const std::size_t n = order.size();
  Weights weights(n * n);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t s = 0; s < n; ++s)
      if (std::max(s, t) - std::min(s, t) <= width) weights[t * n + order[s]] = 1;
  for (int round = 0; round < kBalance; ++round) {
    normalise(weights, n, n, 1);
    normalise(weights, n, 1, n);
  }
  for (std::size_t u = 0; u < n * n; ++u)
    weights[u] = (1 - kEverywhere) * weights[u] + kEverywhere * centre[u];
  return weights;
}

Order expands(const std::vector<net::Candidate>& chain) {
  Order order;
  for (const net::Candidate& candidate : chain) order.push_back(candidate.in);
  return order;
}

}  // namespace

std::vector<net::Candidate> one_each(std::size_t n) {
  std::vector<net::Candidate> candidates;
  for (std::size_t k = 0; k < n; ++k) candidates.push_back({k, k});
  return candidates;
}

std::size_t relaxation_rows(std::size_t unknowns, const Puzzle& puzzle) {
  constexpr std::size_t kLeastInputs = 64;
  const std::size_t wanted = std::clamp(unknowns, kLeastRows, kMostRows) / puzzle.rows.target.cols;
  return std::min(std::max(wanted, kLeastInputs), puzzle.rows.features.rows);
}

bool Patience::goes_on(double error) {
  slow_ = error > kSlow * last_ ? slow_ + 1 : 0;
  last_ = error;
  return slow_ < kSlowSteps;
}

Orderer::Orderer(Job& job, Listener& listener)
    : job_(job),
      listener_(listener),
      mixture_(job.expand, job.contract, one_each(job.net.blocks()), head_of(job.puzzle),
               job.puzzle.activation),
      batch_(job.rows(relaxation_rows(job.net.blocks() * job.net.blocks(), job.puzzle))),
      relaxation_(mixture_, batch_, job.threads),
      few_(job.rows(kClimbRows)),
      walk_(job.net, few_, job.threads),
      best_{{}, kInfinity} {}

bool Orderer::relax(std::size_t steps) {
  return run(relaxation_.polytope().centre(), steps, {kByRelaxation});
}

bool Orderer::start_quietly() {
  const net::Batch batch = job_.rows(kQuietRows);
  const std::vector<Order> orders = order::way_to_quiet(job_.net, batch, job_.threads, job_.watch);
  walk_.restart();
  Standing standing{orders.back(), walk_.error(orders.back(), kInfinity)};
  if (!(standing.error < kPromising * net::variance(job_.puzzle.rows.target))) return false;
  Way way = quiet_way(orders);
  listener_.keeping(job_, standing, way, [&] {
    while (standing.error > job_.floor && order::best_insertion(walk_, standing, job_.watch))
      add_round(1, standing, way);
  });
  return climb(std::move(standing), std::move(way));
}

Way Orderer::quiet_way(const std::vector<Order>& orders) {
  Way way{kByQuiet, walk_.error(orders[0], kInfinity), job_.expand_ids(orders[0])};
  for (std::size_t k = 1; k < orders.size(); ++k) {
    std::size_t moves = 0;
    for (std::size_t place = 0; place < orders[k].size(); ++place)
      moves += orders[k][place] != orders[k - 1][place];
    add_round(moves, {orders[k], walk_.error(orders[k], kInfinity)}, way);
  }
  return way;
}

bool Orderer::relax_again(std::size_t width) {
  if (best_.order.empty()) return false;
  return run(softened(best_.order, width, relaxation_.polytope().centre()), kSteps, best_way_);
}

bool Orderer::run(Weights start, std::size_t steps, const Way& way) {
  listener_.went(way);
  relaxation_.start(std::move(start));
  Patience patience;
  Standing last{{}, kInfinity};
  for (std::size_t step = 0; step < steps && relaxation_.step(job_.watch); ++step) {
    Standing rounded = better_rounding();
    listener_.reached(job_, rounded, way);
    if (rounded.order != last.order && worth_climbing(rounded) && climb(rounded, way)) return true;
    last = std::move(rounded);
    if (!patience.goes_on(relaxation_.loss())) break;
  }
  if (last.order.empty()) last = better_rounding();
  return climb(std::move(last), way);
}

Standing Orderer::better_rounding() const {
  const Order rounded = expands(relaxation_.rounded()), mean = expands(relaxation_.by_mean_place());
  const double error = walk_.error(rounded, kInfinity), other = walk_.error(mean, error);
  return other < error ? Standing{mean, other} : Standing{rounded, error};
}

// On large nets a climb costs as much as ten steps of the relaxation, and the last rounding is the
// best to start from; small nets try every one.
bool Orderer::worth_climbing(const Standing& standing) const {
  return job_.net.blocks() <= kSmall || standing.error <= job_.floor;
}

bool Orderer::climb(Standing standing, Way way) {
  if (std::find(climbed_.begin(), climbed_.end(), standing.order) != climbed_.end()) return false;
  climbed_.push_back(standing.order);
  walk_.restart();
  standing.error = walk_.error(standing.order, kInfinity);
  listener_.keeping(job_, standing, way, [&] { sweep_until_slow(standing, way); });
  walk_.restart();
  return propose(standing, way);
}

void Orderer::sweep_until_slow(Standing& standing, Way& way) {
  for (double last = kInfinity; standing.error > job_.floor && standing.error < kSlow * last;) {
    last = standing.error;
    std::size_t moves = sweep(standing);
    if (standing.error > kSlow * last && standing.error < kClose) moves += wider_sweeps(standing);
    if (moves > 0) add_round(moves, standing, way);
  }
}

// Exact insertions cost n³; beyond kLarge blocks the adjoint's recommendations go first.
std::size_t Orderer::sweep(Standing& standing) {
  if (job_.net.blocks() > kLarge) {
    walk_.restart();
    const std::size_t moves =
        order::screened_sweep(walk_, few_, standing, job_.threads, job_.watch);
    if (moves > 0) return moves;
  }
  return order::insertion_sweep(walk_, standing, job_.watch);
}

// Near the goal nearly every wrong move is refuted on the first rows, and these are cheap.
std::size_t Orderer::wider_sweeps(Standing& standing) {
  std::size_t moves = order::swap_sweep(walk_, standing, job_.watch);
  for (std::size_t length : {2, 3})
    moves += order::insertion_sweep(walk_, standing, job_.watch, length);
  return moves;
}

bool Orderer::mend() {
  if (best_.order.empty()) return false;
  walk_.restart();
  Standing standing{best_.order, walk_.error(best_.order, kInfinity)};
  Way way = best_way_;
  const auto exchange = [&](std::size_t a, std::size_t b) { return job_.exchange(a, b); };
  listener_.keeping(job_, standing, way, [&] {
    while (standing.error > job_.floor && !job_.watch.stopped()) {
      const std::size_t moves = order::exchange_sweep(walk_, standing, exchange, job_.watch) +
                                order::insertion_sweep(walk_, standing, job_.watch);
      if (moves == 0) break;
      add_round(moves, standing, way);
    }
  });
  walk_.restart();
  return propose(standing, way);
}

void Orderer::add_round(std::size_t moves, const Standing& standing, Way& way) {
  way.rounds.push_back({moves, standing.error, few_.rows(), job_.expand_ids(standing.order)});
  listener_.went(way);
}

bool Orderer::propose(const Standing& standing, const Way& way) {
  if (!(standing.error < best_.error)) return false;
  best_ = standing;
  best_way_ = way;
  listener_.reached(job_, best_, best_way_);
  return standing.error <= job_.floor && listener_.accept(job_, best_.order, best_way_);
}

bool Orderer::settle() {
  return !best_.order.empty() && listener_.accept(job_, best_.order, best_way_);
}

}  // namespace humpty::strategy
