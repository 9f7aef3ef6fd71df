// The place of a missing block. What a block r would add at a place changes the prediction by about
// g·r(x), x being the state there and g the gradient of the prediction with respect to it, both
// known for every row. So the error of the incomplete net should be g·r(x) for some layer r, and at
// the right place such an r explains most of it. All layers at once are tried by regression in a
// space of functions: an infinitely wide ReLU layer of random weights is a Gaussian process whose
// kernel is the arc-cosine kernel k (Cho and Saul, 2009), and then the error is one with kernel
// (g·g') k(x, x'). If W_in is there, k is the product of its hidden units instead; if W_out is,
// W_outᵀ g takes the place of g. Some rows are fitted, as many others judge. On the published
// puzzle the place came out right to one with W_in known; with nothing known it was 3, 11 and 2
// places off in three tries. (Fitting only a diagonal linear layer, which is cheaper, said
// nothing.)
#include "salvage/gap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "net/net.hpp"

namespace humpty::salvager {
namespace {

constexpr std::size_t kFewRows = 400, kManyRows = 800;  // fitted; as many judge
constexpr std::size_t kContenders = 8;                  // places that see many rows
constexpr double kRidge = 1e-3;                         // of the kernel's mean diagonal

using Table = std::vector<float>;  // (rows, width)

// States before each place and gradients there: [place] (rows, d). Of output `output`.
struct Passage {
  std::vector<Table> x, g;
  std::vector<double> error;  // target less prediction
};

// Rows are taken along the SIMD lanes of the net's tiles; here they are set out one by one.
void set_out(const float* tile, std::size_t d, std::size_t first, std::size_t rows, Table& table) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t f = 0; f < d; ++f) table[(first + r) * d + f] = tile[f * net::kTileRows + r];
}

Passage pass(const net::Net& net, const Rows& rows, std::size_t count, Threads& threads) {
  const std::size_t n = net.blocks(), d = net.d(), output = 0;
  const net::Batch batch(rows, 0, count);
  Passage result{std::vector<Table>(n + 1, Table(count * d)),
                 std::vector<Table>(n + 1, Table(count * d)), std::vector<double>(count)};
  threads.run(batch.tiles(), [&](std::size_t t, unsigned) {
    const std::size_t tile = d * net::kTileRows, first = t * net::kTileRows,
                      some = batch.rows_in(t);
    const net::Floats states = net::floats((n + 1) * tile), scratch = net::floats(net.scratch()),
                      y = net::floats(net.o() * net::kTileRows), g = net::floats(tile);
    std::copy_n(batch.features(t), tile, states.get());
    for (std::size_t b = 0; b < n; ++b, threads.check())
      net.step(b, states.get() + b * tile, states.get() + (b + 1) * tile, scratch.get());
    net.head(states.get() + n * tile, y.get());
    for (std::size_t r = 0; r < some; ++r)
      result.error[first + r] = double{batch.target(t)[output * net::kTileRows + r]} -
                                double{y.get()[output * net::kTileRows + r]};
    net.head_adjoint(output, g.get());
    for (std::size_t place = n + 1; place-- > 0;) {
      threads.check();
      set_out(states.get() + place * tile, d, first, some, result.x[place]);
      set_out(g.get(), d, first, some, result.g[place]);
      if (place > 0)
        net.step_adjoint(place - 1, states.get() + (place - 1) * tile, g.get(), scratch.get());
    }
  });
  return result;
}

// (rows, width) · weightᵀ (out, width), or · weight (width, out).
Table times(const Table& x, const Matrix& weight, bool transposed, const Threads& threads) {
  const std::size_t in = transposed ? weight.cols : weight.rows,
                    out = transposed ? weight.rows : weight.cols, rows = x.size() / in;
  Table y(rows * out, 0.0f);
  for (std::size_t r = 0; r < rows; ++r) {
    threads.check();
    for (std::size_t i = 0; i < out; ++i)
      for (std::size_t k = 0; k < in; ++k)
        y[r * out + i] += x[r * in + k] * (transposed ? weight.row(i)[k] : weight.row(k)[i]);
  }
  return y;
}

float dot(const float* a, const float* b, std::size_t width) {
  float sum[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= width; k += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += a[k + lane] * b[k + lane];
  for (; k < width; ++k) sum[0] += a[k] * b[k];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// Of first order, with a constant input for the bias.
double arc_cosine(double product, double norm_a, double norm_b) {
  const double cosine = std::clamp(product / (norm_a * norm_b), -1.0, 1.0),
               angle = std::acos(cosine);
  return norm_a * norm_b * (std::sin(angle) + (std::numbers::pi - angle) * cosine) /
         std::numbers::pi;
}

// Solves (K + ridge) a = y in place of K (n, n) and y, by Cholesky's decomposition.
bool solve_in_place(std::vector<double>& k, std::vector<double>& y, const Threads& threads) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) {
    threads.check();
    for (std::size_t j = 0; j <= i; ++j) {
      double sum[4] = {};
      const double *a = &k[i * n], *b = &k[j * n];
      std::size_t m = 0;
      for (; m + 4 <= j; m += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sum[lane] += a[m + lane] * b[m + lane];
      for (; m < j; ++m) sum[0] += a[m] * b[m];
      const double left = k[i * n + j] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
      if (i == j && !(left > 0)) return false;
      k[i * n + j] = i == j ? std::sqrt(left) : left / k[j * n + j];
    }
    for (std::size_t j = 0; j < i; ++j) y[i] -= k[i * n + j] * y[j];
    y[i] /= k[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) y[i] -= k[j * n + i] * y[j];
    y[i] /= k[i * n + i];
  }
  return true;
}

// The kernel's two factors at one place.
class Kernel {
 public:
  Kernel(const Table& x, const Table& g, std::size_t d, const Piece* half, const Threads& threads)
      : left_(g), right_(x), left_width_(d), right_width_(d) {
    if (half && half->role == Role::contract) {
      left_ = times(g, half->weight, false, threads);
      left_width_ = half->weight.cols;
    }
    if (half && half->role == Role::expand) {
      known_ = true;
      right_ = times(x, half->weight, true, threads);
      right_width_ = half->weight.rows;
      for (std::size_t i = 0; i < right_.size(); ++i) {
        const float z = right_[i] + (half->bias.empty() ? 0 : half->bias[i % right_width_]);
        right_[i] = std::max(z, 0.0f);
      }
    }
    for (std::size_t r = 0; r * right_width_ < right_.size(); ++r)
      norm_.push_back(std::sqrt(right(r, r)));
  }
  double operator()(std::size_t a, std::size_t b) const {
    const double gradients =
        double{dot(&left_[a * left_width_], &left_[b * left_width_], left_width_)};
    return gradients * (known_ ? right(a, b) : arc_cosine(right(a, b), norm_[a], norm_[b]));
  }

 private:
  double right(std::size_t a, std::size_t b) const {
    return 1 + double{dot(&right_[a * right_width_], &right_[b * right_width_], right_width_)};
  }
  Table left_, right_;
  std::size_t left_width_, right_width_;
  bool known_ = false;
  std::vector<double> norm_;
};

// The share of the judging rows' squared error that is left.
double left_over(const Kernel& kernel, const std::vector<double>& error, std::size_t fitted,
                 const Threads& threads) {
  std::vector<double> k(fitted * fitted),
      weight(error.begin(), error.begin() + std::ptrdiff_t(fitted));
  double diagonal = 0;
  for (std::size_t a = 0; a < fitted; ++a) {
    threads.check();
    for (std::size_t b = 0; b <= a; ++b) k[a * fitted + b] = kernel(a, b);
    diagonal += k[a * fitted + a];
  }
  for (std::size_t a = 0; a < fitted; ++a) k[a * fitted + a] += kRidge * diagonal / double(fitted);
  if (!solve_in_place(k, weight, threads)) return 1;
  double left = 0, all = 0;
  for (std::size_t r = fitted; r < 2 * fitted; ++r) {
    threads.check();
    double explained = 0;
    for (std::size_t a = 0; a < fitted; ++a) explained += kernel(r, a) * weight[a];
    left += (error[r] - explained) * (error[r] - explained);
    all += error[r] * error[r];
  }
  return all > 0 ? left / all : 1;
}

}  // namespace

std::vector<Gap> find_gap(const Puzzle& puzzle, const std::vector<int>& permutation,
                          const Piece* half, Threads& threads, Watch& watch) {
  std::vector<net::Net::Pair> blocks;
  for (std::size_t i = 0; i + 1 < permutation.size(); i += 2)
    blocks.push_back({&puzzle.piece(permutation[i]), &puzzle.piece(permutation[i + 1])});
  const net::Net net(blocks, puzzle.piece(permutation.back()), puzzle.activation,
                     net::Net::Passes::both);
  const std::size_t most = std::min(puzzle.rows.features.rows, 2 * kManyRows);
  const Passage passage = pass(net, puzzle.rows, most, threads);
  std::vector<Gap> gaps(blocks.size() + 1);
  for (std::size_t place = 0; place < gaps.size(); ++place) gaps[place].place = place;
  const auto judge = [&](std::size_t count, std::size_t rows) {
    threads.run(count, [&](std::size_t i, unsigned) {
      const Kernel kernel(passage.x[gaps[i].place], passage.g[gaps[i].place], net.d(), half,
                          threads);
      gaps[i].left = left_over(kernel, passage.error, std::min(rows, most / 2), threads);
    });
    std::stable_sort(gaps.begin(), gaps.begin() + std::ptrdiff_t(count),
                     [](const Gap& a, const Gap& b) { return a.left < b.left; });
    return watch.go_on("order", -1, "looking for the gap");
  };
  if (judge(gaps.size(), kFewRows)) judge(std::min(kContenders, gaps.size()), kManyRows);
  return gaps;
}

}  // namespace humpty::salvager
