// The diagonal dominance ratio of "I Dropped a Neural Net":
//
//   d(i,j) = |tr(M)| / ‖M‖_F,   M = W_out(j) · W_in(i)
//
// Training that keeps a block near an isometry pushes the diagonal of its own product to the
// negative side; the product of strangers has no diagonal to speak of. Only some regimes do (see
// docs/regimes.md): small rates, few epochs, weight decay or another activation leave traces of
// either sign or none at all, and the ratio then pairs at random.
#include "pair/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/assignment.hpp"
#include "pair/products.hpp"

namespace humpty::pair {

std::vector<std::size_t> best_of_each_row(const Table& scores, std::size_t n) {
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(i * n);
    best.push_back(static_cast<std::size_t>(
        std::max_element(row, row + static_cast<std::ptrdiff_t>(n)) - row));
  }
  return best;
}

Pairing pairing_by(const Sides& sides, Table scores, Table traces) {
  Pairing pairing;
  for (const Piece* piece : sides.expand) pairing.expand.push_back(piece->id);
  for (const Piece* piece : sides.contract) pairing.contract.push_back(piece->id);
  pairing.scores = std::move(scores);
  pairing.traces = std::move(traces);
  pairing.match = assign(pairing.scores, sides.size());
  pairing.greedy = best_of_each_row(pairing.scores, sides.size());
  return pairing;
}

namespace {

Table ratios(const Products& of, const Sides& sides) {
  Table scores = forbidden_table(sides);
  for (const Width& width : sides.widths)
    for (std::size_t i : width.expand)
      for (std::size_t j : width.contract) {
        const std::size_t at = i * sides.size() + j;
        scores[at] = of.norm2[at] > 0 ? std::abs(of.trace[at]) / std::sqrt(of.norm2[at]) : 0;
      }
  return scores;
}

}  // namespace

Table ratio_table(const Sides& sides, Threads& threads) {
  return ratios(products(weights(sides.expand), weights(sides.contract), sides, threads), sides);
}

Pairing pair_by_ratio(const Puzzle& puzzle, Threads& threads) {
  const Sides sides(puzzle);
  Products of = products(weights(sides.expand), weights(sides.contract), sides, threads);
  Table scores = ratios(of, sides);
  return pairing_by(sides, std::move(scores), std::move(of.trace));
}

bool is_clear(const Pairing& pairing) {
  for (std::size_t i = 0; i < pairing.expand.size(); ++i)
    if (!(margin(pairing, i) > 0)) return false;
  return true;
}

double margin(const Pairing& pairing, std::size_t expand) {
  const std::size_t n = pairing.contract.size(), own = pairing.match[expand];
  double rival = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    if (k != own) rival = std::max(rival, pairing.scores[expand * n + k]);
    if (k != expand) rival = std::max(rival, pairing.scores[k * n + own]);
  }
  return pairing.scores[expand * n + own] - rival;
}

}  // namespace humpty::pair
