#include "pair/whiten.hpp"

#include <algorithm>

#include <Eigen/Eigenvalues>

#include "net/train_kernel.hpp"

namespace humpty::pair {
namespace {

using net::Floats;
using net::floats;

// Float within a few pieces, double over all.
Eigen::MatrixXd second_moments(const std::vector<Units>& pieces, Threads& threads) {
  constexpr std::size_t kTogether = 16;
  const std::size_t columns = pieces[0].columns, stride = pieces[0].stride;
  std::vector<Floats> sums((pieces.size() + kTogether - 1) / kTogether);
  threads.run(sums.size(), [&](std::size_t job, unsigned) {
    sums[job] = floats(columns * stride);
    const std::size_t end = std::min(pieces.size(), (job + 1) * kTogether);
    for (std::size_t i = job * kTogether; i < end; ++i)
      net::multiply({columns, pieces[i].rows, stride, pieces[i].row(0), stride, true,
                     pieces[i].row(0), stride, nullptr, sums[job].get(), sums[job].get(), stride});
  });
  double count = 0;
  for (const Units& piece : pieces) count += static_cast<double>(piece.rows);
  const auto size = static_cast<Eigen::Index>(columns);
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(size, size);
  for (const Floats& sum : sums)
    for (std::size_t r = 0; r < columns; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        whole(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) +=
            double{sum[r * stride + c]} / count;
  return whole;
}

Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& moments, double ridge) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(moments);
  const double added = std::max(ridge * moments.trace() / static_cast<double>(moments.rows()),
                                1e-30);  // all zeros stay zeros
  const Eigen::VectorXd root = (found.eigenvalues().array().max(0.0) + added).rsqrt();
  return found.eigenvectors() * root.asDiagonal() * found.eigenvectors().transpose();
}

}  // namespace

Units::Units(std::size_t rows_, std::size_t columns_)
    : rows(rows_),
      columns(columns_),
      stride(net::padded(columns_)),
      values(floats(rows * stride)) {}

void whiten(std::vector<Units>& pieces, double ridge, Threads& threads) {
  const Eigen::MatrixXd root = inverse_root(second_moments(pieces, threads), ridge);
  const std::size_t columns = pieces[0].columns, stride = pieces[0].stride;
  const Floats turn = floats(columns * stride);
  for (std::size_t r = 0; r < columns; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      turn[r * stride + c] =
          static_cast<float>(root(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)));
  threads.run(pieces.size(), [&](std::size_t i, unsigned) {
    Floats turned = floats(pieces[i].rows * stride);
    net::multiply({pieces[i].rows, columns, stride, pieces[i].row(0), stride, false, turn.get(),
                   stride, nullptr, nullptr, turned.get(), stride});
    pieces[i].values = std::move(turned);
  });
}

}  // namespace humpty::pair
