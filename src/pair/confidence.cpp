// Scores are log-likelihood ratios (ensemble.cpp), so a pair's posterior is a marginal over all
// pairings, each weighted by exp(its total). Sinkhorn's soft assignment at sharpness 1 is a good
// stand-in for those marginals, which are #P-hard, and comes out nearly calibrated as it is. What
// it cannot know: the form was learnt from the very pairs it scores, so a wrong but consistent
// pairing looks better than it is. How far the whole stands above chance, the excess, knows that.
// The two and the number of blocks are joined by a logistic regression, fitted on the even-numbered
// nets of scripts/own-nets up to 600. Its base was then lowered by one, because among the other
// nets there were small ones (six blocks) whose wrong pairings stood out by luck; docs/pairing.md
// has figures on nets trained after that. Both parts are bounded: no pair of a pairing that chance
// might have made is ever given 99 %.
#include "pair/confidence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace humpty::pair {
namespace {

constexpr double kBase = -0.1, kPosterior = 0.8, kExcess = 0.64, kPieces = -0.77;
constexpr double kMostPosterior = 4, kMostExcess = 8, kMostPieces = 24;
constexpr double kNoSignal = 2.5;  // spreads above chance that now and then are nothing
constexpr std::size_t kLeastCandidates = 5, kMostCandidates = 12;
constexpr double kCovered = 0.999;

double logit(double p) { return std::log(p / (1 - p)); }

double calibrated(double posterior, double excess, std::size_t pieces) {
  const double bounded = std::clamp(posterior, 1e-4, 1 - 1e-4);
  const double sum = kBase + kPosterior * std::min(logit(bounded), kMostPosterior) +
                     kExcess * std::min(excess, kMostExcess) +
                     kPieces * std::log(std::min(static_cast<double>(pieces), kMostPieces));
  return 1 / (1 + std::exp(-sum));
}

// Likeliest first, until they cover nearly everything.
std::vector<std::size_t> short_list(const Table& soft, const Table& scores, std::size_t i,
                                    const std::vector<std::size_t>& places, std::size_t n) {
  std::vector<std::size_t> list = places;
  std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
    return scores[i * n + a] > scores[i * n + b];
  });
  double covered = 0;
  std::size_t count = 0;
  while (count < std::min(list.size(), kMostCandidates) &&
         (count < kLeastCandidates || covered < kCovered))
    covered += soft[i * n + list[count++]];
  list.resize(count);
  return list;
}

}  // namespace

Belief believe(const Pairing& pairing, double excess, const Sides& sides) {
  const std::size_t n = sides.size();
  const Table soft = soft_assignment(pairing.scores, 1, sides);
  Belief belief{excess > kNoSignal, std::vector<double>(n), {}};
  belief.candidates.resize(n);
  for (const Width& width : sides.widths)
    for (std::size_t i : width.expand) {
      // A width of one block leaves no choice.
      belief.confidence[i] = width.expand.size() == 1 ? 1
                                                      : calibrated(soft[i * n + pairing.match[i]],
                                                                   excess, width.expand.size());
      belief.candidates[i] = short_list(soft, pairing.scores, i, width.contract, n);
    }
  return belief;
}

}  // namespace humpty::pair
