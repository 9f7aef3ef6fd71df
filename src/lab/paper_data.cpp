// Section 6.1 of the paper: what is this data? It calls features and outputs normalised and gives
// up on the rest. Here are each feature's moments, how its distribution compares with the normal
// and the uniform one, how the features hang together, whether neighbouring rows do, how much of
// the target a straight line explains, and whether noise hides a few equally spaced levels in it,
// as labels would be.
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/linear.hpp"
#include "base/statistics.hpp"
#include "lab/paper.hpp"

namespace humpty::lab {
namespace {

using Column = std::vector<double>;

std::vector<Column> columns_of(const Matrix& m) {
  std::vector<Column> columns(m.cols);
  for (std::size_t r = 0; r < m.rows; ++r)
    for (std::size_t c = 0; c < m.cols; ++c) columns[c].push_back(m.row(r)[c]);
  return columns;
}

struct Moments {
  double mean = 0, sd = 0, skewness = 0, kurtosis = 0;  // kurtosis of the normal distribution: 3
};

Moments moments(const Column& x) {
  Moments m{humpty::mean(x)};
  double second = 0, third = 0, fourth = 0;
  for (double value : x) {
    const double z = value - m.mean;
    second += z * z, third += z * z * z, fourth += z * z * z * z;
  }
  const double n = static_cast<double>(x.size());
  m.sd = std::sqrt(second / n);
  if (!(m.sd > 0)) return m;
  m.skewness = third / n / std::pow(m.sd, 3);
  m.kurtosis = fourth / n / std::pow(m.sd, 4);
  return m;
}

// Kolmogorov's distance to a distribution function: the largest gap between the two curves.
template <class Cdf>
double distance_to(Column x, Cdf cdf) {
  std::sort(x.begin(), x.end());
  double most = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(x[i]), below = static_cast<double>(i) / n;
    most = std::max({most, std::abs(f - below), std::abs(f - below - 1 / n)});
  }
  return most;
}

double distance_to_normal(const Column& x) {
  const Moments m = moments(x);
  return distance_to(
      x, [&](double value) { return std::erfc((m.mean - value) / (m.sd * std::sqrt(2.0))) / 2; });
}

double distance_to_uniform(const Column& x) {
  const std::vector<double> ends = range(x);
  return distance_to(x, [&](double value) { return (value - ends[0]) / (ends[1] - ends[0]); });
}

double lag_correlation(const Column& x) {
  return fit_line(Column(x.begin(), x.end() - 1), Column(x.begin() + 1, x.end())).correlation;
}

std::size_t distinct(const Column& x) { return std::set<double>(x.begin(), x.end()).size(); }

template <class Value>
std::vector<double> each(const std::vector<Column>& columns, Value value) {
  std::vector<double> values;
  for (const Column& column : columns) values.push_back(static_cast<double>(value(column)));
  return values;
}

Column standardised(const Column& column) {
  const Moments m = moments(column);
  Column z;
  for (double value : column) z.push_back(m.sd > 0 ? (value - m.mean) / m.sd : 0);
  return z;
}

// The mean product of two standardised columns.
double correlation(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / static_cast<double>(a.size());
}

Symmetric correlations(const std::vector<Column>& z) {
  Symmetric result(z.size());
  for (std::size_t a = 0; a < z.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b)
      result.at(a, b) = result.at(b, a) = correlation(z[a], z[b]);
  return result;
}

// The share of the target's variance that the best linear function of the features explains: with
// the features' correlations C and theirs with the target, r, it is rᵀ · C⁻¹ · r.
double linear_share(const std::vector<Column>& z, const Column& target) {
  const Column y = standardised(target);
  std::vector<double> with_target;
  for (const Column& column : z) with_target.push_back(correlation(column, y));
  const std::vector<double> weights = solve(correlations(z), with_target);
  return std::inner_product(weights.begin(), weights.end(), with_target.begin(), 0.0);
}

// Levels s apart show as a peak of the characteristic function |E exp(2πi y/s)|, which is
// exp(−2π²σ²/s²) where noise of standard deviation σ lies on them: a third of the spacing still
// leaves 0.1, ten times what chance leaves of 10,000 rows.
struct Levels {
  double spacing = 0, contrast = 0;
  std::vector<double> counts;  // rows at each, ascending; a tail of few belongs to the last level
};

// The level's rows go to its neighbour, the one above or the one below.
void join(std::map<long, double>& counts, std::map<long, double>::iterator level, bool above) {
  (above ? std::next(level) : std::prev(level))->second += level->second;
  counts.erase(level);
}

std::complex<double> resonance(const Column& y, double spacing) {
  std::complex<double> sum = 0;
  for (double value : y) sum += std::polar(1.0, 2 * std::numbers::pi * value / spacing);
  return sum / static_cast<double>(y.size());
}

// Spacings that make 3 to 24 levels of the range, a hundredth of a level apart at the narrow end.
Levels levels_of(const Column& y) {
  Levels found;
  const double width = range(y)[1] - range(y)[0];
  for (int twentieths = 60; twentieths <= 480; ++twentieths) {
    const double spacing = 20 * width / twentieths;
    const double contrast = std::abs(resonance(y, spacing));
    if (contrast > found.contrast) found.spacing = spacing, found.contrast = contrast;
  }
  if (!(found.spacing > 0)) return found;
  const double phase = std::arg(resonance(y, found.spacing)) / (2 * std::numbers::pi);
  std::map<long, double> counts;
  for (double value : y) ++counts[std::lround(value / found.spacing - phase)];
  const auto few = [&](const auto& level) {
    return level.second < 0.01 * static_cast<double>(y.size());
  };
  while (counts.size() > 1 && few(*counts.begin())) join(counts, counts.begin(), true);
  while (counts.size() > 1 && few(*counts.rbegin())) join(counts, std::prev(counts.end()), false);
  for (const auto& [level, count] : counts) found.counts.push_back(count);
  return found;
}

// The least of a few quantiles' worth of points that still draws the curve.
Column quantiles(Column x, std::size_t count) {
  std::sort(x.begin(), x.end());
  Column some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(x[i * (x.size() - 1) / (count - 1)]);
  return some;
}

std::string normalised(const std::vector<double>& means, const std::vector<double>& sds) {
  constexpr double kNear = 0.05;
  const bool centred =
      std::max(-range(means)[0], range(means)[1])<kNear, scaled = range(sds)[0]> 1 - kNear &&
      range(sds)[1] < 1 + kNear;
  return fmt::format("{}: means {:.3f} … {:.3f}, standard deviations {:.3f} … {:.3f}",
                     centred && scaled ? "normalised"
                     : centred         ? "centred, not scaled"
                     : scaled          ? "scaled, not centred"
                                       : "not normalised",
                     range(means)[0], range(means)[1], range(sds)[0], range(sds)[1]);
}

void add_distributions(const std::vector<Column>& x, Study& study) {
  const auto means = each(x, [](const Column& c) { return moments(c).mean; });
  const auto sds = each(x, [](const Column& c) { return moments(c).sd; });
  study.add("data.normalised", "are the features normalised?", normalised(means, sds));
  study.add("data.means", "mean of each feature", means);
  study.add("data.sds", "standard deviation of each feature", sds);
  study.add("data.least", "least value of each feature",
            each(x, [](const Column& c) { return range(c)[0]; }));
  study.add("data.greatest", "greatest value of each feature",
            each(x, [](const Column& c) { return range(c)[1]; }));
  study.add("data.skewness", "skewness of each feature",
            each(x, [](const Column& c) { return moments(c).skewness; }));
  study.add("data.kurtosis", "kurtosis of each feature (normal: 3, uniform: 1.8)",
            each(x, [](const Column& c) { return moments(c).kurtosis; }));
  study.add("data.to_normal", "Kolmogorov's distance of each feature to the normal distribution",
            each(x, distance_to_normal));
  study.add("data.to_uniform", "Kolmogorov's distance of each feature to the uniform distribution",
            each(x, distance_to_uniform));
  study.add("data.distinct", "different values of each feature", each(x, distinct));
  study.add("data.lag", "correlation of each feature with itself one row later",
            each(x, lag_correlation));
}

void add_correlations(const std::vector<Column>& z, Study& study) {
  const Symmetric all = correlations(z);
  std::vector<double> off;
  for (std::size_t a = 0; a < all.size; ++a)
    for (std::size_t b = a + 1; b < all.size; ++b) off.push_back(std::abs(all.at(a, b)));
  if (!off.empty())
    study.add("data.correlations", "|correlation| of two features: least, median, greatest",
              std::vector<double>{range(off)[0], median(off), range(off)[1]});
  std::vector<double> spectrum = eigenvalues(all);
  std::reverse(spectrum.begin(), spectrum.end());
  double sum = 0, squares = 0;
  for (double value : spectrum) sum += value, squares += value * value;
  study.add("data.spectrum", "eigenvalues of the features' correlation matrix", spectrum);
  study.add("data.dimensions", "how many independent directions that makes, (Σλ)²/Σλ²",
            sum * sum / squares);
  study.plot("feature_correlations", {},
             Matrix{all.size, all.size, std::vector<float>(all.values.begin(), all.values.end())});
}

void add_target(const std::string& id, const std::string& what, const std::vector<Column>& z,
                const Column& y, Study& study) {
  const Moments m = moments(y);
  study.add(fmt::format("data.{}", id),
            what + ": mean, standard deviation, least, greatest, skewness, kurtosis",
            std::vector<double>{m.mean, m.sd, range(y)[0], range(y)[1], m.skewness, m.kurtosis});
  study.add(fmt::format("data.{}_linear", id),
            "share of its variance that a linear function of the features explains",
            linear_share(z, y));
}

// In words, what the numbers say and no more.
std::string verdict(const std::vector<Column>& x, const Levels& levels, std::size_t rows,
                    const std::string& name) {
  std::size_t humped = 0;
  double lag = 0;
  for (const Column& column : x) {
    humped += moments(column).kurtosis < 1.8;
    lag = std::max(lag, std::abs(lag_correlation(column)));
  }
  const double chance = 5 / std::sqrt(static_cast<double>(rows));
  std::string text = fmt::format(
      "{} of {} features have two humps (kurtosis below the uniform distribution's 1.8); "
      "neighbouring rows {} (correlation {:.3f} at most)",
      humped, x.size(), lag < chance ? "have nothing in common" : "go together", lag);
  if (levels.contrast > chance)
    text += fmt::format(
        "; `{}` has {} equally spaced levels under noise, as numbered classes "
        "would have",
        name, levels.counts.size());
  return text;
}

void add_levels(const std::string& name, const Levels& levels, Study& study) {
  study.add("data.level_spacing", fmt::format("spacing of the levels in `{}`", name),
            levels.spacing);
  study.add("data.level_contrast",
            "how clearly they stand out: |E exp(2πi y/spacing)|, at most 1; chance leaves 1/√rows",
            levels.contrast);
  study.add("data.level_counts", "rows at each of them", levels.counts);
}

}  // namespace

void study_data(Study& study) {
  const Rows& rows = study.puzzle.rows;
  if (rows.features.rows < 2) return;
  const std::vector<Column> x = columns_of(rows.features), pred = columns_of(rows.target);
  std::vector<Column> z;
  for (const Column& column : x) z.push_back(standardised(column));
  add_distributions(x, study);
  if (!study.go_on(0.5, "correlations of the features")) return;
  add_correlations(z, study);
  add_target("pred", "`pred`", z, pred[0], study);
  constexpr std::size_t kPoints = 101;
  std::vector<Column> sorted;
  for (const Column& column : x) sorted.push_back(quantiles(column, kPoints));
  study.plot("sorted_features", rows.feature_names, sorted);
  std::vector<Column> answers{quantiles(pred[0], kPoints)};
  std::vector<std::string> names{"pred"};
  Column labels = pred[0];
  if (study.options.truth.cols > 0) {
    const Column truth = columns_of(study.options.truth)[0];
    add_target("true", "`true`", z, truth, study);
    Column noise;
    for (std::size_t r = 0; r < truth.size(); ++r) noise.push_back(truth[r] - pred[0][r]);
    add_target("noise", "`true` − `pred`, what the net did not learn", z, noise, study);
    answers.push_back(quantiles(truth, kPoints));
    names.push_back("true");
    labels = truth;
  }
  const Levels levels = levels_of(labels);
  add_levels(names.back(), levels, study);
  study.add("data.answer", "what is this data?", verdict(x, levels, labels.size(), names.back()));
  study.plot("sorted_answers", names, answers);
}

}  // namespace humpty::lab
