// Forward pass and adjoint against the FMA peak of the same run.
//   bench_kernel [blocks d h rows activation]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "net/net.hpp"
#include "net/target.hpp"
#include "peak.hpp"

namespace {

using humpty::Matrix;
using humpty::Piece;

Matrix random_matrix(std::size_t rows, std::size_t cols, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, 0.5f / std::sqrt(static_cast<float>(cols)));
  Matrix m{rows, cols, std::vector<float>(rows * cols)};
  for (float& value : m.values) value = normal(random);
  return m;
}

double best_seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int run = 0; run < 15; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

struct Bench {
  std::size_t blocks, d, h, rows;
  humpty::Activation activation;
  std::vector<Piece> in, out;
  Piece head;
  humpty::Rows data;

  void make() {
    std::mt19937 random(1);
    in.resize(blocks), out.resize(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
      in[b].weight = random_matrix(h, d, random);
      out[b].weight = random_matrix(d, h, random);
    }
    head.weight = random_matrix(1, d, random);
    data.features = random_matrix(rows, d, random);
    data.target = random_matrix(rows, 1, random);
  }

  std::vector<humpty::net::Net::Pair> pairs() const {
    std::vector<humpty::net::Net::Pair> list;
    for (std::size_t b = 0; b < blocks; ++b) list.push_back({&in[b], &out[b]});
    return list;
  }

  // Seconds for all rows; with the adjoint, states are kept and walked back.
  double run(unsigned threads, bool adjoint) const {
    using namespace humpty::net;
    const Net net(pairs(), head, activation, Net::Passes::both);
    const Batch batch(data, 0, rows);
    humpty::Threads pool(threads);
    std::vector<Floats> states, scratch, grad;
    const std::size_t state = d * kTileRows;
    for (unsigned t = 0; t < threads; ++t) {
      states.push_back(floats((blocks + 1) * state));
      grad.push_back(floats(state));
      scratch.push_back(floats(net.scratch()));
    }
    return best_seconds([&] {
      pool.run(batch.tiles(), [&](std::size_t tile, unsigned worker) {
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
      });
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  Bench bench{number(1, 48),
              number(2, 48),
              number(3, 96),
              number(4, 10000),
              humpty::activation_named(argc > 5 ? argv[5] : "relu"),
              {},
              {},
              {},
              {}};
  bench.make();
  const double pack =
      best_seconds([&] { humpty::net::Net net(bench.pairs(), bench.head, bench.activation); });
  const double batch = best_seconds([&] { humpty::net::Batch b(bench.data, 0, bench.rows); });
  fmt::print("{}, {} blocks, d {}, h {}, {} rows, {}; packing {:.2f} ms, tiling {:.2f} ms\n",
             humpty::net::targets()[0].name, bench.blocks,
             bench.d, bench.h, bench.rows, humpty::name(bench.activation), pack * 1e3, batch * 1e3);
  const double flops = 4.0 * static_cast<double>(bench.blocks * bench.d * bench.h * bench.rows);
  for (const unsigned threads : {1u, 2u}) {
    const double peak = humpty::bench::fma_peak(threads);
    const double forward = bench.run(threads, false), both = bench.run(threads, true);
    const double rate = flops / forward * 1e-9, both_rate = 2.5 * flops / both * 1e-9;
    fmt::print(
        "{} thread(s): peak {:6.1f} GFLOP/s | forward {:7.2f} ms {:6.1f} GFLOP/s {:3.0f} % | "
        "forward and adjoint {:7.2f} ms {:6.1f} GFLOP/s {:3.0f} %\n",
        threads, peak, forward * 1e3, rate, 100 * rate / peak, both * 1e3, both_rate,
        100 * both_rate / peak);
  }
}
