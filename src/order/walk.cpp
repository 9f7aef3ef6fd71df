#include "order/walk.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <numeric>

namespace humpty::order {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums taken in another order differ in the last bits; a candidate is given up only when it is
// beyond the limit by more than that, so that the answer never depends on who came first.
constexpr double kSlack = 1 + 1e-9;

Order counted(std::size_t count) {
  Order order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

struct Walk::Desk {
  net::Floats state, answer, scratch;
};

Walk::Walk(const net::Net& net, const net::Batch& batch, Threads& threads)
    : net_(net),
      batch_(batch),
      threads_(threads),
      rows_(counted(batch.rows())),
      targets_(sorted(batch.target(0), net.o(), rows_)),
      squares_(batch.rows()) {
  for (unsigned worker = 0; worker < threads.count(); ++worker)
    desks_.push_back({net::floats(net.d() * net::kTileRows), net::floats(net.o() * net::kTileRows),
                      net::floats(net.scratch())});
  restart();
}

Walk::~Walk() = default;

void Walk::restart() {
  states_ = sorted(batch_.features(0), net_.d(), rows_);
  passed_ = 0;
}

void Walk::pass(std::size_t block) {
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned worker) {
    net_.step(block, state(tile), state(tile), desks_[worker].scratch.get());
  });
  ++passed_;
}

double Walk::tile_error(std::size_t tile, std::span<const std::size_t> rest, Desk& desk,
                        double* squares) const {
  const float* x = state(tile);
  for (std::size_t block : rest) {
    threads_.check();
    net_.step(block, x, desk.state.get(), desk.scratch.get());
    x = desk.state.get();
  }
  net_.head(x, desk.answer.get());
  return net::squared_errors(desk.answer.get(), targets_.get() + tile * net_.o() * net::kTileRows,
                             net_.o(), batch_.rows_in(tile), squares);
}

double Walk::give_up(double limit) const {
  return limit * static_cast<double>(batch_.rows() * net_.o()) * kSlack;
}

double Walk::error(std::span<const std::size_t> rest, double limit) const {
  const double most = give_up(limit);
  std::atomic<double> running{0};
  std::atomic<bool> refuted{false};
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned worker) {
    if (refuted.load(std::memory_order_relaxed)) return;
    const double sum =
        tile_error(tile, rest, desks_[worker], squares_.data() + tile * net::kTileRows);
    double before = running.load(std::memory_order_relaxed);
    while (!running.compare_exchange_weak(before, before + sum, std::memory_order_relaxed)) {
    }  // fetch_add of a double is not in every C++20 library
    const double so_far = before + sum;
    if (!(so_far <= most)) refuted.store(true, std::memory_order_relaxed);
  });
  return refuted.load() ? kInfinity : mean_square();
}

std::vector<char> Walk::refuted_swaps(std::span<const std::size_t> rest, std::size_t count,
                                      double limit) const {
  const double most = give_up(limit);
  std::vector<char> refuted(std::min(count, rest.size() - 1));
  threads_.run(refuted.size(), [&](std::size_t k, unsigned worker) {
    Order swapped(rest.begin(), rest.end());
    std::swap(swapped[k], swapped[k + 1]);
    double squares[net::kTileRows];
    refuted[k] = !(tile_error(0, swapped, desks_[worker], squares) <= most);
  });
  return refuted;
}

double Walk::mean_square() const {
  return std::accumulate(squares_.begin(), squares_.end(), 0.0) /
         static_cast<double>(batch_.rows() * net_.o());
}

net::Floats Walk::sorted(const float* tiles, std::size_t width, const Order& places) const {
  const auto at = [width](std::size_t place) {
    return place / net::kTileRows * width * net::kTileRows + place % net::kTileRows;
  };
  net::Floats to = net::floats(batch_.tiles() * width * net::kTileRows);
  for (std::size_t place = 0; place < places.size(); ++place)
    for (std::size_t f = 0; f < width; ++f)
      to[at(place) + f * net::kTileRows] = tiles[at(places[place]) + f * net::kTileRows];
  return to;
}

double Walk::telling_rows_first() {
  Order places = counted(rows_.size());
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return squares_[a] > squares_[b]; });
  std::stable_sort(squares_.begin(), squares_.end(), std::greater<>());
  states_ = sorted(states_.get(), net_.d(), places);
  targets_ = sorted(targets_.get(), net_.o(), places);
  for (std::size_t& place : places) place = rows_[place];
  rows_ = std::move(places);
  return mean_square();
}

double Walk::tile_movement(std::size_t tile, std::size_t block, Desk& desk) const {
  net_.residual(block, state(tile), desk.state.get(), desk.scratch.get());
  return net::norms_sum(desk.state.get(), net_.d(), batch_.rows_in(tile));
}

double Walk::tile_activity(std::size_t tile, std::size_t block, Desk& desk) const {
  const std::size_t height = net_.hidden(block);
  net_.answers(block, state(tile), desk.scratch.get());
  return static_cast<double>(net::count_active(desk.scratch.get(), height, batch_.rows_in(tile))) /
         static_cast<double>(height);
}

std::vector<double> Walk::movements(std::span<const std::size_t> blocks) const {
  return means(blocks, &Walk::tile_movement);
}

std::vector<double> Walk::activities(std::span<const std::size_t> blocks) const {
  return means(blocks, &Walk::tile_activity);
}

std::vector<double> Walk::means(std::span<const std::size_t> blocks, TileMeasure measure) const {
  const std::size_t tiles = batch_.tiles();
  std::vector<double> sums(blocks.size() * tiles), means(blocks.size());
  threads_.run(sums.size(), [&](std::size_t job, unsigned worker) {
    sums[job] = (this->*measure)(job % tiles, blocks[job / tiles], desks_[worker]);
  });
  for (std::size_t job = 0; job < sums.size(); ++job) means[job / tiles] += sums[job];
  for (double& mean : means) mean /= static_cast<double>(batch_.rows());
  return means;
}

double error_of(const net::Net& net, const net::Batch& batch, Threads& threads,
                const Order& order) {
  return Walk(net, batch, threads).error(order, kInfinity);
}

}  // namespace humpty::order
