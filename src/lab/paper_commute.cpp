// Section 4.2 of the paper: two blocks almost commute, because residuals are small,
//
//   A∘B(x) − B∘A(x) = [r_A(x + r_B(x)) − r_A(x)] − [r_B(x + r_A(x)) − r_B(x)],
//
// which it puts at O(‖r_A‖ ‖r_B‖). If that is the shape, then over all pairs the logarithm of the
// left side grows by one with that of ‖r_A‖ ‖r_B‖. Measured at the raw inputs, where delta-norm
// looks too. (What holds always is weaker: the Lipschitz bound L_A ‖r_B‖ + L_B ‖r_A‖; it has the
// paper's shape only where blocks that move much also bend much.)
#include <cmath>

#include <fmt/format.h>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "lab/anatomy.hpp"
#include "lab/paper.hpp"

namespace humpty::lab {
namespace {

using BlockPair = std::pair<std::size_t, std::size_t>;

constexpr std::size_t kMostPairs = 2016;  // all of up to 64 blocks

std::vector<BlockPair> pairs_of(std::size_t n, std::uint64_t rng) {
  std::vector<BlockPair> pairs;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) pairs.emplace_back(a, b);
  if (pairs.size() > kMostPairs) {
    Random(rng).shuffle(pairs);
    pairs.resize(kMostPairs);
  }
  return pairs;
}

// One tile's rows at the raw input: what every block adds, and how far two of them fail to commute.
class Tile {
 public:
  Tile(const net::Net& net, const float* x, std::size_t rows)
      : net_(net), x_(x), rows_(rows), scratch_(net::floats(net.scratch())) {
    for (std::size_t k = 0; k < net.blocks(); ++k) {
      r_.push_back(net::floats(size()));
      net.residual(k, x, r_.back().get(), scratch_.get());
      norm_.push_back(norms(r_.back().get()));
    }
  }

  // Sums over the rows: ‖A∘B(x) − B∘A(x)‖, ‖r_A(x)‖ ‖r_B(x)‖.
  std::pair<double, double> sums(std::size_t a, std::size_t b) const {
    const net::Floats left = after(a, b), right = after(b, a);
    for (std::size_t i = 0; i < size(); ++i) left[i] -= right[i];
    const std::vector<double> apart = norms(left.get());
    double difference = 0, product = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      difference += apart[r];
      product += norm_[a][r] * norm_[b][r];
    }
    return {difference, product};
  }

 private:
  std::size_t size() const { return net_.d() * net::kTileRows; }

  // What a does otherwise once b has run: r_a(x + r_b(x)) − r_a(x).
  net::Floats after(std::size_t a, std::size_t b) const {
    net::Floats moved = net::floats(size()), change = net::floats(size());
    for (std::size_t i = 0; i < size(); ++i) moved[i] = x_[i] + r_[b][i];
    net_.residual(a, moved.get(), change.get(), scratch_.get());
    for (std::size_t i = 0; i < size(); ++i) change[i] -= r_[a][i];
    return change;
  }

  std::vector<double> norms(const float* values) const {
    std::vector<double> square(rows_);
    for (std::size_t f = 0; f < net_.d(); ++f)
      for (std::size_t r = 0; r < rows_; ++r) {
        const double value = values[f * net::kTileRows + r];
        square[r] += value * value;
      }
    for (double& value : square) value = std::sqrt(value);
    return square;
  }

  const net::Net& net_;
  const float* x_;
  std::size_t rows_;
  net::Floats scratch_;
  std::vector<net::Floats> r_;
  std::vector<std::vector<double>> norm_;
};

struct Commuting {
  std::vector<double> difference, product;  // means over the rows, per pair
};

Commuting measure(const std::vector<BlockPair>& pairs, const net::Batch& batch,
                  const Study& study) {
  const std::size_t count = pairs.size();
  std::vector<std::pair<double, double>> sums(batch.tiles() * count);
  study.job.threads.run(batch.tiles(), [&](std::size_t t, unsigned worker) {
    const Tile tile(study.job.net, batch.features(t), batch.rows_in(t));
    for (std::size_t p = 0; p < count; ++p)
      sums[t * count + p] = tile.sums(pairs[p].first, pairs[p].second);
    if (worker == 0)
      study.go_on(static_cast<double>(t) / static_cast<double>(batch.tiles()),
                  "all pairs of blocks either way round");
  });
  Commuting result{std::vector<double>(count), std::vector<double>(count)};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.difference[i % count] += sums[i].first / static_cast<double>(batch.rows());
    result.product[i % count] += sums[i].second / static_cast<double>(batch.rows());
  }
  return result;
}

void add_shape(const Commuting& found, Study& study) {
  std::vector<double> constant, log_difference, log_product;
  for (std::size_t i = 0; i < found.difference.size(); ++i) {
    if (!(found.difference[i] > 0) || !(found.product[i] > 0)) continue;  // blocks that do nothing
    constant.push_back(found.difference[i] / found.product[i]);
    log_difference.push_back(std::log(found.difference[i]));
    log_product.push_back(std::log(found.product[i]));
  }
  if (constant.size() < 2) return;
  const Line line = fit_line(log_product, log_difference);
  study.add("commute.constant",
            "‖A∘B(x) − B∘A(x)‖ over ‖r_A‖‖r_B‖, over pairs: least, median, greatest",
            std::vector<double>{range(constant)[0], median(constant), range(constant)[1]});
  study.add("commute.slope", "log-log slope of the one against the other (1: the bound's shape)",
            line.slope);
  study.add("commute.correlation", "their log-log correlation", line.correlation);
  study.add("commute.answer", "is the bound's shape seen?",
            fmt::format("{}: ‖A∘B(x) − B∘A(x)‖ goes with the power {:.2f} of ‖r_A‖‖r_B‖ "
                        "(correlation {:.2f}), and the largest constant is {:.1f} times the least",
                        line.correlation > 0.8 && std::abs(line.slope - 1) < 0.25 ? "yes"
                        : line.correlation > 0.5                                  ? "roughly"
                                                                                  : "no",
                        line.slope, line.correlation, range(constant)[1] / range(constant)[0]));
}

void add_movements(std::size_t rows, Study& study) {
  const Assembled net{study.puzzle, study.paper.solution.permutation, study.puzzle.activation};
  std::vector<double> relative;
  for (const Motion& motion : motions(net, rows, study.job.threads))
    relative.push_back(motion.relative);
  study.add("commute.relative", "‖r_k(x)‖/‖x‖ at the states that reach it, per block", relative);
  study.add("commute.relative_range", "the same, said to be small: least, median, greatest",
            std::vector<double>{range(relative)[0], median(relative), range(relative)[1]});
}

}  // namespace

void study_commutativity(Study& study) {
  const net::Batch batch = study.job.rows(study.sample(512, 64));
  const std::vector<BlockPair> pairs = pairs_of(study.blocks(), study.options.rng);
  const Commuting found = measure(pairs, batch, study);
  if (study.job.watch.stopped()) return;
  add_shape(found, study);
  add_movements(batch.rows(), study);
  if (!pairs.empty())
    study.plot("commute", {"‖r_A‖‖r_B‖", "‖A∘B − B∘A‖"}, {found.product, found.difference});
}

}  // namespace humpty::lab
