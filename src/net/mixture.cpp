#include "net/mixture.hpp"

#include <algorithm>

namespace humpty::net {
namespace {

// The weights of all pieces, one below the other.
Matrix stacked(const std::vector<const Piece*>& pieces) {
  Matrix all{0, pieces[0]->weight.cols, {}};
  for (const Piece* piece : pieces) {
    all.values.insert(all.values.end(), piece->weight.values.begin(), piece->weight.values.end());
    all.rows += piece->weight.rows;
  }
  return all;
}

// The weights of all pieces, one beside the other.
Matrix side_by_side(const std::vector<const Piece*>& pieces) {
  Matrix all{pieces[0]->weight.rows, 0, {}};
  for (const Piece* piece : pieces) all.cols += piece->weight.cols;
  for (std::size_t r = 0; r < all.rows; ++r)
    for (const Piece* piece : pieces)
      all.values.insert(all.values.end(), piece->weight.row(r),
                        piece->weight.row(r) + piece->weight.cols);
  return all;
}

std::vector<float> stacked_bias(const std::vector<const Piece*>& pieces) {
  std::vector<float> all;
  for (const Piece* piece : pieces) {
    all.insert(all.end(), piece->bias.begin(), piece->bias.end());
    all.resize(all.size() + piece->weight.rows - piece->bias.size());
  }
  return all;
}

// y += w · x
void add_scaled(const float* x, float w, float* y, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) y[k] += w * x[k];
}

// sums (kTileRows) += Σ_k a(k, ·) b(k, ·)
void add_dots(const float* a, const float* b, std::size_t units, float* sums) {
  float total[kTileRows] = {};
  for (std::size_t k = 0; k < units; ++k)
    for (std::size_t r = 0; r < kTileRows; ++r)
      total[r] += a[k * kTileRows + r] * b[k * kTileRows + r];
  for (std::size_t r = 0; r < kTileRows; ++r) sums[r] += total[r];
}

}  // namespace

Mixture::Mixture(const std::vector<const Piece*>& expand,
                 const std::vector<const Piece*>& contract, std::vector<Candidate> candidates,
                 const Piece& head, Activation activation)
    : candidates_(std::move(candidates)),
      in_(stacked(expand), stacked_bias(expand)),
      in_back_(Layer::transposed(stacked(expand))),
      out_(side_by_side(contract), {}),
      out_back_(Layer::transposed(side_by_side(contract))),
      out_bias_{contract.size(), head.weight.cols, stacked_bias(contract)},
      head_(head.weight, head.bias),
      head_weight_(head.weight),
      activation_(activation) {
  for (const Piece* piece : expand) {
    in_first_.push_back(in_units_);
    in_units_ += piece->weight.rows;
  }
  for (const Piece* piece : contract) {
    out_first_.push_back(out_units_);
    out_units_ += piece->weight.cols;
  }
  for (const auto& [in, out] : candidates_) width_.push_back(expand[in]->weight.rows);
}

std::size_t Mixture::scratch() const {
  return (2 * in_units_ + 2 * out_units_ + out_bias_.rows) * kTileRows + d();
}

void Mixture::step(const float* weight, const float* x, float* x_next, float* scratch) const {
  float* hidden = scratch;                          // (in_units, kTileRows)
  float* mixed = hidden + in_units_ * kTileRows;    // (out_units, kTileRows)
  float* bias = mixed + out_units_ * kTileRows;     // d
  apply(in_.panels(), Finish::plain, x, nullptr, hidden);
  activate(activation_, hidden, hidden, in_units_ * kTileRows);
  std::fill_n(mixed, out_units_ * kTileRows, 0.0f);
  std::fill_n(bias, d(), 0.0f);
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    if (weight[c] == 0) continue;
    const auto& [in, out] = candidates_[c];
    add_scaled(hidden + in_first_[in] * kTileRows, weight[c], mixed + out_first_[out] * kTileRows,
               width_[c] * kTileRows);
    add_scaled(out_bias_.row(out), weight[c], bias, d());
  }
  Panels panels = out_.panels();
  panels.bias = bias;
  apply(panels, Finish::add, mixed, x, x_next);
}

void Mixture::head(const float* x, float* y) const {
  apply(head_.panels(), Finish::plain, x, nullptr, y);
}

void Mixture::head_adjoint(std::size_t output, float* g) const {
  for (std::size_t f = 0; f < d(); ++f)
    std::fill_n(g + f * kTileRows, kTileRows, head_weight_.row(output)[f]);
}

void Mixture::step_adjoint(const float* weight, const float* x, float* g, float* slope,
                           float* scratch) const {
  float* before = scratch;                         // (in_units, kTileRows)
  float* hidden = before + in_units_ * kTileRows;  // (in_units, kTileRows)
  float* back = hidden + in_units_ * kTileRows;    // W_outᵀ g (out_units, kTileRows)
  apply(in_.panels(), Finish::plain, x, nullptr, before);
  activate(activation_, before, hidden, in_units_ * kTileRows);
  apply(out_back_.panels(), Finish::plain, g, nullptr, back);
  float* offset = back + out_units_ * kTileRows;  // b_out · g (contract pieces, kTileRows)
  std::fill_n(offset, out_bias_.rows * kTileRows, 0.0f);
  for (std::size_t out = 0; out < out_bias_.rows; ++out)
    for (std::size_t f = 0; f < d(); ++f)
      add_scaled(g + f * kTileRows, out_bias_.row(out)[f], offset + out * kTileRows, kTileRows);
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const auto& [in, out] = candidates_[c];
    float* sums = slope + c * kTileRows;
    std::copy_n(offset + out * kTileRows, kTileRows, sums);
    add_dots(hidden + in_first_[in] * kTileRows, back + out_first_[out] * kTileRows, width_[c],
             sums);
  }
  float* mixed = hidden;  // no longer needed: Σ_c P(c) W_outᵀ g of each expand piece's candidates
  std::fill_n(mixed, in_units_ * kTileRows, 0.0f);
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    if (weight[c] != 0)
      add_scaled(back + out_first_[candidates_[c].out] * kTileRows, weight[c],
                 mixed + in_first_[candidates_[c].in] * kTileRows, width_[c] * kTileRows);
  times_slope(activation_, before, mixed, mixed, in_units_ * kTileRows);
  apply(in_back_.panels(), Finish::add, mixed, g, g);
}

}  // namespace humpty::net
