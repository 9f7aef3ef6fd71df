// All arrangements, where there are few: three blocks have 36, six have half a million, and with
// known pairs eight have forty thousand. It goes first where that costs less than pairing by the
// weights does, as it does on few wide blocks: scores take h² d operations per piece, all signals
// together d³ and more. Otherwise it is the last resort, where it can be afforded. See
// order/exhaust.cpp.
#include <algorithm>
#include <numeric>
#include <utility>

#include "order/exhaust.hpp"
#include "solve/job.hpp"

namespace humpty::strategy {
namespace {

constexpr double kLittle = 1e10, kMuch = 1e11, kMost = 1e12;  // floating-point operations
constexpr double kSpectrum = 40;  // times d³: what pairing by all signals takes at least
constexpr std::size_t kProposed = 8;

using order::Partners;

Partners partners(const SolveOptions& options) {
  return options.pairs.empty() ? Partners::any : Partners::own;
}

// Those that come into question.
std::vector<Activation> activations(const Puzzle& puzzle) {
  std::vector<Activation> all{puzzle.activation};
  for (Activation other : all_activations())
    if (!puzzle.activation_known && other != puzzle.activation) all.push_back(other);
  return all;
}

struct Size {
  explicit Size(const Puzzle& puzzle) {
    for (std::size_t i : puzzle.with_role(Role::expand)) {
      h = std::max(h, puzzle.pieces[i].weight.rows);
      d = puzzle.pieces[i].weight.cols;
      ++blocks;
    }
  }
  std::size_t blocks = 0, h = 0, d = 0;
};

double cost(const Puzzle& puzzle, const SolveOptions& options) {
  const Size size(puzzle);
  return order::cost_of_all(size.blocks, size.h, size.d, partners(options)) *
         static_cast<double>(activations(puzzle).size());
}

// The job with its blocks made those of a chain, for as long as this lives.
class Arranged {
 public:
  Arranged(const order::Chain& chain, Job& job) : job_(job) {
    order::Order holder(job.net.blocks());  // of each contract piece: the block that has it now
    std::iota(holder.begin(), holder.end(), std::size_t{0});
    for (const net::Candidate& block : chain.blocks) {
      order.push_back(block.in);
      std::size_t& from = holder[block.out];
      if (from == block.in) continue;
      job.exchange(block.in, from);
      exchanged_.emplace_back(block.in, from);
      std::swap(*std::find(holder.begin(), holder.end(), block.in), from);
    }
  }
  ~Arranged() {
    for (; !exchanged_.empty(); exchanged_.pop_back())
      job_.exchange(exchanged_.back().first, exchanged_.back().second);
  }
  Arranged(const Arranged&) = delete;
  Arranged& operator=(const Arranged&) = delete;

  order::Order order;

 private:
  Job& job_;
  std::vector<std::pair<std::size_t, std::size_t>> exchanged_;
};

// Under one activation. The best are proposed for as long as they are at the floor.
bool try_all(Job& job, Partners partners, Listener& listener) {
  const Way way{kAllArrangements};
  const net::Batch batch = job.rows(net::kTileRows);
  const std::vector<order::Chain> best =
      order::best_of_all(job.net, batch, partners, kProposed, job.threads);
  for (std::size_t k = 0; k < best.size(); ++k) {
    if (k > 0 && best[k].error > job.floor) break;
    const Arranged arranged(best[k], job);
    listener.reached(job, {arranged.order, best[k].error}, way);
    if (listener.accept(job, arranged.order, way)) return true;
  }
  return false;
}

bool try_all_under(Activation activation, Job& job, Partners partners, Listener& listener) {
  if (activation == job.puzzle.activation) return try_all(job, partners, listener);
  Puzzle puzzle = job.puzzle;
  puzzle.activation = activation;
  Job other(puzzle, job.pairing, job.noise, job.threads, job.watch, job.clock);
  return try_all(other, partners, listener);
}

}  // namespace

When when_to_try_all(const Puzzle& puzzle, const SolveOptions& options) {
  const Size size(puzzle);
  const auto n = static_cast<double>(size.blocks), h = static_cast<double>(size.h),
             d = static_cast<double>(size.d);
  const double all = cost(puzzle, options), scores = 2 * n * h * h * d;
  if (scores > kMuch && all < scores && options.pairs.empty()) return When::before_scoring;
  if (all <= std::max(kLittle, kSpectrum * d * d * d)) return When::before_all_signals;
  return all <= kMost ? When::last : When::never;
}

bool solve_by_trying_all(Job& job, const SolveOptions& options, Listener& listener) {
  job.watch.go_on("order", -1, "trying all arrangements");
  listener.remarked("few blocks: trying all arrangements");
  listener.went({kAllArrangements});
  for (Activation activation : activations(job.puzzle))
    if (try_all_under(activation, job, partners(options), listener)) return true;
  return false;
}

}  // namespace humpty::strategy
