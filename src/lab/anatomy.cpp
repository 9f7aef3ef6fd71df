#include "lab/anatomy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/linear.hpp"
#include "lab/sampling.hpp"
#include "net/net.hpp"
#include "net/predict.hpp"
#include "order/walk.hpp"

namespace humpty::lab {
namespace {

using net::kTileRows;

net::Net packed(const Assembled& net) {
  std::vector<net::Net::Pair> blocks;
  for (std::size_t i = 0; i + 1 < net.permutation.size(); i += 2)
    blocks.push_back(
        {&net.puzzle.piece(net.permutation[i]), &net.puzzle.piece(net.permutation[i + 1])});
  return net::Net(blocks, net.puzzle.piece(net.permutation.back()), net.activation);
}

net::Batch first_rows(const Puzzle& puzzle, std::size_t rows) {
  return net::Batch(puzzle.rows, 0, std::min(rows, puzzle.rows.features.rows));
}

double length(const float* tile, std::size_t d, std::size_t row) {
  double square = 0;
  for (std::size_t f = 0; f < d; ++f)
    square += double{tile[f * kTileRows + row]} * double{tile[f * kTileRows + row]};
  return std::sqrt(square);
}

std::size_t above_zero(const float* hidden, std::size_t h, std::size_t rows) {
  std::size_t count = 0;
  for (std::size_t unit = 0; unit < h; ++unit)
    for (std::size_t row = 0; row < rows; ++row) count += hidden[unit * kTileRows + row] > 0;
  return count;
}

// One tile of rows through the running net; beside it each block alone on the raw input.
class TileMotion {
 public:
  TileMotion(const net::Net& net, const net::Batch& batch, std::size_t tile)
      : net_(net),
        raw_(batch.features(tile)),
        rows_(batch.rows_in(tile)),
        x_(net::floats(net.d() * kTileRows)),
        r_(net::floats(net.d() * kTileRows)),
        scratch_(net::floats(net.scratch())) {
    std::copy_n(raw_, net.d() * kTileRows, x_.get());
  }

  // Sums over the tile's rows. The state moves on past the block.
  Motion pass(std::size_t block, std::size_t h) {
    const std::size_t d = net_.d();
    Motion sum;
    net_.residual(block, raw_, r_.get(), scratch_.get());
    for (std::size_t row = 0; row < rows_; ++row) sum.delta_norm += length(r_.get(), d, row);
    net_.residual(block, x_.get(), r_.get(), scratch_.get());
    sum.active = static_cast<double>(above_zero(scratch_.get(), h, rows_)) / static_cast<double>(h);
    for (std::size_t row = 0; row < rows_; ++row) {
      const double stream = length(x_.get(), d, row);
      if (stream > 0) sum.relative += length(r_.get(), d, row) / stream;
    }
    for (std::size_t i = 0; i < d * kTileRows; ++i) x_[i] += r_[i];
    return sum;
  }

 private:
  const net::Net& net_;
  const float* raw_;
  std::size_t rows_;
  net::Floats x_, r_, scratch_;
};

}  // namespace

std::vector<Motion> motions(const Assembled& whole, std::size_t rows, Threads& threads) {
  const net::Net net = packed(whole);
  const net::Batch batch = first_rows(whole.puzzle, rows);
  const std::size_t n = net.blocks();
  std::vector<Motion> sums(n * batch.tiles());
  threads.run(batch.tiles(), [&](std::size_t tile, unsigned) {
    TileMotion motion(net, batch, tile);
    for (std::size_t k = 0; k < n; ++k)
      sums[tile * n + k] = motion.pass(k, whole.puzzle.piece(whole.permutation[2 * k]).weight.rows);
  });
  std::vector<Motion> means(n);
  const double count = static_cast<double>(batch.rows());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    means[i % n].delta_norm += sums[i].delta_norm / count;
    means[i % n].active += sums[i].active / count;
    means[i % n].relative += sums[i].relative / count;
  }
  return means;
}

double frobenius_norm(const Matrix& matrix) {
  double square = 0;
  for (float w : matrix.values) square += double{w} * double{w};
  return std::sqrt(square);
}

Matrix product(const Piece& in, const Piece& out) { return product(out.weight, in.weight); }

// Roots of the eigenvalues of M·Mᵀ in float64: several times quicker than a decomposition of M, and
// the price, values below 1e-8 of the largest drown, is below what float32 weights resolve.
std::vector<double> singular_values(const Matrix& matrix) {
  std::vector<double> values = eigenvalues(times_transposed(matrix));
  std::reverse(values.begin(), values.end());
  for (double& value : values) value = std::sqrt(std::max(0.0, value));
  return values;
}

// Roy and Vetterli, "The effective rank", 2007: exp of the entropy of the singular values divided
// by their sum. It is d when all are equal, 1 when there is only one.
double effective_rank(const std::vector<double>& singular_values) {
  const double sum = std::accumulate(singular_values.begin(), singular_values.end(), 0.0);
  double entropy = 0;
  for (double value : singular_values)
    if (value > 0) entropy -= value / sum * std::log(value / sum);
  return sum > 0 ? std::exp(entropy) : 0;
}

std::vector<double> adjacent_swaps(const Assembled& whole, std::size_t rows, Threads& threads) {
  const net::Net net = packed(whole);
  const net::Batch batch = first_rows(whole.puzzle, rows);
  order::Walk walk(net, batch, threads);
  order::Order order(net.blocks());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> errors;
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    std::swap(order[k], order[k + 1]);
    errors.push_back(walk.error(std::span<const std::size_t>(order).subspan(k),
                                std::numeric_limits<double>::infinity()));
    std::swap(order[k], order[k + 1]);
    walk.pass(order[k]);
  }
  return errors;
}

namespace {

// Softmax over the outputs of each row; of one output the logistic function.
void to_probabilities(Matrix& outputs) {
  for (std::size_t r = 0; r < outputs.rows; ++r) {
    float* y = outputs.row(r);
    if (outputs.cols == 1) {
      y[0] = 1 / (1 + std::exp(-y[0]));
      continue;
    }
    const float largest = *std::max_element(y, y + outputs.cols);
    float sum = 0;
    for (std::size_t k = 0; k < outputs.cols; ++k) sum += y[k] = std::exp(y[k] - largest);
    for (std::size_t k = 0; k < outputs.cols; ++k) y[k] /= sum;
  }
}

Matrix answered(const Assembled& net, Threads& threads) {
  Matrix outputs = net::predict(arranged(net.puzzle.pieces, net.permutation), net.activation,
                                net.puzzle.rows.features, threads);
  if (net.puzzle.target == Target::probabilities) to_probabilities(outputs);
  return outputs;
}

}  // namespace

std::vector<Answer> answers(const Assembled& net, std::size_t most, Threads& threads) {
  const Matrix outputs = answered(net, threads);
  const auto residual = [&](std::size_t i) {
    const double error =
        std::abs(double{outputs.values[i]} - double{net.puzzle.rows.target.values[i]});
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  };
  const std::size_t count = outputs.values.size(), worst = std::min(most / 20, count);
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::partial_sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(worst),
                    chosen.end(),
                    [&](std::size_t a, std::size_t b) { return residual(a) > residual(b); });
  chosen.resize(worst);
  for (std::size_t i : spread(count, most - worst)) chosen.push_back(i);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Answer> list;
  for (std::size_t i : chosen)
    list.push_back(
        {i / outputs.cols, i % outputs.cols, net.puzzle.rows.target.values[i], outputs.values[i]});
  return list;
}

}  // namespace humpty::lab
