// Many climbs at once: one thread each instead of all threads on one, because near its end a climb
// refutes a swap by a few rows, which is too little to share.
#include <atomic>
#include <limits>

#include <fmt/format.h>

#include "lab/paper.hpp"
#include "order/climb.hpp"

namespace humpty::lab {
namespace {

Climb climb(const order::Order& start, const net::Batch& batch, const strategy::Job& job,
            Watch& watch) {
  Threads alone(1);
  order::Walk walk(job.net, batch, alone);
  order::Standing standing{start, walk.error(start, std::numeric_limits<double>::infinity())};
  Climb result;
  result.evaluations = 1;
  for (std::size_t swaps = 1; swaps > 0 && standing.error > job.floor && !watch.stopped();) {
    swaps = order::bubble_sweep(walk, standing, watch);
    result.evaluations += start.size() - 1;
    result.rounds += swaps > 0;
    result.swaps += swaps;
  }
  result.order = std::move(standing.order);
  result.error = standing.error;
  return result;
}

}  // namespace

std::vector<Climb> climb_from(const std::vector<order::Order>& starts, std::size_t rows,
                              const Study& study) {
  const net::Batch batch = study.job.rows(rows);
  std::vector<Climb> climbs(starts.size());
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stop{false};
  study.job.threads.run(starts.size(), [&](std::size_t i, unsigned worker) {
    Watch watch([&](const Progress&) {
      if (worker == 0)
        stop = stop || !study.go_on(static_cast<double>(done) / static_cast<double>(starts.size()),
                                    fmt::format("climb {} of {}", done + 1, starts.size()));
      return !stop;
    });
    climbs[i] = climb(starts[i], batch, study.job, watch);
    ++done;
  });
  return climbs;
}

std::size_t inversions(const order::Order& order) {
  std::size_t count = 0;
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b) count += order[a] > order[b];
  return count;
}

double kendall_tau(const order::Order& order) {
  const double n = static_cast<double>(order.size()), pairs = n * (n - 1) / 2;
  return pairs > 0 ? 1 - 2 * static_cast<double>(inversions(order)) / pairs : 1;
}

std::size_t sweeps_needed(const order::Order& order) {
  std::size_t most = 0;
  for (std::size_t b = 0; b < order.size(); ++b) {
    std::size_t before = 0;
    for (std::size_t a = 0; a < b; ++a) before += order[a] > order[b];
    most = std::max(most, before);
  }
  return most;
}

}  // namespace humpty::lab
