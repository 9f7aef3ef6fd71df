#include "base/linear.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace {

using namespace humpty;

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  Matrix m{rows, cols, std::vector<float>(rows * cols)};
  for (std::size_t i = 0; i < rows * cols; ++i)
    m.values.data()[i] = static_cast<float>(random.uniform(-1, 1));
  return m;
}

double dot(const float* a, const float* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

TEST(Linear, EigenvaluesOfATwoByTwoAreThoseByHand) {
  Symmetric m(2);  // 2 ± √2
  m.at(0, 0) = 1, m.at(1, 1) = 3, m.at(0, 1) = m.at(1, 0) = 1;
  EXPECT_DOUBLE_EQ(m.trace(), 4);
  const std::vector<double> values = eigenvalues(m);
  EXPECT_NEAR(values[0], 2 - std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(values[1], 2 + std::sqrt(2.0), 1e-14);
}

TEST(Linear, ASpectrumWithItsOwnValuesIsTheMatrix) {
  const Symmetric m = times_transposed(random_matrix(9, 14, 1));
  Threads threads(1);
  const Spectrum found = spectrum(m, threads);
  const std::vector<double> alone = eigenvalues(m);
  const Symmetric again = found.with(found.values, threads);
  for (std::size_t i = 0; i < m.values.size(); ++i)
    EXPECT_NEAR(again.values[i], m.values[i], 1e-13);
  for (std::size_t i = 0; i < m.size; ++i) EXPECT_NEAR(found.values[i], alone[i], 1e-13);
}

// Of rank 40: most values are zero, many times the same.
TEST(Linear, TheSpectrumOfALargeMatrixIsThatOfEigen) {
  for (std::size_t rank : {40, 200}) {
    const Symmetric m = times_transposed(random_matrix(150, rank, 3));
    Threads threads(2);
    const Spectrum found = large_spectrum(m, threads);
    const std::vector<double> alone = eigenvalues(m);
    const Symmetric again = found.with(found.values, threads);
    for (std::size_t i = 0; i < m.size; ++i) EXPECT_NEAR(found.values[i], alone[i], 1e-10);
    for (std::size_t i = 0; i < m.values.size(); ++i)
      EXPECT_NEAR(again.values[i], m.values[i], 1e-10);
  }
}

TEST(Linear, ASolutionSolvesEvenASingularSystem) {
  const Symmetric m = times_transposed(random_matrix(8, 5, 2));  // rank 5
  std::vector<double> right(m.size);
  for (std::size_t r = 0; r < m.size; ++r)
    for (std::size_t c = 0; c < m.size; ++c) right[r] += m.at(r, c) * static_cast<double>(c);
  const std::vector<double> x = solve(m, right);
  for (std::size_t r = 0; r < m.size; ++r) {
    double left = 0;
    for (std::size_t c = 0; c < m.size; ++c) left += m.at(r, c) * x[c];
    EXPECT_NEAR(left, right[r], 1e-9);
  }
}

TEST(Linear, ProductsAreSumsOfProducts) {
  const Matrix a = random_matrix(4, 7, 3), b = random_matrix(7, 5, 4);
  const Matrix ab = product(a, b);
  const Symmetric aa = times_transposed(a);
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 5; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < 7; ++k) sum += double{a.row(r)[k]} * double{b.row(k)[c]};
      EXPECT_NEAR(ab.row(r)[c], sum, 1e-6);
    }
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(aa.at(r, c), dot(a.row(r), a.row(c), 7), 1e-13);
  }
}

}  // namespace
