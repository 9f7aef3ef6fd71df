// A bilinear form learnt without labels.
//
// A hidden unit shows u on its expand side and v on its contract side (features.hpp). Whatever
// training ties the two together with, to second order it is a matrix A = E[u vᵀ] over the units of
// true pairs, the same for all blocks; strangers' units have none. So the score of a pair is
// Σ_k u_kᵀ A v_k, and A is learnt from a guess of the pairs: guess → A → scores → better guess
// (expectation and maximisation). What made it work, against a plain EM on the same features:
//
//  - Soft guesses. P is Sinkhorn's doubly stochastic matrix, its sharpness growing with the number
//    of the iteration and with the separation that has been reached.
//  - Groups. The d × d block of A is mostly noise and has thousands of entries, the few of norm
//    against norm are strong. Each block of A is shrunk as a whole, by the share of its energy that
//    is not noise: f = max(0, 1 − s² / mean(A²)), s² = Σ P² h / N², N the number of units.
//  - No pair speaks for itself. A contains the pair's own products, which make any guess look
//    right afterwards; their expected share P_ij Σ f ‖U_i‖² ‖V_j‖² / (h N) is taken out.
//  - Robust scale (standardise()), so that the true pairs do not shrink their own scores.
//
// It hardly matters where it starts. It fails where there are few units to learn from (narrow
// hidden layers, few blocks) or nothing was learnt in training. Shrinking A entry by entry, or its
// singular values, was worse.
//
// Where there are very many units only some are used until the guess is nearly there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "net/train_kernel.hpp"
#include "pair/features.hpp"
#include "pair/signals.hpp"

namespace humpty::pair {
namespace {

using net::Floats;
using net::floats;
using net::padded;

constexpr int kRounds = 60, kMoreRounds = 3;
constexpr double kFirstSharpness = 2, kSharpness = 3;
constexpr double kChance = 1, kLeastAbove = 0.5;          // of a separation
constexpr std::size_t kFewFloats = std::size_t{1} << 25;  // features used until nearly there
constexpr std::size_t kBands = 8;                         // of units: the jobs

struct Shrunk {
  Floats form;  // (columns in, stride out)
  Table self;   // (expand, contract): what a pair adds to its own score where P = 1
};

class Form {
 public:
  Form(const Sides& sides, Threads& threads)
      : sides_(sides),
        threads_(threads),
        in_(expand_features(sides, threads)),
        out_(contract_features(sides, threads)) {}

  // Every how-manieth unit to use at first.
  std::size_t first_step() const {
    std::size_t most = 0;
    for (const Width& width : sides_.widths) most = std::max(most, width.h);
    const std::size_t per_unit = sides_.size() * (in_.stride + out_.stride);
    const std::size_t few = std::max<std::size_t>(1, kFewFloats / per_unit);
    return (most + few - 1) / few;
  }

  // Scores all pairs by the form that `soft` gives, from every `step`-th unit.
  Table score(const Table& soft, std::size_t step) const {
    const Shrunk shrunk = shrink(learn(soft, step), noise(soft, step), step);
    Table table = forbidden_table(sides_);
    for (std::size_t w = 0; w < sides_.widths.size(); ++w) add_scores(w, shrunk, soft, step, table);
    return table;
  }

 private:
  std::size_t used(const Width& width, std::size_t step) const {
    return (width.h + step - 1) / step;
  }
  double units(std::size_t step) const {
    double sum = 0;
    for (const Width& width : sides_.widths)
      sum += static_cast<double>(width.expand.size() * used(width, step));
    return sum;
  }
  // Variance of an entry of A if `soft` pairs strangers.
  double noise(const Table& soft, std::size_t step) const {
    double sum = 0;
    for (const Width& width : sides_.widths)
      for (std::size_t i : width.expand)
        for (std::size_t j : width.contract) {
          const double p = soft[i * sides_.size() + j];
          sum += p * p * static_cast<double>(used(width, step));
        }
    return sum / units(step) / units(step);
  }

  const float* unit_in(std::size_t w, std::size_t k) const {
    return in_.values[w].get() + k * sides_.widths[w].expand.size() * in_.stride;
  }
  const float* unit_out(std::size_t w, std::size_t k) const {
    return out_.values[w].get() + k * sides_.widths[w].contract.size() * out_.stride;
  }

  // A = Σ_k U_kᵀ (P V_k) / N, (columns in, columns out).
  std::vector<double> learn(const Table& soft, std::size_t step) const {
    std::vector<double> form(in_.columns() * out_.columns());
    for (std::size_t w = 0; w < sides_.widths.size(); ++w) {
      const Width& width = sides_.widths[w];
      const std::size_t m = width.expand.size();
      const Floats p = floats(m * m);
      for (std::size_t a = 0; a < m; ++a)
        for (std::size_t b = 0; b < m; ++b)
          p[a * m + b] =
              static_cast<float>(soft[width.expand[a] * sides_.size() + width.contract[b]]);
      const std::vector<Floats> sums = over_bands(
          used(width, step), in_.columns() * out_.stride, m * out_.stride,
          [&](std::size_t k, float* sum, float* mixed) {
            net::multiply({m, m, out_.stride, p.get(), m, false, unit_out(w, k * step), out_.stride,
                           nullptr, nullptr, mixed, out_.stride});
            net::multiply({in_.columns(), m, out_.stride, unit_in(w, k * step), in_.stride, true,
                           mixed, out_.stride, nullptr, sum, sum, out_.stride});
          });
      for (const Floats& sum : sums)
        for (std::size_t r = 0; r < in_.columns(); ++r)
          for (std::size_t c = 0; c < out_.columns(); ++c)
            form[r * out_.columns() + c] += double{sum[r * out_.stride + c]};
    }
    for (double& value : form) value /= units(step);
    return form;
  }

  // Shrinks each pair of groups as a whole.
  Shrunk shrink(const std::vector<double>& form, double variance, std::size_t step) const {
    Shrunk shrunk{floats(in_.columns() * out_.stride), Table(sides_.size() * sides_.size())};
    for (std::size_t g = 0; g + 1 < in_.groups.size(); ++g)
      for (std::size_t e = 0; e + 1 < out_.groups.size(); ++e) {
        double square = 0;
        const auto each = [&](const auto& act) {
          for (std::size_t r = in_.groups[g]; r < in_.groups[g + 1]; ++r)
            for (std::size_t c = out_.groups[e]; c < out_.groups[e + 1]; ++c) act(r, c);
        };
        const auto at = [&](std::size_t r, std::size_t c) { return form[r * out_.columns() + c]; };
        each([&](std::size_t r, std::size_t c) { square += at(r, c) * at(r, c); });
        const auto size = static_cast<double>((in_.groups[g + 1] - in_.groups[g]) *
                                              (out_.groups[e + 1] - out_.groups[e]));
        const double keep = square > 0 ? std::max(0.0, 1 - variance * size / square) : 0;
        each([&](std::size_t r, std::size_t c) {
          shrunk.form[r * out_.stride + c] = static_cast<float>(keep * at(r, c));
        });
        add_self(keep, g, e, step, shrunk.self);
      }
    return shrunk;
  }

  void add_self(double keep, std::size_t g, std::size_t e, std::size_t step, Table& self) const {
    if (keep == 0) return;
    for (const Width& width : sides_.widths) {
      // Of the energy of all units the used share, on both sides.
      const double share = static_cast<double>(used(width, step)) / static_cast<double>(width.h);
      const double factor =
          keep * share * share / (static_cast<double>(used(width, step)) * units(step));
      for (std::size_t i : width.expand)
        for (std::size_t j : width.contract)
          self[i * sides_.size() + j] += factor * in_.energy[g][i] * out_.energy[e][j];
    }
  }

  // S = Σ_k U_k A V_kᵀ less what is the pair's own, over √h, so that all widths have one scale.
  void add_scores(std::size_t w, const Shrunk& shrunk, const Table& soft, std::size_t step,
                  Table& table) const {
    const Width& width = sides_.widths[w];
    const std::size_t m = width.expand.size(), wide = padded(m);
    const std::vector<Floats> sums = over_bands(
        used(width, step), m * wide, m * out_.stride + out_.stride * wide,
        [&](std::size_t k, float* sum, float* scratch) {
          float* turned = scratch + m * out_.stride;
          net::multiply({m, in_.columns(), out_.stride, unit_in(w, k * step), in_.stride, false,
                         shrunk.form.get(), out_.stride, nullptr, nullptr, scratch, out_.stride});
          net::transpose(scratch, m, out_.stride, out_.stride, turned, wide);
          net::multiply({m, out_.columns(), wide, unit_out(w, k * step), out_.stride, false, turned,
                         wide, nullptr, sum, sum, wide});
        });
    const double root = std::sqrt(static_cast<double>(used(width, step)));
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) {
        double sum = 0;
        for (const Floats& each : sums) sum += double{each[b * wide + a]};
        const std::size_t at = width.expand[a] * sides_.size() + width.contract[b];
        table[at] = (sum - soft[at] * shrunk.self[at]) / root;
      }
  }

  // Sums over units in bands of them, each band by one job in memory of its own.
  template <class Add>
  std::vector<Floats> over_bands(std::size_t count, std::size_t sum_size, std::size_t scratch_size,
                                 const Add& add) const {
    std::vector<Floats> sums(std::min(kBands, count));
    threads_.run(sums.size(), [&](std::size_t band, unsigned) {
      sums[band] = floats(sum_size);
      const Floats scratch = floats(scratch_size);
      for (std::size_t k = band; k < count; k += sums.size()) {
        threads_.check();
        add(k, sums[band].get(), scratch.get());
      }
    });
    return sums;
  }

  const Sides& sides_;
  Threads& threads_;
  Features in_, out_;
};

double soft_separation(const Table& soft, const Table& table, std::size_t n) {
  double sum = 0;
  for (std::size_t at = 0; at < table.size(); ++at)
    if (soft[at] > 0) sum += soft[at] * table[at];
  return sum / static_cast<double>(n);
}

// Where other signals see the guess too, they have a say in it: by their share of the separation
// above chance.
Table with_help(Table table, double reached, const std::vector<const Table*>& others,
                const Table& soft, std::size_t n) {
  for (const Table* other : others) {
    const double above = std::max(0.0, soft_separation(soft, *other, n) - kChance);
    const double weight = above / std::max(reached - kChance, kLeastAbove);
    for (std::size_t at = 0; at < table.size() && weight > 0; ++at)
      if (soft[at] > 0) table[at] += weight * (*other)[at];
  }
  return table;
}

}  // namespace

Table bilinear(const Sides& sides, const Table& start, const std::vector<const Table*>& others,
               Threads& threads, Watch& watch) {
  const Form form(sides, threads);
  const std::size_t step = form.first_step();
  Table table, soft = soft_assignment(start, kFirstSharpness, sides);
  const int rounds = kRounds + (step > 1 ? kMoreRounds : 0);
  for (int round = 0; round < rounds; ++round) {
    table = form.score(soft, round < kRounds ? step : 1);
    standardise(table, sides);
    const double grown = std::min(1.0, static_cast<double>(round) / (kRounds - 1));
    const double reached = std::max(1.0, soft_separation(soft, table, sides.size()));
    soft = soft_assignment(with_help(table, reached, others, soft, sides.size()),
                           kSharpness + grown * reached, sides);
    if (!watch.go_on("pair", static_cast<double>(round) / rounds, "learning the form")) break;
  }
  return table;
}

}  // namespace humpty::pair
