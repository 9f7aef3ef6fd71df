// Where a block writes and what it reads, as second moments over its hidden units: W_out · W_outᵀ
// and W_inᵀ · W_in, (d, d), by their directions. Which unit is which does not matter to them.
#include <cmath>

#include "order/signals.hpp"

namespace humpty::order {
namespace {

// The upper half of Σ_k s_k² v_k v_kᵀ; what lies off the diagonal stands for two entries of the
// whole matrix, so it counts √2-fold and distances are those of whole matrices. `component(k, i)`
// is the i-th component of v_k.
template <class Component>
std::vector<double> moment(std::size_t d, const std::vector<double>& scale, const Threads& threads,
                           Component component) {
  std::vector<double> sum(d * (d + 1) / 2), unit(d);
  for (std::size_t k = 0; k < scale.size(); ++k) {
    for (std::size_t i = 0; i < d; ++i) unit[i] = scale[k] * double{component(k, i)};
    threads.check();
    double* row = sum.data();
    for (std::size_t i = 0; i < d; row += d - i, ++i)
      for (std::size_t j = i; j < d; ++j) row[j - i] += unit[i] * unit[j];
  }
  for (std::size_t i = 0, at = 0; i < d; at += d - i, ++i)
    for (std::size_t j = 1; j < d - i; ++j) sum[at + j] *= std::sqrt(2.0);
  return sum;
}

}  // namespace

Distances by_writes(const Blocks& blocks, Threads& threads) {
  std::vector<std::vector<double>> points(blocks.contract.size());
  threads.run(points.size(), [&](std::size_t b, unsigned) {
    const Matrix& w = blocks.contract[b]->weight;  // (d, h)
    points[b] = moment(w.rows, balance(*blocks.expand[b], *blocks.contract[b], blocks.activation),
                       threads, [&](std::size_t k, std::size_t i) { return w.row(i)[k]; });
  });
  return between_directions(std::move(points), threads);
}

Distances by_reads(const Blocks& blocks, Threads& threads) {
  std::vector<std::vector<double>> points(blocks.expand.size());
  threads.run(points.size(), [&](std::size_t b, unsigned) {
    const Matrix& w = blocks.expand[b]->weight;  // (h, d)
    std::vector<double> scale = balance(*blocks.expand[b], *blocks.contract[b], blocks.activation);
    for (double& each : scale) each = 1 / each;
    points[b] =
        moment(w.cols, scale, threads, [&](std::size_t k, std::size_t i) { return w.row(k)[i]; });
  });
  return between_directions(std::move(points), threads);
}

}  // namespace humpty::order
