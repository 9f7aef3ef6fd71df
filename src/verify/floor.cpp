// How far may the right order be from the target?
//
// The target was computed by somebody else's program; ours recomputes it in float64. What separates
// the two, if the order is right, is that program's rounding and whatever was done to its output
// afterwards. How large rounding is depends on the net, so it is measured, not guessed: the same
// chain is run once more in plain float32 (summing one product after the other, the least careful
// of the usual ways), and the difference from float64 is one sample of such rounding, on these very
// rows. Another program sums in another order, hence the factors kRmsFactor and kMaxFactor. A
// sample of the rows is enough for the mean, and the rows with the largest errors are in it for the
// largest. Where there are few rows, one sample each says little (a single row may happen to round
// to nothing), so copies of them, moved by a thousandth, are measured too.
//
// Both the mean square and the largest error must be within: a wrong order can hide in the mean if
// it matters on few rows only.
//
// The target may be coarser than float32 arithmetic, and its digits tell: values that are all
// multiples of 1e-4, or have six significant digits, or fit into float16, are so by chance with a
// probability that can be computed, and below kChance chance is not believed. Rounding to steps of
// size q moves a value by q/2 at most and by q/√12 in the mean. If the values, or all weights, fit
// into 16 bits, the net may have been run in 16 bits: that is measured as float32 is, with every
// layer's output rounded. Of all explanations the finest that allows for the error is taken, so a
// coarse one never covers up for an order that a finer one would not explain unless it must; it is
// named in the certificate, and every rival is then measured against it too.
#include "verify/floor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/random.hpp"
#include "verify/answers.hpp"

namespace humpty::verifier {
namespace {

constexpr double kRmsFactor = 4, kMaxFactor = 8;
constexpr double kMostRms = 0.1, kMostMax = 0.5;  // of the target's size, that rounding may explain
constexpr double kUlp = 0x1p-23;
constexpr double kChance = 1e-9;
constexpr std::size_t kSampleRows = 512;  // for the measure of rounding
constexpr std::size_t kWorstRows = 64;    // of them those with the largest errors
constexpr double kJitter = 1e-3;
constexpr double kSigmas = 5;  // that a mean over all rows may be beyond its expectation

// Rows evenly spread, those with the largest errors, and moved copies if that is not enough.
struct Sample {
  Matrix features;
  std::vector<double> wide;
};

std::vector<double> errors_by_row(const Puzzle& puzzle, const std::vector<double>& wide) {
  const Matrix& target = puzzle.rows.target;
  std::vector<double> largest(target.rows);
  for (std::size_t i = 0; i < wide.size(); ++i)
    largest[i / target.cols] =
        std::max(largest[i / target.cols], std::abs(wide[i] - double{target.values[i]}));
  return largest;
}

std::vector<std::size_t> sampled_rows(const Puzzle& puzzle, const std::vector<double>& wide) {
  const std::size_t all = puzzle.rows.features.rows;
  std::vector<std::size_t> by_error(all);
  std::iota(by_error.begin(), by_error.end(), std::size_t{0});
  if (all <= kSampleRows) return by_error;
  const std::vector<double> error = errors_by_row(puzzle, wide);
  std::partial_sort(by_error.begin(), by_error.begin() + kWorstRows, by_error.end(),
                    [&](std::size_t a, std::size_t b) { return error[a] > error[b]; });
  std::set<std::size_t> chosen(by_error.begin(), by_error.begin() + kWorstRows);
  for (std::size_t i = 0; i < kSampleRows; ++i) chosen.insert(i * all / kSampleRows);
  return {chosen.begin(), chosen.end()};
}

Sample take_sample(const Puzzle& puzzle, const std::vector<int>& permutation,
                   const std::vector<double>& wide, Threads& threads) {
  const Matrix& features = puzzle.rows.features;
  const std::size_t o = puzzle.rows.target.cols;
  Sample sample{{0, features.cols, {}}, {}};
  const std::vector<std::size_t> rows = sampled_rows(puzzle, wide);
  for (std::size_t row : rows) {
    sample.features.values.append(features.row(row), features.row(row) + features.cols);
    sample.wide.insert(sample.wide.end(), wide.begin() + std::ptrdiff_t(row * o),
                       wide.begin() + std::ptrdiff_t((row + 1) * o));
  }
  Random random(1);
  Matrix moved{0, features.cols, {}};
  for (std::size_t i = rows.size(); i < kSampleRows; ++i, ++moved.rows)
    for (std::size_t f = 0; f < features.cols; ++f)
      moved.values.push_back(features.row(rows[i % rows.size()])[f] *
                             static_cast<float>(1 + kJitter * random.normal()));
  if (moved.rows > 0) {
    const auto more = answers(Chain<double>(puzzle, permutation, threads), moved, threads);
    sample.wide.insert(sample.wide.end(), more.begin(), more.end());
    sample.features.values.append(moved.values.begin(), moved.values.end());
  }
  sample.features.rows = sample.features.values.size() / features.cols;
  return sample;
}

Floor arithmetic(const std::string& kind, const Puzzle& puzzle, const std::vector<int>& permutation,
                 const Sample& sample, Format format, Threads& threads) {
  const auto narrow =
      answers(Chain<float>(puzzle, permutation, threads, format), sample.features, threads);
  Errors rounding, target;
  for (std::size_t i = 0; i < narrow.size(); ++i) rounding.add(narrow[i] - sample.wide[i]);
  for (float y : puzzle.rows.target.values) target.add(double{y});
  const double mean_square =
      target.square_sum / static_cast<double>(puzzle.rows.target.values.size());
  Floor floor{kind + " arithmetic",
              kRmsFactor * kRmsFactor * rounding.square_sum / static_cast<double>(narrow.size()) +
                  kUlp * kUlp * mean_square,
              kMaxFactor * rounding.largest + 2 * kUlp * target.largest, sample.features.rows};
  // In an order that blows up rounding is as large as the answers. That explains nothing; a NaN
  // less.
  if (!(floor.mse <= kMostRms * kMostRms * mean_square))
    floor.mse = kMostRms * kMostRms * mean_square;
  if (!(floor.max_abs_error <= kMostMax * target.largest))
    floor.max_abs_error = kMostMax * target.largest;
  floor.arithmetic_mse = floor.mse;
  floor.arithmetic_max = floor.max_abs_error;
  return floor;
}

// Uniform within ± q/2: q²/12 in the mean, the squares' deviation being 0.894 times that.
Floor rounded_target(const Floor& computed, const Quantum& quantum) {
  double square = 0, largest = 0;
  for (double step : quantum.step) {
    square += step * step;
    largest = std::max(largest, step);
  }
  const double count = static_cast<double>(quantum.step.size());
  Floor floor = computed;
  floor.kind = fmt::format("{} and a target rounded to {}", computed.kind, quantum.kind);
  floor.mse += square / count / 12 * (1 + kSigmas * 0.894 / std::sqrt(count));
  floor.max_abs_error += largest / 2;
  return floor;
}

Floor noisy_target(const Floor& computed, double noise, double count) {
  Floor floor = computed;
  floor.noise = noise;
  floor.kind =
      fmt::format("{} and noise of {:.3g} in the target, as declared", computed.kind, noise);
  floor.mse += noise * noise * (1 + kSigmas * std::sqrt(2 / count));
  floor.max_abs_error += noise * (std::sqrt(2 * std::log(count)) + kSigmas);
  return floor;
}

bool fits(std::span<const float> values, Format format) {
  return std::all_of(values.begin(), values.end(),
                     [&](float value) { return rounded(value, format) == value; });
}

bool weights_fit(const Puzzle& puzzle, Format format) {
  return std::all_of(puzzle.pieces.begin(), puzzle.pieces.end(), [&](const Piece& piece) {
    return fits(piece.weight.values, format) && fits(piece.bias, format);
  });
}

// If each value's neighbours of that kind are step(value) apart, is every value one of them, and is
// that more than chance? A float32 hits a multiple of the step with probability ulp/step.
std::optional<Quantum> agrees(std::span<const float> values, const std::string& kind,
                              const std::function<double(double)>& step_of) {
  Quantum quantum{kind, {}};
  std::set<float> distinct;
  double log_chance = 0;
  for (float value : values) {
    const double y = double{value}, ulp = std::abs(y) * kUlp, step = step_of(y);
    quantum.step.push_back(step);
    if (value == 0) continue;
    if (std::abs(y - std::nearbyint(y / step) * step) > ulp / 2) return std::nullopt;
    if (distinct.insert(value).second) log_chance += std::log(std::min(1.0, ulp / step));
  }
  if (log_chance > std::log(kChance)) return std::nullopt;
  return quantum;
}

}  // namespace

std::vector<Quantum> quanta(std::span<const float> values) {
  std::vector<Quantum> found;
  const auto consider = [&](const std::string& kind, const std::function<double(double)>& step) {
    if (auto quantum = agrees(values, kind, step)) found.push_back(std::move(*quantum));
  };
  for (int digits = 2; digits <= 7; ++digits) {
    consider(fmt::format("{} decimals", digits), [=](double) { return std::pow(10, -digits); });
    consider(fmt::format("{} significant digits", digits), [=](double y) {
      return y == 0 ? 0 : std::pow(10, std::floor(std::log10(std::abs(y))) + 1 - digits);
    });
  }
  consider("float16", [](double y) {
    return std::ldexp(1, std::max(y == 0 ? -24 : std::ilogb(y) - 10, -24));
  });
  consider("bfloat16", [](double y) { return std::ldexp(1, y == 0 ? -133 : std::ilogb(y) - 7); });
  return found;
}

double rounding_of(std::span<const float> values) {
  double finest = 0;
  for (const Quantum& quantum : quanta(values)) {
    double square = 0;
    for (double step : quantum.step) square += step * step / 12;
    square /= static_cast<double>(quantum.step.size());
    if (finest == 0 || square < finest) finest = square;
  }
  return finest;
}

Floor find_floor(const Puzzle& puzzle, const std::vector<int>& permutation,
                 const std::vector<double>& wide, double noise, Threads& threads) {
  const std::span<const float> target = puzzle.rows.target.values;
  Errors own;
  for (std::size_t i = 0; i < wide.size(); ++i) own.add(wide[i] - double{target[i]});
  const double count = static_cast<double>(wide.size());
  const Sample sample = take_sample(puzzle, permutation, wide, threads);
  Floor finest = arithmetic("float32", puzzle, permutation, sample, Format::as_is, threads);
  const auto allows = [&](const Floor& floor) { return floor.holds(own, count); };
  if (allows(finest)) return finest;

  std::vector<Floor> coarser;
  const std::vector<Quantum> kinds = quanta(target);
  for (const Quantum& kind : kinds) coarser.push_back(rounded_target(finest, kind));
  for (const auto& [format, name] :
       {std::pair{Format::float16, "float16"}, {Format::bfloat16, "bfloat16"}}) {
    const bool rounded_so =
        std::any_of(kinds.begin(), kinds.end(),
                    [&, wanted = name](const Quantum& kind) { return kind.kind == wanted; });
    if (rounded_so || weights_fit(puzzle, format))
      coarser.push_back(arithmetic(name, puzzle, permutation, sample, format, threads));
  }
  if (noise > 0) coarser.push_back(noisy_target(finest, noise, count));
  std::erase_if(coarser, [&](const Floor& floor) { return !allows(floor); });
  const auto best = std::min_element(coarser.begin(), coarser.end(),
                                     [](const Floor& a, const Floor& b) { return a.mse < b.mse; });
  return best == coarser.end() ? finest : *best;
}

std::vector<std::optional<Errors>> explaining(const std::vector<Arrangement>& arrangements,
                                              std::size_t most_rows, const Floor& floor,
                                              Field& field) {
  constexpr std::size_t kMoreRows = 8;
  const std::size_t all = std::min(most_rows, field.rows());
  const double count = double(field.rows() * field.outputs());
  std::vector<std::optional<Errors>> errors(arrangements.size(), Errors{});
  std::size_t seen = 0;
  for (std::size_t rows = std::min(kMoreRows, all); seen < all;
       rows = std::min(rows * kMoreRows, all)) {
    std::vector<std::size_t> left;
    std::vector<Arrangement> some;
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (errors[i]) left.push_back(i), some.push_back(arrangements[i]);
    Field::Places fresh;
    for (; seen < rows; ++seen) fresh.push_back(seen * field.rows() / all);
    const std::vector<Errors> more = field.total(some, fresh);
    for (std::size_t k = 0; k < left.size(); ++k) {
      std::optional<Errors>& sum = errors[left[k]];
      sum->add(more[k]);
      if (!floor.holds(*sum, count)) sum.reset();
    }
  }
  return errors;
}

}  // namespace humpty::verifier
