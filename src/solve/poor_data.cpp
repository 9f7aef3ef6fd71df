// Poor data.
//
// Probabilities. log softmax(y) is y less a number of the row's own, so less the mean of the row it
// is y less its mean: the search gets log p less its mean for a target, and a head with the mean of
// its rows taken off. With one output the logistic function is undone. Where a probability is 0 or
// 1 the logarithm says nothing, and the row is left out of the search.
//
// No rows. The pairing needs none. The order is taken to be the shortest path through the blocks by
// the signal whose path stands out most (order/signals.hpp); which end is the first is told by the
// drift of norms that training leaves, ‖W_out‖ by depth, whose direction is no law. How often all
// that is right was not measured: a guess.
#include "solve/poor_data.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "order/seeds.hpp"
#include "order/signals.hpp"

namespace humpty::strategy {
namespace {

constexpr double kLeast = 1e-30, kSaturated = 1e-4;

void take_off_mean(Piece& head) {
  const std::size_t o = head.weight.rows;
  head.bias.resize(o, 0.0f);
  for (std::size_t c = 0; c <= head.weight.cols; ++c) {
    const auto value = [&](std::size_t k) -> float& {
      return c == head.weight.cols ? head.bias[k] : head.weight.row(k)[c];
    };
    double mean = 0;
    for (std::size_t k = 0; k < o; ++k) mean += double{value(k)} / double(o);
    for (std::size_t k = 0; k < o; ++k) value(k) = static_cast<float>(double{value(k)} - mean);
  }
}

// False where a probability is too near 0 or 1 to tell its logit.
bool logits_of(const float* p, std::size_t o, std::vector<float>& target) {
  if (o == 1) {
    if (!(p[0] > kSaturated && p[0] < 1 - kSaturated)) return false;
    target.push_back(static_cast<float>(std::log(double{p[0]} / (1 - double{p[0]}))));
    return true;
  }
  if (*std::min_element(p, p + o) < kLeast) return false;
  double mean = 0;
  for (std::size_t k = 0; k < o; ++k) mean += std::log(double{p[k]}) / double(o);
  for (std::size_t k = 0; k < o; ++k)
    target.push_back(static_cast<float>(std::log(double{p[k]}) - mean));
  return true;
}

// Whether blocks with larger norms rather come first, the norms given by the blocks' sequence.
bool falls(const order::Order& order, const order::Order& by_norm) {
  std::vector<double> place(order.size()), rank(order.size()), at(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    at[by_norm[k]] = double(k);
    place[k] = double(k);
  }
  for (std::size_t k = 0; k < order.size(); ++k) rank[k] = at[order[k]];
  return fit_line(place, rank).correlation < 0;
}

}  // namespace

Puzzle with_logits(const Puzzle& puzzle) {
  Puzzle plain = puzzle;
  plain.target = Target::outputs;
  plain.rows.features.values.clear();
  plain.rows.target.values.clear();
  const Matrix &features = puzzle.rows.features, &target = puzzle.rows.target;
  for (std::size_t r = 0; r < features.rows; ++r)
    if (logits_of(target.row(r), target.cols, plain.rows.target.values.own()))
      plain.rows.features.values.append(features.row(r), features.row(r) + features.cols);
  plain.rows.features.rows = plain.rows.target.rows = plain.rows.target.values.size() / target.cols;
  if (plain.rows.features.rows == 0)
    throw Error(ErrorCode::bad_data,
                "the target's probabilities are all 0 or 1, which tells nothing about the outputs; "
                "give the logits");
  if (target.cols > 1) take_off_mean(plain.pieces[plain.with_role(Role::head)[0]]);
  return plain;
}

Guess guess_without_rows(const Job& job) {
  const order::Order by_norm = order::seed_wout(job.contract);
  Guess guess{by_norm, "‖W_out‖_F"};
  double best = 0;
  for (const order::Signal& signal : order::kSignals) {
    const order::Distances distances =
        signal.distances({job.expand, job.contract, job.puzzle.activation}, job.threads);
    const order::Path path = order::shortest_path(distances, job.threads);
    const double outstanding = order::standing_out(distances, path);
    if (!(outstanding > best)) continue;
    best = outstanding;
    guess = {path.order, signal.name};
  }
  if (falls(guess.order, by_norm)) std::reverse(guess.order.begin(), guess.order.end());
  return guess;
}

void explain_guess(Solution& solution) {
  solution.certificate.permutation = solution.permutation;
  solution.certificate.why = fmt::format(
      "a guess from the weights alone: {} of {} pairs stand out, the order is that of {}, ‖W_out‖ "
      "growing, and may as well be the reverse",
      solution.firm_pairs.size(), solution.blocks.size(), solution.seed);
  solution.certificate.hints = {"rows with the net's outputs: a hundred say more than all weights"};
}

}  // namespace humpty::strategy
