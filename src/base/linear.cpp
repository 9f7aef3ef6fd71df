#include "base/linear.hpp"

#include <Eigen/Dense>

namespace humpty {
namespace {

using Eigen::Index;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

Eigen::Map<const RowMajor> view(const Matrix& m) {
  return {m.values.data(), static_cast<Index>(m.rows), static_cast<Index>(m.cols)};
}

constexpr std::size_t kAtOnce = 384;  // larger ones are taken apart: Eigen cannot be stopped

// Rows and columns are the same thing here.
Eigen::Map<const Eigen::MatrixXd> view(const Symmetric& m) {
  return {m.values.data(), static_cast<Index>(m.size), static_cast<Index>(m.size)};
}

Eigen::Map<const Eigen::VectorXd> view(const std::vector<double>& v) {
  return {v.data(), static_cast<Index>(v.size())};
}

Symmetric symmetric(const Eigen::MatrixXd& m) {
  Symmetric result(static_cast<std::size_t>(m.rows()));
  std::copy_n(m.data(), m.size(), result.values.data());
  return result;
}

std::vector<double> list(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

}  // namespace

double Symmetric::trace() const { return view(*this).trace(); }

Symmetric Spectrum::with(const std::vector<double>& other_values, Threads& threads) const {
  const std::size_t n = values.size();
  const auto size = static_cast<Index>(n);
  const Eigen::Map<const Eigen::MatrixXd> v(vectors.data(), size, size);
  const auto diagonal = view(other_values).asDiagonal();
  if (n <= kAtOnce) return symmetric(v * diagonal * v.transpose());
  constexpr std::size_t kColumns = 64;  // of one job
  Symmetric product(n);
  Eigen::Map<Eigen::MatrixXd> whole(product.values.data(), size, size);
  threads.run((n + kColumns - 1) / kColumns, [&](std::size_t job, unsigned) {
    const auto first = static_cast<Index>(job * kColumns);
    const Index count = std::min(static_cast<Index>(kColumns), size - first);
    whole.middleCols(first, count).noalias() =
        v * (diagonal * v.middleRows(first, count).transpose());
  });
  return product;
}

Spectrum spectrum(const Symmetric& matrix, Threads& threads) {
  if (matrix.size > kAtOnce) return large_spectrum(matrix, threads);
  const Solver solver(view(matrix));
  const Eigen::MatrixXd& v = solver.eigenvectors();
  return {list(solver.eigenvalues()), {v.data(), v.data() + v.size()}};
}

std::vector<double> eigenvalues(const Symmetric& matrix) {
  return list(Solver(view(matrix), Eigen::EigenvaluesOnly).eigenvalues());
}

std::vector<double> solve(const Symmetric& matrix, const std::vector<double>& right) {
  return list(view(matrix).ldlt().solve(view(right)));
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result{a.rows, b.cols, std::vector<float>(a.rows * b.cols)};
  Eigen::Map<RowMajor>(result.values.data(), static_cast<Index>(a.rows), static_cast<Index>(b.cols))
      .noalias() = view(a) * view(b);
  return result;
}

Symmetric times_transposed(const Matrix& m) {
  const Eigen::MatrixXd wide = view(m).cast<double>();
  return symmetric(wide * wide.transpose());
}

}  // namespace humpty
