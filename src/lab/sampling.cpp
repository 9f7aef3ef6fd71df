#include "lab/sampling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace humpty::lab {

std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  const std::size_t taken = std::min(count, most);
  for (std::size_t i = 0; i < taken; ++i)
    places.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  return places;
}

Matrix binned(const Matrix& matrix, std::size_t side, Bin bin) {
  const std::size_t rows = std::min(side, matrix.rows), cols = std::min(side, matrix.cols);
  const bool mean = bin == Bin::mean;
  Matrix small{rows, cols,
               std::vector<float>(rows * cols, mean ? 0 : -std::numeric_limits<float>::infinity())};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const std::size_t top = i * matrix.rows / rows, bottom = (i + 1) * matrix.rows / rows,
                        left = j * matrix.cols / cols, right = (j + 1) * matrix.cols / cols;
      float& cell = small.row(i)[j];
      for (std::size_t r = top; r < bottom; ++r)
        for (std::size_t c = left; c < right; ++c)
          cell = mean ? cell + matrix.row(r)[c] : std::max(cell, matrix.row(r)[c]);
      if (mean) cell /= static_cast<float>((bottom - top) * (right - left));
    }
  return small;
}

namespace {

Matrix taken(const Pairing& pairing, const std::vector<std::size_t>& rows,
             const std::vector<std::size_t>& cols) {
  Matrix table{rows.size(), cols.size(), {}};
  for (std::size_t row : rows)
    for (std::size_t col : cols)
      table.values.push_back(
          static_cast<float>(pairing.scores[row * pairing.contract.size() + col]));
  return table;
}

std::size_t place_of(const std::vector<int>& ids, int id) {
  return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
}

}  // namespace

Matrix scores_by_id(const Pairing& pairing) {
  std::vector<std::size_t> rows(pairing.expand.size()), cols(pairing.contract.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::iota(cols.begin(), cols.end(), std::size_t{0});
  return taken(pairing, rows, cols);
}

Matrix scores_by_pair(const Pairing& pairing, const std::vector<Block>& blocks) {
  std::vector<std::size_t> rows, cols;
  for (const Block& block : blocks) {
    const std::size_t row = place_of(pairing.expand, block.in),
                      col = place_of(pairing.contract, block.out);
    if (row == pairing.expand.size() || col == pairing.contract.size()) continue;
    rows.push_back(row);
    cols.push_back(col);
  }
  if (blocks.empty())
    for (std::size_t i = 0; i < pairing.match.size(); ++i) {
      rows.push_back(i);
      cols.push_back(pairing.match[i]);
    }
  return taken(pairing, rows, cols);
}

}  // namespace humpty::lab
