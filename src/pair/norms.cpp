// Norm balance: the correlation over hidden units k of ‖w_in,k‖ with ‖w_out,k‖.
//
// Under gradient flow ‖w_in,k‖² + b_k² − ‖w_out,k‖² of a ReLU unit never changes (Du, Hu and Lee
// 2018): a unit that learns grows on both sides, and under weight decay a unit that does nothing
// shrinks on both sides. So the norms of a true pair rise and fall together. The cheapest signal,
// and a strong one after long training. It fails where units are alike (short training, a bounded
// activation), and is lost if somebody rescales the units, which ReLU does not notice.
#include <cmath>

#include "pair/signals.hpp"

namespace humpty::pair {
namespace {

// Centred, and of length one.
std::vector<double> unit_vector(std::vector<double> values) {
  double mean = 0, square = 0;
  for (double value : values) mean += value / static_cast<double>(values.size());
  for (double& value : values) {
    value -= mean;
    square += value * value;
  }
  for (double& value : values) value = square > 0 ? value / std::sqrt(square) : 0;
  return values;
}

std::vector<double> row_norms(const Matrix& weight) {
  std::vector<double> norms(weight.rows);
  for (std::size_t k = 0; k < weight.rows; ++k) {
    for (std::size_t f = 0; f < weight.cols; ++f)
      norms[k] += double{weight.row(k)[f]} * double{weight.row(k)[f]};
    norms[k] = std::sqrt(norms[k]);
  }
  return norms;
}

std::vector<double> column_norms(const Matrix& weight) {
  std::vector<double> norms(weight.cols);
  for (std::size_t f = 0; f < weight.rows; ++f)
    for (std::size_t k = 0; k < weight.cols; ++k)
      norms[k] += double{weight.row(f)[k]} * double{weight.row(f)[k]};
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

}  // namespace

Table norm_balance(const Sides& sides) {
  std::vector<std::vector<double>> in, out;
  for (const Piece* piece : sides.expand) in.push_back(unit_vector(row_norms(piece->weight)));
  for (const Piece* piece : sides.contract) out.push_back(unit_vector(column_norms(piece->weight)));
  Table table = forbidden_table(sides);
  for (const Width& width : sides.widths)
    for (std::size_t i : width.expand)
      for (std::size_t j : width.contract) {
        double sum = 0;
        for (std::size_t k = 0; k < width.h; ++k) sum += in[i][k] * out[j][k];
        table[i * sides.size() + j] = sum * std::sqrt(static_cast<double>(width.h));
      }
  return table;
}

}  // namespace humpty::pair
