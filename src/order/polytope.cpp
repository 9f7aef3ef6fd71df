#include "order/polytope.hpp"

#include <algorithm>
#include <numeric>

#include "base/linear.hpp"

namespace humpty::order {
namespace {

// The sums depend on each other (places, expand and contract pieces each sum up to the whole), so
// the inverse is Moore and Penrose's.
std::vector<float> pseudo_inverse(const Symmetric& a, Threads& threads) {
  const Spectrum found = spectrum(a, threads);
  std::vector<double> values = found.values;
  const double least = 1e-9 * values.back();
  for (double& value : values) value = value > least ? 1 / value : 0;
  const Symmetric inverse = found.with(values, threads);
  return {inverse.values.begin(), inverse.values.end()};
}

void add(const float* from, float* to, std::size_t lanes) {
  for (std::size_t r = 0; r < lanes; ++r) to[r] += from[r];
}

}  // namespace

Uses Uses::of(const net::Mixture& mixture) {
  Uses uses{mixture.expands(), std::vector<std::size_t>(mixture.expands()),
            std::vector<std::size_t>(mixture.contracts())};
  std::iota(uses.in.begin(), uses.in.end(), std::size_t{0});
  std::iota(uses.out.begin(), uses.out.end(), mixture.expands());
  return uses;
}

std::size_t Uses::pieces() const {
  std::size_t most = 0;
  for (std::size_t number : in) most = std::max(most, number);
  for (std::size_t number : out) most = std::max(most, number);
  return most + 1;
}

Polytope::Polytope(const Uses& uses, const net::Mixture& mixture, Threads& threads)
    : places_(uses.places), groups_(uses.places + uses.pieces()) {
  for (const auto& [in, out] : mixture.candidates())
    candidates_.push_back({places_ + uses.in[in], places_ + uses.out[out]});
  Symmetric a(groups_);
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [expand, contract] : candidates_)
      for (std::size_t p : {t, expand, contract})
        for (std::size_t q : {t, expand, contract}) a.at(p, q) += 1;
  inverse_ = pseudo_inverse(a, threads);
}

Weights Polytope::centre() const {
  std::vector<float> effect(groups_);
  for (std::size_t p = 0; p < groups_; ++p)
    for (std::size_t q = 0; q < groups_; ++q) effect[p] += inverse_[p * groups_ + q];
  Weights weights;
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [expand, contract] : candidates_)
      weights.push_back(effect[t] + effect[expand] + effect[contract]);
  return weights;
}

void Polytope::to_tangent(float* v, std::size_t lanes) const {
  std::vector<float> sums(groups_ * lanes), effect(groups_ * lanes);
  float* row = v;
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [expand, contract] : candidates_) {
      for (std::size_t group : {t, expand, contract}) add(row, &sums[group * lanes], lanes);
      row += lanes;
    }
  for (std::size_t p = 0; p < groups_; ++p)
    for (std::size_t q = 0; q < groups_; ++q) {
      const float weight = inverse_[p * groups_ + q];
      for (std::size_t r = 0; r < lanes; ++r) effect[p * lanes + r] -= weight * sums[q * lanes + r];
    }
  row = v;
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [expand, contract] : candidates_) {
      for (std::size_t group : {t, expand, contract}) add(&effect[group * lanes], row, lanes);
      row += lanes;
    }
}

}  // namespace humpty::order
