#include "humpty/humpty.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/random.hpp"

namespace humpty::lab {
namespace {

constexpr std::size_t kRidges = 16;

// y = Σ_k a_k · tanh(w_k · x + b_k)
struct Teacher {
  Matrix directions;  // ridges × dim
  std::vector<double> shift, height;

  Teacher(std::size_t dim, Random& random) : directions{kRidges, dim, {}} {
    const double scale = 2 / std::sqrt(static_cast<double>(dim));
    for (std::size_t i = 0; i < kRidges * dim; ++i)
      directions.values.push_back(static_cast<float>(scale * random.normal()));
    for (std::size_t k = 0; k < kRidges; ++k) {
      shift.push_back(random.normal());
      height.push_back(random.normal());
    }
  }

  double operator()(const float* x) const {
    double y = 0;
    for (std::size_t k = 0; k < kRidges; ++k) {
      double along = shift[k];
      for (std::size_t f = 0; f < directions.cols; ++f)
        along += static_cast<double>(directions.row(k)[f]) * x[f];
      y += height[k] * std::tanh(along);
    }
    return y;
  }
};

// Mean 0 and variance 1 in every column.
void standardise(Matrix& m) {
  const double n = static_cast<double>(m.rows);
  for (std::size_t c = 0; c < m.cols; ++c) {
    double mean = 0, square = 0;
    for (std::size_t r = 0; r < m.rows; ++r) mean += m.row(r)[c] / n;
    for (std::size_t r = 0; r < m.rows; ++r) square += std::pow(m.row(r)[c] - mean, 2) / n;
    const double scale = square > 0 ? 1 / std::sqrt(square) : 1;
    for (std::size_t r = 0; r < m.rows; ++r)
      m.row(r)[c] = static_cast<float>((m.row(r)[c] - mean) * scale);
  }
}

void keep_the_largest(Matrix& m) {
  for (std::size_t r = 0; r < m.rows; ++r) {
    float* row = m.row(r);
    const auto winner = std::max_element(row, row + m.cols) - row;
    std::fill_n(row, m.cols, 0.0f);
    row[winner] = 1;
  }
}

}  // namespace

Rows make_task(Task task, std::size_t rows, std::size_t dim, std::size_t outputs,
               std::uint64_t rng) {
  Random random(rng);
  std::vector<Teacher> teachers;
  for (std::size_t o = 0; o < outputs; ++o) teachers.emplace_back(dim, random);
  Rows made;
  made.features = {rows, dim, std::vector<float>(rows * dim)};
  made.target = {rows, outputs, std::vector<float>(rows * outputs)};
  for (float& value : made.features.values) value = static_cast<float>(random.normal());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t o = 0; o < outputs; ++o)
      made.target.row(r)[o] = static_cast<float>(teachers[o](made.features.row(r)));
  standardise(made.target);
  if (task == Task::classification) keep_the_largest(made.target);
  for (std::size_t f = 0; f < dim; ++f) made.feature_names.push_back(fmt::format("x{}", f));
  for (std::size_t o = 0; o < outputs; ++o)
    made.target_names.push_back(outputs == 1 ? "true" : fmt::format("true_{}", o));
  return made;
}

}  // namespace humpty::lab
