#include "net/stem.hpp"

#include <algorithm>

#include <Eigen/Core>

namespace humpty::net {
namespace {

constexpr std::size_t kRowsAtOnce = 256;

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> view(const float* values, std::size_t rows, std::size_t cols) {
  return {values, Eigen::Index(rows), Eigen::Index(cols)};
}

}  // namespace

Matrix after_stem(const Piece& stem, const Matrix& features, Threads& threads) {
  const std::size_t d = stem.weight.rows, width = stem.weight.cols;
  Matrix result{features.rows, d, std::vector<float>(features.rows * d)};
  const auto weight = view(stem.weight.values.data(), d, width);
  threads.run((features.rows + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t job, unsigned) {
    const std::size_t first = job * kRowsAtOnce,
                      rows = std::min(kRowsAtOnce, features.rows - first);
    Eigen::Map<Rows> x(result.row(first), Eigen::Index(rows), Eigen::Index(d));
    x.noalias() = view(features.row(first), rows, width) * weight.transpose();
    if (!stem.bias.empty()) x.rowwise() += view(stem.bias.data(), 1, d).row(0);
  });
  return result;
}

Puzzle past_stem(const Puzzle& puzzle, Threads& threads) {
  Puzzle inner = puzzle;
  const Piece* stem = puzzle.stem();
  if (!stem) return inner;
  inner.rows.features = after_stem(*stem, puzzle.rows.features, threads);
  inner.rows.feature_names.clear();
  std::erase_if(inner.pieces, [](const Piece& piece) { return piece.role == Role::stem; });
  return inner;
}

}  // namespace humpty::net
