#include "lab/jacobian.hpp"

#include <algorithm>

#include <Eigen/Dense>

#include "lab/states.hpp"

namespace humpty::lab {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> view(const Matrix& m) {
  return {m.values.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.cols)};
}

Matrix to_matrix(const RowMajor& m) {
  return {static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()),
          std::vector<float>(m.data(), m.data() + m.size())};
}

// One block: what its rows' Jacobians are made of, and their sums.
class Block {
 public:
  Block(const Piece& in, const Piece& out, Activation activation, std::size_t tiles)
      : h_(in.weight.rows),
        activation_(activation),
        own_(own_products(in, out)),
        expand_(in.weight, in.bias),
        trace_({1, h_, own_}, {}),
        square_(pair_products(in, out), {}),
        sums_(tiles, std::vector<double>(h_ + 2)) {}

  void add(std::size_t tile, const float* x, std::size_t rows) {
    const net::Floats gate = gates(x), product = net::floats(h_ * net::kTileRows),
                      trace = net::floats(net::kTileRows), square = net::floats(net::kTileRows);
    net::apply(trace_.panels(), net::Finish::plain, gate.get(), nullptr, trace.get());
    net::apply(square_.panels(), net::Finish::plain, gate.get(), nullptr, product.get());
    net::add_dots(gate.get(), product.get(), h_, square.get());
    std::vector<double>& sums = sums_[tile];
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < h_; ++k) sums[k] += gate[k * net::kTileRows + r];
      sums[h_] += trace[r];
      sums[h_ + 1] += square[r];
    }
  }

  JacobianMeans means(std::size_t rows) const {
    std::vector<double> total(h_ + 2);
    for (const std::vector<double>& sums : sums_)
      for (std::size_t k = 0; k < total.size(); ++k)
        total[k] += sums[k] / static_cast<double>(rows);
    JacobianMeans means;
    means.trace = total[h_];
    means.square = total[h_ + 1];
    for (std::size_t k = 0; k < h_; ++k) {
      means.trace_by_gates += total[k] * own_[k];
      means.weight_trace += own_[k];
    }
    means.gates.assign(total.begin(), total.begin() + static_cast<std::ptrdiff_t>(h_));
    return means;
  }

 private:
  static std::vector<float> own_products(const Piece& in, const Piece& out) {
    const Eigen::VectorXf own =
        (view(in.weight).array() * view(out.weight).transpose().array()).rowwise().sum();
    return {own.data(), own.data() + own.size()};
  }
  static Matrix pair_products(const Piece& in, const Piece& out) {
    const auto w_in = view(in.weight), w_out = view(out.weight);
    return to_matrix(((w_out.transpose() * w_out).array() * (w_in * w_in.transpose()).array()));
  }

  net::Floats gates(const float* x) const {  // (h, kTileRows)
    const std::size_t count = h_ * net::kTileRows;
    net::Floats z = net::floats(count), ones = net::floats(count);
    std::fill_n(ones.get(), count, 1.0f);
    net::apply(expand_.panels(), net::Finish::plain, x, nullptr, z.get());
    net::times_slope(activation_, z.get(), ones.get(), z.get(), count);
    return z;
  }

  std::size_t h_;
  Activation activation_;
  std::vector<float> own_;  // (W_in W_out)_kk
  net::Layer expand_, trace_, square_;
  std::vector<std::vector<double>> sums_;  // per tile: gates, trace, square
};

}  // namespace

std::vector<JacobianMeans> jacobian_means(const net::Net& net,
                                          const std::vector<const Piece*>& expand,
                                          const std::vector<const Piece*>& contract,
                                          Activation activation, const net::Batch& batch,
                                          Threads& threads) {
  States states(net, batch, threads);
  std::vector<JacobianMeans> means;
  for (std::size_t k = 0; k < net.blocks(); ++k) {
    Block block(*expand[k], *contract[k], activation, batch.tiles());
    states.each([&](std::size_t tile, const float* x) { block.add(tile, x, batch.rows_in(tile)); });
    means.push_back(block.means(batch.rows()));
    states.pass(k);
  }
  return means;
}

}  // namespace humpty::lab
