// All n² pair scores: time, share of the FMA peak, memory. Some are recomputed from the definition
// before the time counts. And the whole ensemble, whose every pair must be right.
//   bench_pair [blocks d h]
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "memory.hpp"
#include "pair/ratio.hpp"
#include "peak.hpp"
#include "planted.hpp"
#include "times.hpp"

namespace {

using humpty::Matrix;

humpty::Puzzle pieces_in_order(std::size_t blocks, std::size_t d, std::size_t h) {
  humpty::Random random(1);
  humpty::Puzzle puzzle;
  puzzle.pieces = humpty::bench::planted_pieces({blocks, d, h, 0}, random);
  for (std::size_t i = 0; i < puzzle.pieces.size(); ++i) {
    puzzle.pieces[i].id = static_cast<int>(i);
    puzzle.pieces[i].role = humpty::role_at(i, puzzle.pieces.size());
  }
  return puzzle;
}

double by_definition(const Matrix& in, const Matrix& out) {
  double trace = 0, square = 0;
  std::vector<double> row(in.cols);
  for (std::size_t i = 0; i < out.rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k < out.cols; ++k)
      for (std::size_t j = 0; j < in.cols; ++j)
        row[j] += double{out.row(i)[k]} * double{in.row(k)[j]};
    trace += row[i];
    for (const double value : row) square += value * value;
  }
  return std::abs(trace) / std::sqrt(square);
}

void check(const humpty::Puzzle& puzzle, const humpty::Pairing& pairing) {
  const std::size_t n = pairing.match.size();
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) right = right && pairing.match[i] == i;
  for (std::size_t s = 0; s < 6; ++s) {
    const std::size_t i = s * (n - 1) / 5, j = (s % 2 ? i : (i + s) % n);
    const double expected =
        by_definition(puzzle.pieces[2 * i].weight, puzzle.pieces[2 * j + 1].weight);
    right = right && std::abs(pairing.scores[i * n + j] - expected) < 1e-4 * (1 + expected);
  }
  if (right) return;
  fmt::print(stderr, "wrong scores\n");
  std::exit(1);
}

void time_ensemble(const humpty::Puzzle& puzzle) {
  humpty::PairReport report;
  const humpty::bench::Times times =
      humpty::bench::time_of([&] { report = humpty::pair_pieces(puzzle, {.threads = 2}); }, 1);
  const std::vector<std::size_t>& match = report.pairing.match;
  for (std::size_t i = 0; i < match.size(); ++i)
    if (match[i] != i) {
      fmt::print(stderr, "the ensemble's pair {} is wrong\n", i);
      std::exit(1);
    }
  fmt::print("the ensemble, 2 threads: {:.2f} s; {:.0f} MiB at most in all\n", times.best,
             humpty::bench::peak_mib());
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) -> std::size_t {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const std::size_t n = number(1, 48), d = number(2, 48), h = number(3, 96);
  const humpty::Puzzle puzzle = pieces_in_order(n, d, h);
  const double before = humpty::bench::peak_mib();
  const auto size = [](std::size_t x) { return static_cast<double>(x); };
  // Grams on and above the diagonal, their products, and the traces.
  const double flops = 2 * size(n) * size(h) * size(h) * size(d) +
                       size(n) * size(n) * (size(h) * size(h) + 2 * size(h) * size(d));
  for (const unsigned count : {1u, 2u}) {
    humpty::Threads threads(count);
    humpty::Pairing pairing;
    const int runs = flops > 1e11 ? 1 : 20;
    const humpty::bench::Times times = humpty::bench::time_of(
        [&] { pairing = humpty::pair::pair_by_ratio(puzzle, threads); }, runs);
    check(puzzle, pairing);
    const double peak = humpty::bench::fma_peak(count);
    fmt::print(
        "{} blocks, d {}, h {}, {} thread{}: {:.1f} ms (median {:.1f}), {:.0f} % of {:.0f} "
        "GFLOP/s; {:.0f} MiB beside the pieces' {:.0f}\n",
        n, d, h, count, count > 1 ? "s" : "", times.best * 1e3, times.median * 1e3,
        flops / times.best * 1e-9 / peak * 100, peak, humpty::bench::peak_mib() - before, before);
  }
  time_ensemble(puzzle);
}
