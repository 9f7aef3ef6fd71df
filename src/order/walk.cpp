#include "order/walk.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace humpty::order {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums taken in another order differ in the last bits; a candidate is given up only when it is
// beyond the limit by more than that, so that the answer never depends on who came first.
constexpr double kSlack = 1 + 1e-9;

}  // namespace

struct Walk::Desk {
  net::Floats state, answer, scratch;
};

Walk::Walk(const net::Net& net, const net::Batch& batch, Threads& threads)
    : net_(net),
      batch_(batch),
      threads_(threads),
      states_(net::floats(batch.tiles() * net.d() * net::kTileRows)) {
  for (unsigned worker = 0; worker < threads.count(); ++worker)
    desks_.push_back({net::floats(net.d() * net::kTileRows), net::floats(net.o() * net::kTileRows),
                      net::floats(net.scratch())});
  restart();
}

Walk::~Walk() = default;

void Walk::restart() {
  for (std::size_t tile = 0; tile < batch_.tiles(); ++tile)
    std::copy_n(batch_.features(tile), net_.d() * net::kTileRows, state(tile));
  passed_ = 0;
}

void Walk::pass(std::size_t block) {
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned worker) {
    net_.step(block, state(tile), state(tile), desks_[worker].scratch.get());
  });
  ++passed_;
}

double Walk::tile_error(std::size_t tile, std::span<const std::size_t> rest, Desk& desk) const {
  const float* x = state(tile);
  for (std::size_t block : rest) {
    net_.step(block, x, desk.state.get(), desk.scratch.get());
    x = desk.state.get();
  }
  net_.head(x, desk.answer.get());
  return net::squared_error(desk.answer.get(), batch_.target(tile), net_.o(), batch_.rows_in(tile));
}

double Walk::error(std::span<const std::size_t> rest, double limit) const {
  const double count = static_cast<double>(batch_.rows() * net_.o());
  const double give_up = limit * count * kSlack;
  std::vector<double> sums(batch_.tiles());
  std::atomic<double> running{0};
  std::atomic<bool> refuted{false};
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned worker) {
    if (refuted.load(std::memory_order_relaxed)) return;
    sums[tile] = tile_error(tile, rest, desks_[worker]);
    const double so_far = running.fetch_add(sums[tile], std::memory_order_relaxed) + sums[tile];
    if (!(so_far <= give_up)) refuted.store(true, std::memory_order_relaxed);
  });
  if (refuted.load()) return kInfinity;
  double total = 0;
  for (double sum : sums) total += sum;
  return total / count;
}

double Walk::movement(std::size_t block) const {
  std::vector<double> sums(batch_.tiles());
  const std::size_t d = net_.d();
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned worker) {
    Desk& desk = desks_[worker];
    net_.residual(block, state(tile), desk.state.get(), desk.scratch.get());
    for (std::size_t row = 0; row < batch_.rows_in(tile); ++row) {
      double square = 0;
      for (std::size_t f = 0; f < d; ++f) {
        const double move = desk.state[f * net::kTileRows + row];
        square += move * move;
      }
      sums[tile] += std::sqrt(square);
    }
  });
  double total = 0;
  for (double sum : sums) total += sum;
  return total / static_cast<double>(batch_.rows());
}

double error_of(const net::Net& net, const net::Batch& batch, Threads& threads,
                const Order& order) {
  return Walk(net, batch, threads).error(order, kInfinity);
}

}  // namespace humpty::order
