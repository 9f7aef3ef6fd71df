#include "solve/answer.hpp"

#include <algorithm>
#include <cmath>

#include "pair/ratio.hpp"
#include "pair/sides.hpp"

namespace humpty {
namespace {

Block block(const Pairing& pairing, int in, int out) {
  const auto place = [](const std::vector<int>& ids, int id) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  };
  const std::size_t row = place(pairing.expand, in), column = place(pairing.contract, out),
                    width = pairing.contract.size();
  const double score = pairing.scores[row * width + column];
  return {in, out, score,
          column == pairing.match[row] ? pair::margin(pairing, row)
                                       : score - pairing.scores[row * width + pairing.match[row]]};
}

}  // namespace

void set_permutation(std::vector<int> permutation, Solution& solution) {
  solution.blocks.clear();
  const std::size_t first = first_block(permutation.size());
  if (first == 1) solution.stem = permutation[0];
  for (std::size_t i = first; i + 1 < permutation.size(); i += 2)
    solution.blocks.push_back(block(solution.pairing, permutation[i], permutation[i + 1]));
  solution.head = permutation.back();
  solution.permutation = std::move(permutation);
}

void set_way(const strategy::Way& way, Solution& solution) {
  solution.seed = way.seed;
  solution.seed_mse = way.seed_mse;
  solution.seed_order = way.seed_order;
  solution.bradley_terry = way.bradley_terry;
  solution.rounds = way.rounds;
}

Pairing unscored_pairing(const Puzzle& puzzle) {
  const pair::Sides sides(puzzle);
  Pairing pairing;
  for (const Piece* piece : sides.expand) pairing.expand.push_back(piece->id);
  for (const Piece* piece : sides.contract) pairing.contract.push_back(piece->id);
  pairing.scores = pair::forbidden_table(sides);
  pairing.traces.assign(sides.size() * sides.size(), 0);
  pairing.match.resize(sides.size());
  for (const pair::Width& width : sides.widths)
    for (std::size_t k = 0; k < width.expand.size(); ++k) {
      pairing.match[width.expand[k]] = width.contract[k];
      for (std::size_t j : width.contract) pairing.scores[width.expand[k] * sides.size() + j] = 0;
    }
  pairing.greedy = pairing.match;
  return pairing;
}

// Scores of wrong pairs are noise about zero; these stand out of it.
std::vector<int> firm_pairs(const Solution& solution) {
  const Pairing& pairing = solution.pairing;
  double sum = 0, square = 0, count = 0;
  for (std::size_t i = 0; i < pairing.scores.size(); ++i) {
    const double score = pairing.scores[i];
    if (!std::isfinite(score) ||
        pairing.match[i / pairing.contract.size()] == i % pairing.contract.size())
      continue;
    sum += score, square += score * score, ++count;
  }
  constexpr double kSigmas = 5;
  const double mean = count > 0 ? sum / count : 0,
               sigma = count > 0 ? std::sqrt(std::max(0.0, square / count - mean * mean)) : 0;
  std::vector<int> firm;
  for (const Block& each : solution.blocks)
    if (each.score > mean + kSigmas * sigma && each.margin > kSigmas / 2 * sigma)
      firm.push_back(each.in);
  return firm;
}

}  // namespace humpty
