// The norm of the whitened product: ‖W_out W_in‖_F after all hidden units of all pieces together,
// seen from either side (w_in with b_in; w_out), have been brought to unit covariance.
//
// A block's own product is large where its units line up: the strong directions of one side meet
// the strong directions of the other in the same units. Whitening takes away the directions that
// all blocks share, which would drown it. Needs no sign and no direction, only that units differ in
// size or come in clusters; after weight decay or a small start it pairs whole nets. It fails where
// training was short: then all units are still as long as they were drawn.
#include <algorithm>
#include <cmath>

#include "net/train_kernel.hpp"
#include "pair/products.hpp"
#include "pair/signals.hpp"
#include "pair/whiten.hpp"

namespace humpty::pair {
namespace {

constexpr double kRidge = 1e-6;

Units expand_units(const Piece& piece) {
  const std::size_t d = piece.weight.cols;
  Units units(piece.weight.rows, d + 1);
  for (std::size_t k = 0; k < units.rows; ++k) {
    std::copy_n(piece.weight.row(k), d, units.row(k));
    units.row(k)[d] = piece.bias.empty() ? 0 : piece.bias[k];
  }
  return units;
}

Units contract_units(const Piece& piece) {
  const Matrix& w = piece.weight;
  Units units(w.cols, w.rows);
  net::transpose(w.values.data(), w.rows, w.cols, w.cols, units.row(0), units.stride);
  return units;
}

// (h, columns), with zeros up to `columns`.
Matrix as_rows(const Units& units, std::size_t columns) {
  Matrix rows{units.rows, columns, std::vector<float>(units.rows * columns)};
  for (std::size_t k = 0; k < units.rows; ++k)
    std::copy_n(units.row(k), std::min(columns, units.columns), rows.row(k));
  return rows;
}

Matrix transposed(const Matrix& rows) {
  Matrix turned{rows.cols, rows.rows, std::vector<float>(rows.values.size())};
  net::transpose(rows.values.data(), rows.rows, rows.cols, rows.cols, turned.values.data(),
                 rows.rows);
  return turned;
}

Matrices pointers(const std::vector<Matrix>& matrices) {
  Matrices all;
  for (const Matrix& matrix : matrices) all.push_back(&matrix);
  return all;
}

}  // namespace

Table whitened_norm(const Sides& sides, Threads& threads) {
  std::vector<Units> in, out;
  for (const Piece* piece : sides.expand) threads.check(), in.push_back(expand_units(*piece));
  for (const Piece* piece : sides.contract) threads.check(), out.push_back(contract_units(*piece));
  whiten(in, kRidge, threads);
  whiten(out, kRidge, threads);
  std::vector<Matrix> expand, contract;
  const std::size_t columns = sides.d() + 1;
  for (const Units& units : in) threads.check(), expand.push_back(as_rows(units, columns));
  for (const Units& units : out)
    threads.check(), contract.push_back(transposed(as_rows(units, columns)));
  const Products of = products(pointers(expand), pointers(contract), sides, threads);
  Table table = forbidden_table(sides);
  for (const Width& width : sides.widths)
    for (std::size_t i : width.expand)
      for (std::size_t j : width.contract)
        table[i * sides.size() + j] = std::sqrt(std::max(0.0, of.norm2[i * sides.size() + j]));
  return table;
}

}  // namespace humpty::pair
