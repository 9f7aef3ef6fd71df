#include "order/signals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace humpty::order {

Distances between_directions(std::vector<std::vector<double>> points, Threads& threads) {
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (std::vector<double>& point : points) {
    const double norm = std::sqrt(product(point, point));
    if (!(norm > 0) || !std::isfinite(norm)) return {};
    for (double& x : point) x /= norm;
  }
  Distances distances{points.size(), std::vector<double>(points.size() * points.size())};
  threads.run(points.size(), [&](std::size_t a, unsigned) {
    for (std::size_t b = 0; b < points.size(); ++b)
      if (a != b)
        distances.values[a * points.size() + b] =
            std::sqrt(std::max(0.0, 2 - 2 * product(points[a], points[b])));
  });
  return distances;
}

std::vector<double> balance(const Piece& expand, const Piece& contract, Activation activation) {
  const Matrix &in = expand.weight, &out = contract.weight;  // (h, d), (d, h)
  std::vector<double> factor(in.rows, 1.0);
  if (activation != Activation::relu && activation != Activation::leaky &&
      activation != Activation::identity)
    return factor;
  std::vector<double> written(in.rows);
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t k = 0; k < in.rows; ++k)
      written[k] += double{out.row(i)[k]} * double{out.row(i)[k]};
  for (std::size_t k = 0; k < in.rows; ++k) {
    double read = 0;
    for (std::size_t i = 0; i < in.cols; ++i) read += double{in.row(k)[i]} * double{in.row(k)[i]};
    if (read > 0 && written[k] > 0) factor[k] = std::pow(read / written[k], 0.25);
  }
  return factor;
}

}  // namespace humpty::order
