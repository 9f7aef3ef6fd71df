// The paper's appendix B derives the negative diagonal from dynamic isometry in four steps, and the
// ratio's size for right and wrong pairs. Each step is measured by itself, so that one sees which
// of them hold: an identity must hold to rounding, an assumption may not.
#include <cmath>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "lab/jacobian.hpp"
#include "lab/paper.hpp"
#include "pair/products.hpp"

namespace humpty::lab {
namespace {

std::vector<double> of_each(const std::vector<JacobianMeans>& blocks,
                            double (*value)(const JacobianMeans&)) {
  std::vector<double> values;
  for (const JacobianMeans& block : blocks) values.push_back(value(block));
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

std::vector<double> quotients(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> values;
  for (std::size_t i = 0; i < a.size(); ++i) values.push_back(a[i] / b[i]);
  return values;
}

void add_proposition(const std::vector<JacobianMeans>& blocks, Study& study) {
  const auto trace = of_each(blocks, [](const JacobianMeans& b) { return b.trace; });
  const auto by_gates = of_each(blocks, [](const JacobianMeans& b) { return b.trace_by_gates; });
  const auto half = of_each(blocks, [](const JacobianMeans& b) { return b.weight_trace / 2; });
  const auto whole = of_each(blocks, [](const JacobianMeans& b) { return b.weight_trace; });
  const auto square = of_each(blocks, [](const JacobianMeans& b) { return b.square; });
  const auto claimed = of_each(blocks, [](const JacobianMeans& b) { return -b.square; });
  const auto defect =
      of_each(blocks, [](const JacobianMeans& b) { return 2 * b.trace + b.square; });
  study.add("theory.isometry",
            "steps 1 and 2: 2 E[tr J_r] + E‖J_r‖²_F per block, zero if the block is isometric",
            defect);
  study.add("theory.isometry_relative", "the same over E‖J_r‖²_F: least, greatest",
            range(quotients(defect, square)));
  study.add("theory.jacobian_square", "E‖J_r‖²_F per block", square);
  study.add("theory.trace", "E[tr J_r] per block", trace);
  study.add("theory.trace_by_gates", "step 3: tr(W_out E[D] W_in) per block", by_gates);
  study.add("theory.trace_identity",
            "largest difference between the two, an identity up to rounding",
            largest_difference(trace, by_gates));
  study.add("theory.half_trace", "½ tr(W_out W_in) per block, which E[D] = ½ would make E[tr J_r]",
            half);
  study.add("theory.half_trace_quotient", "E[tr J_r] over ½ tr(W_out W_in): least, greatest",
            range(quotients(trace, half)));
  study.add(
      "theory.claim",
      "step 4: tr(W_out W_in) over −E‖J_r‖²_F, claimed to be 1: least, "
      "median, greatest",
      std::vector<double>{range(quotients(whole, claimed))[0], median(quotients(whole, claimed)),
                          range(quotients(whole, claimed))[1]});
}

void add_gates(const std::vector<JacobianMeans>& blocks, Study& study) {
  std::vector<double> means, units;
  for (const JacobianMeans& block : blocks) {
    means.push_back(mean(block.gates));
    units.insert(units.end(), block.gates.begin(), block.gates.end());
  }
  study.add("theory.gates", "E[D], mean over a block's units, per block (½ is assumed)", means);
  study.add("theory.gates_range", "the same: least, greatest", range(means));
  study.add("theory.gates_units", "E[D] of single units: least, median, greatest",
            std::vector<double>{range(units)[0], median(units), range(units)[1]});
}

// d = √d / √(1 + ‖E‖²/(ε² d)) with M = −ε I + E.
void add_right_pairs(const pair::Products& of, Study& study) {
  const double d = static_cast<double>(study.d());
  std::vector<double> epsilon, off, ratio, formula;
  const std::size_t n = study.blocks();
  for (std::size_t k = 0; k < n; ++k) {
    const double trace = of.trace[k * n + k], norm2 = of.norm2[k * n + k];
    const double e = std::abs(trace) / d, rest = std::max(0.0, norm2 - e * e * d);
    epsilon.push_back(e);
    off.push_back(std::sqrt(rest));
    ratio.push_back(std::abs(trace) / std::sqrt(norm2));
    formula.push_back(std::sqrt(d) / std::sqrt(1 + rest / (e * e * d)));
  }
  study.add("theory.epsilon", "ε = |tr M|/d per right pair, by place", epsilon);
  study.add("theory.off_norm", "‖E‖_F of M = −εI + E per right pair", off);
  study.add("theory.formula", "largest difference between d and √d/√(1 + ‖E‖²/(ε²d)), an identity",
            largest_difference(ratio, formula));
  study.add("theory.bound", "√d, the most that d can be", std::sqrt(d));
  study.add("theory.level", "d of the right pairs, said to be around √d: median", median(ratio));
  study.add("theory.off_share", "‖E‖²_F / ‖M‖²_F, what is not the diagonal: least, greatest", [&] {
    std::vector<double> share;
    for (double r : ratio) share.push_back(1 - r * r / d);
    return range(share);
  }());
}

double mean_square(const Matrix& m) {
  double sum = 0;
  for (float w : m.values) sum += double{w} * double{w};
  return sum / static_cast<double>(m.values.size());
}

// The random model: independent entries with the matrices' own variances.
void add_wrong_pairs(const pair::Products& of, Study& study) {
  const std::size_t n = study.blocks();
  const double d = static_cast<double>(study.d());
  double trace2 = 0, norm2 = 0, model = 0, count = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Matrix &in = study.job.expand[i]->weight, &out = study.job.contract[j]->weight;
      if (i == j || in.rows != out.cols) continue;
      trace2 += of.trace[i * n + j] * of.trace[i * n + j];
      norm2 += of.norm2[i * n + j];
      model += static_cast<double>(in.rows) * mean_square(in) * mean_square(out);
      ++count;
    }
  if (count == 0) return;
  study.add("theory.wrong_trace_sd", "wrong pairs: sd of tr(M), and the random model's σσ√(dh)",
            std::vector<double>{std::sqrt(trace2 / count), std::sqrt(d * model / count)});
  study.add("theory.wrong_norm2", "wrong pairs: E‖M‖²_F, and the random model's d²hσ²σ²",
            std::vector<double>{norm2 / count, d * d * model / count});
  study.add("theory.wrong_level", "wrong pairs: sd(tr M)/√E‖M‖²_F", std::sqrt(trace2 / norm2));
  study.add("theory.wrong_model", "the random model's 1/√d", 1 / std::sqrt(d));
}

}  // namespace

void study_theory(Study& study) {
  if (!study.go_on(0, "Jacobians of all blocks")) return;
  const net::Batch batch = study.job.rows(study.sample(0, 512));
  const auto blocks = jacobian_means(study.job.net, study.job.expand, study.job.contract,
                                     study.puzzle.activation, batch, study.job.threads);
  add_proposition(blocks, study);
  add_gates(blocks, study);
  const pair::Sides sides(study.job.expand, study.job.contract, nullptr);
  const pair::Products of = pair::products(
      pair::weights(study.job.expand), pair::weights(study.job.contract), sides, study.job.threads);
  add_right_pairs(of, study);
  add_wrong_pairs(of, study);
}

}  // namespace humpty::lab
