#include "verify/answers.hpp"

#include <algorithm>

namespace humpty::verifier {
namespace {

constexpr std::size_t kSliceRows = 128;       // that one job takes through the chain
constexpr std::size_t kSlicesPerReport = 64;  // between two looks at the watch

// Lanes beyond the last row stay zero.
template <typename Real>
void run_slice(const Chain<Real>& chain, const Matrix& features, std::size_t first,
               std::size_t rows, const Threads& threads, double* answer) {
  const std::size_t groups = (rows + kRows<Real> - 1) / kRows<Real>, d = chain.d(), o = chain.o();
  std::vector<Real> x(groups * d * kRows<Real>), y(groups * o * kRows<Real>);
  for (std::size_t r = 0; r < rows; ++r)
    chain.enter(features.row(first + r), &x[r / kRows<Real> * d * kRows<Real> + r % kRows<Real>],
                kRows<Real>);
  for (std::size_t b = 0; b < chain.blocks(); ++b) {
    const std::size_t some = chain.groups_at_once(b, groups);
    for (std::size_t group = 0; group < groups; group += some) {
      threads.check();
      chain.step(b, b, &x[group * d * kRows<Real>], std::min(some, groups - group));
    }
  }
  chain.head(x.data(), y.data(), groups);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < o; ++k)
      answer[r * o + k] = double{y[(r / kRows<Real> * o + k) * kRows<Real> + r % kRows<Real>]};
}

}  // namespace

template <typename Real>
std::vector<double> answers(const Chain<Real>& chain, const Matrix& features, Threads& threads,
                            Watch* watch) {
  std::vector<double> result(features.rows * chain.o());
  const std::size_t slices = (features.rows + kSliceRows - 1) / kSliceRows;
  for (std::size_t begin = 0; begin < slices; begin += kSlicesPerReport) {
    threads.run(std::min(kSlicesPerReport, slices - begin), [&](std::size_t i, unsigned) {
      const std::size_t first = (begin + i) * kSliceRows;
      run_slice(chain, features, first, std::min(kSliceRows, features.rows - first), threads,
                result.data() + first * chain.o());
    });
    if (watch && !watch->go_on("verify", static_cast<double>(begin) / static_cast<double>(slices),
                               "all rows in float64"))
      break;
  }
  return result;
}

template std::vector<double> answers(const Chain<float>&, const Matrix&, Threads&, Watch*);
template std::vector<double> answers(const Chain<double>&, const Matrix&, Threads&, Watch*);

}  // namespace humpty::verifier
