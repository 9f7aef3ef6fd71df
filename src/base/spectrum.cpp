// The spectrum of a large matrix, in pieces between which the threads can be asked to stop: Eigen's
// decomposition of 2,048 × 2,048 takes half a minute and listens to nobody. Householder's
// reflections make the matrix tridiagonal, T = Hₙ … H₁ A H₁ … Hₙ; QL steps with implicit shifts
// make that diagonal (Bowdler, Martin, Reinsch and Wilkinson 1968, as tred2 and tql2 in EISPACK).
// Vectors lie in rows, so a rotation works on two of them from end to end; the rotations of a whole
// step are applied at once, in bands of columns that stay in the cache, one job each.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/linear.hpp"

namespace humpty {
namespace {

constexpr std::size_t kBand = 128;  // columns, or rows, of one job
constexpr int kMostSteps = 60;      // for one value; three are usual

double dot(const double* a, const double* b, std::size_t count) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t l = 0; l < 4; ++l) sums[l] += a[i + l] * b[i + l];
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Calls use(first, last) for bands of 0 … count − 1, each a job.
template <class Use>
void in_bands(std::size_t first, std::size_t count, Threads& threads, const Use& use) {
  threads.run((count - first + kBand - 1) / kBand, [&](std::size_t band, unsigned) {
    const std::size_t from = first + band * kBand;
    use(from, std::min(from + kBand, count));
  });
}

struct Tridiagonal {
  std::vector<double> diagonal, beside;  // beside[k]: between k and k + 1
  std::vector<double> reflections;       // row k: the v of H_k = I − v vᵀ, from k + 1 on
};

// The v that turns x into a multiple of the first unit vector, in place; gives that multiple.
double reflect(double* x, std::size_t count) {
  const double norm = std::sqrt(dot(x, x, count));
  if (norm == 0) return 0;
  const double becomes = -std::copysign(norm, x[0]);
  x[0] -= becomes;
  const double scale = std::sqrt(2 / dot(x, x, count));
  for (std::size_t i = 0; i < count; ++i) x[i] *= scale;
  return becomes;
}

Tridiagonal reduce(Symmetric a, Threads& threads) {
  const std::size_t n = a.size;
  Tridiagonal t{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n * n)};
  std::vector<double> w(n);
  for (std::size_t k = 0; k < n; ++k) {
    t.diagonal[k] = a.at(k, k);
    const std::size_t from = k + 1, left = n - from;
    if (left == 0) break;
    double* v = &t.reflections[k * n];
    std::copy_n(&a.at(k, 0) + from, left, v + from);
    t.beside[k] = reflect(v + from, left);
    in_bands(from, n, threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) w[r] = dot(&a.at(r, 0) + from, v + from, left);
    });
    const double half = dot(v + from, &w[from], left) / 2;
    for (std::size_t r = from; r < n; ++r) w[r] -= half * v[r];
    in_bands(from, n, threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        double* row = &a.at(r, 0);
        const double vr = v[r], wr = w[r];
        for (std::size_t c = from; c < n; ++c) row[c] -= vr * w[c] + wr * v[c];
      }
    });
  }
  return t;
}

struct Rotation {
  std::size_t row;  // and the next one
  double cosine, sine;
};

// One QL step on the part from l to m; the rotations it takes.
std::vector<Rotation> step(std::vector<double>& d, std::vector<double>& e, std::size_t l,
                           std::size_t m) {
  std::vector<Rotation> rotations;
  double g = (d[l + 1] - d[l]) / (2 * e[l]), r = std::hypot(g, 1.0);
  g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
  double s = 1, c = 1, p = 0;
  for (std::size_t i = m; i-- > l;) {
    const double f = s * e[i], b = c * e[i];
    e[i + 1] = r = std::hypot(f, g);
    if (r == 0) {
      d[i + 1] -= p;
      e[m] = 0;
      return rotations;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    rotations.push_back({i, c, s});
  }
  d[l] -= p;
  e[l] = g;
  e[m] = 0;
  return rotations;
}

void rotate(const std::vector<Rotation>& rotations, std::size_t n, Threads& threads,
            std::vector<double>& rows) {
  in_bands(0, n, threads, [&](std::size_t first, std::size_t last) {
    for (const Rotation& rotation : rotations) {
      double *x = &rows[rotation.row * n], *y = x + n;
      for (std::size_t k = first; k < last; ++k) {
        const double old = y[k];
        y[k] = rotation.sine * x[k] + rotation.cosine * old;
        x[k] = rotation.cosine * x[k] - rotation.sine * old;
      }
    }
  });
}

// Leaves the values on the diagonal; gives the vectors as rows.
std::vector<double> make_diagonal(Tridiagonal& t, Threads& threads) {
  const std::size_t n = t.diagonal.size();
  std::vector<double>&d = t.diagonal, &e = t.beside, rows(n * n);
  for (std::size_t k = 0; k < n; ++k) rows[k * n + k] = 1;
  const auto splits = [&](std::size_t m) {
    return m + 1 == n || std::abs(e[m]) <= std::numeric_limits<double>::epsilon() *
                                               (std::abs(d[m]) + std::abs(d[m + 1]));
  };
  for (std::size_t l = 0; l < n; ++l)
    for (int steps = 0; steps < kMostSteps; ++steps) {
      std::size_t m = l;
      while (!splits(m)) ++m;
      if (m == l) break;
      rotate(step(d, e, l, m), n, threads, rows);
    }
  return rows;
}

}  // namespace

Spectrum large_spectrum(const Symmetric& matrix, Threads& threads) {
  const std::size_t n = matrix.size;
  Tridiagonal t = reduce(matrix, threads);
  std::vector<double> rows = make_diagonal(t, threads);
  threads.run(n, [&](std::size_t r, unsigned) {
    double* row = &rows[r * n];
    for (std::size_t k = n - 1; k-- > 0;) {
      const double* v = &t.reflections[k * n];
      const double along = dot(v + k + 1, row + k + 1, n - k - 1);
      for (std::size_t c = k + 1; c < n; ++c) row[c] -= along * v[c];
    }
  });
  std::vector<std::size_t> rising(n);
  std::iota(rising.begin(), rising.end(), std::size_t{0});
  std::sort(rising.begin(), rising.end(),
            [&](std::size_t a, std::size_t b) { return t.diagonal[a] < t.diagonal[b]; });
  Spectrum found;
  for (std::size_t k : rising) {
    found.values.push_back(t.diagonal[k]);
    found.vectors.insert(found.vectors.end(), rows.begin() + std::ptrdiff_t(k * n),
                         rows.begin() + std::ptrdiff_t((k + 1) * n));
  }
  return found;
}

}  // namespace humpty
