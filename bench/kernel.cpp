// Forward pass and adjoint against the FMA peak of the same run.
//   bench_kernel [blocks d h rows activation]
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "net/net.hpp"
#include "net/target.hpp"
#include "peak.hpp"
#include "sample.hpp"
#include "times.hpp"

namespace {

using humpty::bench::Sample;
using humpty::bench::time_of;

constexpr int kRuns = 15;

// Seconds for all rows; with the adjoint, states are kept and walked back.
double run(const Sample& sample, humpty::Activation activation, unsigned threads, bool adjoint) {
  using namespace humpty::net;
  const Net net(sample.pairs(), sample.head, activation, Net::Passes::both);
  const Batch batch(sample.data, 0, sample.rows());
  humpty::Threads pool(threads);
  std::vector<Floats> states, scratch, grad;
  const std::size_t blocks = sample.blocks(), state = sample.d() * kTileRows;
  for (unsigned t = 0; t < threads; ++t) {
    states.push_back(floats((blocks + 1) * state));
    grad.push_back(floats(state));
    scratch.push_back(floats(net.scratch()));
  }
  const auto tile_pass = [&](std::size_t tile, unsigned worker) {
    float* x = states[worker].get();
    std::copy_n(batch.features(tile), state, x);
    for (std::size_t b = 0; b < blocks; ++b) {
      float* next = adjoint ? x + state : x;
      net.step(b, x, next, scratch[worker].get());
      x = next;
    }
    float y[kTileRows];
    net.head(x, y);
    if (!adjoint) return;
    net.head_adjoint(0, grad[worker].get());
    for (std::size_t b = blocks; b-- > 0;)
      net.step_adjoint(b, x -= state, grad[worker].get(), scratch[worker].get());
  };
  return time_of([&] { pool.run(batch.tiles(), tile_pass); }, kRuns).best;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const Sample sample(number(1, 48), number(2, 48), number(3, 96), number(4, 10000));
  const humpty::Activation activation = humpty::activation_named(argc > 5 ? argv[5] : "relu");
  const double pack =
      time_of([&] { humpty::net::Net net(sample.pairs(), sample.head, activation); }, kRuns).best;
  const double batch =
      time_of([&] { humpty::net::Batch b(sample.data, 0, sample.rows()); }, kRuns).best;
  fmt::print("{}, {} blocks, d {}, h {}, {} rows, {}; packing {:.2f} ms, tiling {:.2f} ms\n",
             humpty::net::targets()[0].name, sample.blocks(), sample.d(), sample.h(), sample.rows(),
             humpty::name(activation), pack * 1e3, batch * 1e3);
  for (const unsigned threads : {1u, 2u}) {
    double peak = humpty::bench::fma_peak(threads);
    const double forward = run(sample, activation, threads, false);
    const double both = run(sample, activation, threads, true);
    peak = std::max(peak, humpty::bench::fma_peak(threads));
    const double rate = sample.flops() / forward * 1e-9;
    const double both_rate = 2.5 * sample.flops() / both * 1e-9;
    fmt::print(
        "{} thread(s): peak {:6.1f} GFLOP/s | forward {:7.2f} ms {:6.1f} GFLOP/s {:3.0f} % | "
        "forward and adjoint {:7.2f} ms {:6.1f} GFLOP/s {:3.0f} %\n",
        threads, peak, forward * 1e3, rate, 100 * rate / peak, both * 1e3, both_rate,
        100 * both_rate / peak);
  }
}
