#include "net/mixture.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace humpty::net {
namespace {

Matrix biases(const std::vector<const Piece*>& pieces, std::size_t d) {
  Matrix all{pieces.size(), d, std::vector<float>(pieces.size() * d)};
  for (std::size_t i = 0; i < pieces.size(); ++i)
    std::copy(pieces[i]->bias.begin(), pieces[i]->bias.end(), all.row(i));
  return all;
}

std::vector<Candidate> by_expand(std::vector<Candidate> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.in < b.in; });
  return candidates;
}

}  // namespace

std::vector<Mixture::Side> Mixture::sides(const std::vector<const Piece*>& pieces, bool expand) {
  std::vector<Side> sides;
  std::size_t first = 0;
  for (const Piece* piece : pieces) {
    const std::size_t size = (expand ? piece->weight.rows : piece->weight.cols) * kTileRows;
    sides.push_back({Layer(piece->weight, expand ? piece->bias : std::vector<float>()),
                     Layer::transposed(piece->weight), first, size});
    first += size;
  }
  return sides;
}

std::size_t Mixture::floats_of(const std::vector<Side>& sides) {
  return sides.back().first + sides.back().size;
}

Mixture::Mixture(const std::vector<const Piece*>& expand, const std::vector<const Piece*>& contract,
                 std::vector<Candidate> candidates, const Piece& head, Activation activation)
    : candidates_(by_expand(std::move(candidates))),
      first_(expand.size() + 1),
      in_(sides(expand, true)),
      out_(sides(contract, false)),
      out_bias_(biases(contract, head.weight.cols)),
      head_(head.weight, head.bias),
      head_weight_(head.weight),
      activation_(activation) {
  for (const Side& side : in_) widest_ = std::max(widest_, side.size);
  for (const Candidate& candidate : candidates_) ++first_[candidate.in + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::size_t Mixture::scratch() const {
  return floats_of(in_) + floats_of(out_) + 3 * widest_ + (out_.size() + d()) * kTileRows;
}

void Mixture::find_used(const float* weight, std::vector<char>& in, std::vector<char>& out) const {
  in.assign(in_.size(), 0);
  out.assign(out_.size(), 0);
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    if (weight[c] != 0) in[candidates_[c].in] = out[candidates_[c].out] = 1;
}

void Mixture::step(const float* weight, const float* x, float* x_next, float* scratch) const {
  std::vector<char> in_used, out_used;
  find_used(weight, in_used, out_used);
  float* hidden = scratch;                 // act(W_in x + b_in) of all expand pieces
  float* mixed = hidden + floats_of(in_);  // Σ P · hidden, per contract piece
  float* sum = mixed + floats_of(out_);    // (d, kTileRows)
  for (std::size_t i = 0; i < in_.size(); ++i) {
    if (!in_used[i]) continue;
    apply(in_[i].forward.panels(), Finish::plain, x, nullptr, hidden + in_[i].first);
    activate(activation_, hidden + in_[i].first, hidden + in_[i].first, in_[i].size);
  }
  std::fill_n(mixed, floats_of(out_), 0.0f);
  std::vector<float> bias(d());
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    if (weight[c] == 0) continue;
    const auto [in, out] = candidates_[c];
    add_scaled(weight[c], hidden + in_[in].first, mixed + out_[out].first, in_[in].size);
    for (std::size_t f = 0; f < d(); ++f) bias[f] += weight[c] * out_bias_.row(out)[f];
  }
  for (std::size_t f = 0; f < d(); ++f)
    for (std::size_t r = f * kTileRows; r < (f + 1) * kTileRows; ++r) sum[r] = x[r] + bias[f];
  for (std::size_t j = 0; j < out_.size(); ++j)
    if (out_used[j]) apply(out_[j].forward.panels(), Finish::add, mixed + out_[j].first, sum, sum);
  std::copy_n(sum, d() * kTileRows, x_next);
}

void Mixture::head(const float* x, float* y) const {
  apply(head_.panels(), Finish::plain, x, nullptr, y);
}

void Mixture::head_adjoint(std::size_t output, float* g) const {
  for (std::size_t f = 0; f < d(); ++f)
    std::fill_n(g + f * kTileRows, kTileRows, head_weight_.row(output)[f]);
}

// One expand piece after the other, so that its hidden units stay in the first-level cache: with
// one candidate each, so do its partner's. W_outᵀ g is computed where it is first asked for.
void Mixture::step_adjoint(const float* weight, const float* x, float* g, float* slope,
                           float* scratch) const {
  float* before = scratch;                         // W_in x + b_in
  float* hidden = before + widest_;                // act of it
  float* mixed = hidden + widest_;                 // Σ P · W_outᵀ g
  float* g_next = mixed + widest_;                 // g; what becomes of it is added to it
  float* offset = g_next + d() * kTileRows;        // b_out · g (contract pieces, kTileRows)
  float* back = offset + out_.size() * kTileRows;  // W_outᵀ g of all contract pieces
  std::copy_n(g, d() * kTileRows, g_next);
  std::vector<char> known(out_.size());
  for (std::size_t i = 0; i < in_.size(); ++i) {
    const std::size_t size = in_[i].size;
    apply(in_[i].forward.panels(), Finish::plain, x, nullptr, before);
    activate(activation_, before, hidden, size);
    bool used = false;
    for (std::size_t c = first_[i]; c < first_[i + 1]; ++c) {
      const std::size_t j = candidates_[c].out;
      float *back_j = back + out_[j].first, *offset_j = offset + j * kTileRows;
      if (!std::exchange(known[j], 1)) pull_back(j, g, back_j, offset_j);
      std::copy_n(offset_j, kTileRows, slope + c * kTileRows);
      add_dots(hidden, back_j, size / kTileRows, slope + c * kTileRows);
      if (weight[c] == 0) continue;
      if (!std::exchange(used, true)) std::fill_n(mixed, size, 0.0f);
      add_scaled(weight[c], back_j, mixed, size);
    }
    if (!used) continue;
    times_slope(activation_, before, mixed, mixed, size);
    apply(in_[i].backward.panels(), Finish::add, mixed, g_next, g_next);
  }
  std::copy_n(g_next, d() * kTileRows, g);
}

// back = W_outᵀ g (h, kTileRows) and offset = b_out · g (kTileRows) of contract piece j.
void Mixture::pull_back(std::size_t j, const float* g, float* back, float* offset) const {
  apply(out_[j].backward.panels(), Finish::plain, g, nullptr, back);
  std::fill_n(offset, kTileRows, 0.0f);
  for (std::size_t f = 0; f < d(); ++f)
    add_scaled(out_bias_.row(j)[f], g + f * kTileRows, offset, kTileRows);
}

}  // namespace humpty::net
