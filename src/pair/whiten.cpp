#include "pair/whiten.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear.hpp"
#include "net/train_kernel.hpp"

namespace humpty::pair {
namespace {

using net::Floats;
using net::floats;

constexpr std::size_t kUnits = 512;  // of one product: between two looks at the clock

// Float within a few pieces, double over all.
Symmetric second_moments(const std::vector<Units>& pieces, Threads& threads) {
  constexpr std::size_t kTogether = 16;
  const std::size_t columns = pieces[0].columns, stride = pieces[0].stride;
  std::vector<Floats> sums((pieces.size() + kTogether - 1) / kTogether);
  threads.run(sums.size(), [&](std::size_t job, unsigned) {
    sums[job] = floats(columns * stride);
    const std::size_t end = std::min(pieces.size(), (job + 1) * kTogether);
    for (std::size_t i = job * kTogether; i < end; ++i)
      for (std::size_t k = 0; k < pieces[i].rows; k += kUnits) {
        threads.check();
        const float* units = pieces[i].row(k);
        net::multiply({columns, std::min(kUnits, pieces[i].rows - k), stride, units, stride, true,
                       units, stride, nullptr, sums[job].get(), sums[job].get(), stride});
      }
  });
  double count = 0;
  for (const Units& piece : pieces) count += static_cast<double>(piece.rows);
  Symmetric whole(columns);
  for (const Floats& sum : sums)
    for (std::size_t r = 0; r < columns; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        whole.at(r, c) += double{sum[r * stride + c]} / count;
  return whole;
}

Symmetric inverse_root(const Symmetric& moments, double ridge, Threads& threads) {
  const Spectrum found = spectrum(moments, threads);
  const double added = std::max(ridge * moments.trace() / static_cast<double>(moments.size),
                                1e-30);  // all zeros stay zeros
  std::vector<double> roots;
  for (double value : found.values) roots.push_back(1 / std::sqrt(std::max(value, 0.0) + added));
  return found.with(roots, threads);
}

}  // namespace

Units::Units(std::size_t rows_, std::size_t columns_)
    : rows(rows_),
      columns(columns_),
      stride(net::padded(columns_)),
      values(floats(rows * stride)) {}

void whiten(std::vector<Units>& pieces, double ridge, Threads& threads) {
  const Symmetric root = inverse_root(second_moments(pieces, threads), ridge, threads);
  const std::size_t columns = pieces[0].columns, stride = pieces[0].stride;
  const Floats turn = floats(columns * stride);
  for (std::size_t r = 0; r < columns; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      turn[r * stride + c] = static_cast<float>(root.at(r, c));
  threads.run(pieces.size(), [&](std::size_t i, unsigned) {
    Floats turned = floats(pieces[i].rows * stride);
    for (std::size_t k = 0; k < pieces[i].rows; k += kUnits) {
      threads.check();
      net::multiply({std::min(kUnits, pieces[i].rows - k), columns, stride, pieces[i].row(k),
                     stride, false, turn.get(), stride, nullptr, nullptr, turned.get() + k * stride,
                     stride});
    }
    pieces[i].values = std::move(turned);
  });
}

}  // namespace humpty::pair
