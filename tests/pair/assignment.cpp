#include "pair/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace humpty::pair {
namespace {

double total(const std::vector<double>& score, const std::vector<std::size_t>& match) {
  double sum = 0;
  for (std::size_t i = 0; i < match.size(); ++i) sum += score[i * match.size() + match[i]];
  return sum;
}

double best_by_brute_force(const std::vector<double>& score, std::size_t n) {
  std::vector<std::size_t> match(n);
  std::iota(match.begin(), match.end(), std::size_t{0});
  double best = -std::numeric_limits<double>::infinity();
  do best = std::max(best, total(score, match));
  while (std::next_permutation(match.begin(), match.end()));
  return best;
}

TEST(Assignment, IsOptimalAgainstBruteForce) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> real(-1, 1);
  std::uniform_int_distribution<int> integer(0, 3);  // many ties
  for (std::size_t n = 1; n <= 8; ++n)
    for (int trial = 0; trial < (n < 8 ? 30 : 5); ++trial) {
      std::vector<double> score(n * n);
      for (double& s : score) s = trial % 2 ? real(rng) : integer(rng);
      const auto match = assign(score, n);
      auto sorted = match;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], i) << "not a permutation";
      ASSERT_NEAR(total(score, match), best_by_brute_force(score, n), 1e-9) << "n = " << n;
    }
}

TEST(Assignment, NeverTakesAForbiddenPair) {
  constexpr double no = -std::numeric_limits<double>::infinity();
  const std::vector<double> score{no, 1,  no, no,  //
                                  2,  no, no, no,  //
                                  no, no, -5, 9,   //
                                  no, no, -7, -8};
  EXPECT_EQ(assign(score, 4), (std::vector<std::size_t>{1, 0, 3, 2}));
}

}  // namespace
}  // namespace humpty::pair
