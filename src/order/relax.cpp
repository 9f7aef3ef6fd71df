// The doubly stochastic relaxation. Every place runs a mixture of all candidate blocks,
//
//   x_{t+1} = x_t + Σ_c P(t, c) r_c(x_t),
//
// and P, anywhere in the polytope, is fitted to the target by Levenberg–Marquardt: one pass forward
// and one backward give the Jacobian J[row, (t, c)] = g_{t+1} · r_c(x_t), and each step solves
//
//   min ‖J (P' − P) + e‖² + λ ‖P' − P‖²   over the polytope
//
// by ADMM (Boyd et al. 2011), splitting the sums from the signs. It needs no seed: it starts from
// the centre, where every arrangement is as likely as every other, and ends near a corner or at a
// mixture of few. With all n² pairs as candidates it finds pairing and order at once.
//
// Since J is kept orthogonal to the sums, the quadratic step stays in the tangent space by itself,
// and the matrix inversion lemma turns its system into one as large as the rows:
// (JᵀJ + κ)⁻¹ v = (v − Jᵀ (JJᵀ + κ)⁻¹ J v) / κ.
//
// What was tried: as many rows as unknowns matter more than anything else (with 768 rows the
// 48-block nets of the zoo overfit: error 0.01 at a tau of 0.5; with 2,000 most come out exact). A
// concave term that pushes P to the corners made it worse, as did a Huber loss on unstable nets.
// Fewer than 60 ADMM iterations stall; the dual is carried over from step to step instead.
#include "order/relax.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "net/train_kernel.hpp"
#include "order/seeds.hpp"
#include "pair/assignment.hpp"

namespace humpty::order {
namespace {

using net::kTileRows;

constexpr int kIterations = 100;  // of ADMM
constexpr double kRho = 0.3;      // of ADMM, in units of the mean curvature
constexpr float kOver = 1.6f;     // over-relaxation
constexpr double kFirstDamping = 1e-2, kLessDamping = 1.0 / 3, kMoreDamping = 5;
constexpr int kAttempts = 6;

double variance(const net::Batch& batch, std::size_t outputs) {
  double sum = 0, square = 0;
  for (std::size_t tile = 0; tile < batch.tiles(); ++tile)
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t r = 0; r < batch.rows_in(tile); ++r) {
        const double y = batch.target(tile)[o * kTileRows + r];
        sum += y;
        square += y * y;
      }
  const double count = static_cast<double>(batch.rows() * outputs), mean = sum / count;
  return std::max(square / count - mean * mean, 1e-30);
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

// J as an operator, and the system that ADMM solves again and again.
struct Relaxation::Solver {
  Solver(const Relaxation& relaxation, double damping)
      : at(relaxation),
        rho(static_cast<float>(kRho * at.curvature_)),
        kappa(static_cast<float>((kRho + damping) * at.curvature_)),
        system(Eigen::Map<const Eigen::MatrixXf>(at.gram_.get(), index(at.rows_), index(at.rows_))),
        factor((system.diagonal().array() += kappa, system)) {}

  Eigen::VectorXf times(const std::vector<float>& v) const {
    Eigen::VectorXf product(index(at.rows_));
    at.threads_.run(at.rows_ / kTileRows, [&](std::size_t tile, unsigned) {
      float sums[kTileRows] = {};
      const float* j = &at.jacobian_[tile * at.unknowns_ * kTileRows];
      for (std::size_t u = 0; u < at.unknowns_; ++u)
        for (std::size_t r = 0; r < kTileRows; ++r) sums[r] += v[u] * j[u * kTileRows + r];
      std::copy_n(sums, kTileRows, &product[index(tile * kTileRows)]);
    });
    return product;
  }

  std::vector<float> back(const Eigen::VectorXf& w) const {
    std::vector<float> product(at.unknowns_);
    constexpr std::size_t kSpan = 1024;
    at.threads_.run((at.unknowns_ + kSpan - 1) / kSpan, [&](std::size_t job, unsigned) {
      const std::size_t end = std::min(at.unknowns_, (job + 1) * kSpan);
      for (std::size_t tile = 0; tile < at.rows_ / kTileRows; ++tile)
        for (std::size_t u = job * kSpan; u < end; ++u) {
          const float* j = &at.jacobian_[(tile * at.unknowns_ + u) * kTileRows];
          const float* lanes = &w[index(tile * kTileRows)];
          float sums[8] = {};
          for (std::size_t r = 0; r < kTileRows; r += 8)
            for (std::size_t l = 0; l < 8; ++l) sums[l] += j[r + l] * lanes[r + l];
          product[u] += ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                        ((sums[4] + sums[5]) + (sums[6] + sums[7]));
        }
    });
    return product;
  }

  // The new weights; `dual` is where the last step left it.
  Weights solve(std::vector<float>& dual) const {
    const Eigen::Map<const Eigen::VectorXf> error(at.error_.data(), index(at.rows_));
    const std::vector<float> base = back(factor.solve(-error));
    const Weights& from = at.weights_;
    Weights z = from;
    std::vector<float> v(at.unknowns_);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      for (std::size_t u = 0; u < v.size(); ++u) v[u] = z[u] - dual[u] - from[u];
      at.polytope_.to_tangent(v.data(), 1);
      const std::vector<float> correction = back(factor.solve(times(v)));
      for (std::size_t u = 0; u < v.size(); ++u) {
        const float x = from[u] + base[u] + rho / kappa * (v[u] - correction[u]);
        const float over = kOver * x + (1 - kOver) * z[u];
        z[u] = std::max(0.0f, over + dual[u]);
        dual[u] += over - z[u];
      }
    }
    return z;
  }

  const Relaxation& at;
  float rho, kappa;
  Eigen::MatrixXf system;
  Eigen::LLT<Eigen::MatrixXf> factor;
};

Relaxation::Relaxation(const net::Mixture& mixture, const net::Batch& batch, Threads& threads)
    : Relaxation(mixture, Uses::of(mixture), batch, threads) {}

Relaxation::Relaxation(const net::Mixture& mixture, const Uses& uses, const net::Batch& batch,
                       Threads& threads)
    : mixture_(mixture),
      batch_(batch),
      threads_(threads),
      uses_(uses),
      polytope_(uses, mixture, threads),
      unknowns_(polytope_.unknowns()),
      rows_(batch.tiles() * mixture.o() * kTileRows),
      variance_(variance(batch, mixture.o())),
      damping_(0),
      loss_(0),
      jacobian_(net::floats(rows_ * unknowns_)),
      gram_(net::floats(rows_ * rows_)),
      curvature_(0) {}

std::size_t Relaxation::memory(std::size_t unknowns, std::size_t rows) {
  return sizeof(float) * rows * (unknowns + 3 * rows);
}

void Relaxation::start(Weights weights) {
  weights_ = std::move(weights);
  dual_.assign(unknowns_, 0);
  damping_ = kFirstDamping;
  loss_ = forward(weights_, error_);
}

double Relaxation::forward(const Weights& weights, std::vector<float>& error) {
  const std::size_t d = mixture_.d(), o = mixture_.o(), n = mixture_.candidates().size();
  error.assign(rows_, 0);
  std::vector<double> sums(batch_.tiles());
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned) {
    const net::Floats x = net::floats(d * kTileRows), y = net::floats(o * kTileRows);
    const net::Floats scratch = net::floats(mixture_.scratch());
    std::copy_n(batch_.features(tile), d * kTileRows, x.get());
    for (std::size_t t = 0; t < places(); ++t) {
      threads_.check();
      mixture_.step(&weights[t * n], x.get(), x.get(), scratch.get());
    }
    mixture_.head(x.get(), y.get());
    for (std::size_t k = 0; k < o; ++k)
      for (std::size_t r = 0; r < batch_.rows_in(tile); ++r) {
        const float e = y[k * kTileRows + r] - batch_.target(tile)[k * kTileRows + r];
        error[(tile * o + k) * kTileRows + r] = e;
        sums[tile] += double{e} * double{e};
      }
  });
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  return total / (static_cast<double>(batch_.rows() * o) * variance_);
}

void Relaxation::linearise() {
  const std::size_t d = mixture_.d(), o = mixture_.o(), n = mixture_.candidates().size();
  const std::size_t state = d * kTileRows;
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned) {
    const net::Floats states = net::floats((places() + 1) * state), g = net::floats(state);
    const net::Floats scratch = net::floats(mixture_.scratch());
    std::copy_n(batch_.features(tile), state, states.get());
    for (std::size_t t = 0; t < places(); ++t) {
      threads_.check();
      mixture_.step(&weights_[t * n], &states[t * state], &states[(t + 1) * state], scratch.get());
    }
    for (std::size_t k = 0; k < o; ++k) {
      float* jacobian = &jacobian_[(tile * o + k) * unknowns_ * kTileRows];
      mixture_.head_adjoint(k, g.get());
      for (std::size_t t = places(); t-- > 0;) {
        threads_.check();
        mixture_.step_adjoint(&weights_[t * n], &states[t * state], g.get(),
                              jacobian + t * n * kTileRows, scratch.get());
      }
      for (std::size_t r = batch_.rows_in(tile); r < kTileRows; ++r)
        for (std::size_t u = 0; u < unknowns_; ++u) jacobian[u * kTileRows + r] = 0;
      polytope_.to_tangent(jacobian, kTileRows);
    }
  });
  multiply_out();
}

// gram = J Jᵀ, one product of two tiles at a time.
void Relaxation::multiply_out() {
  const std::size_t tiles = rows_ / kTileRows, tile_size = unknowns_ * kTileRows;
  threads_.run(tiles, [&](std::size_t b, unsigned) {
    for (std::size_t a = 0; a <= b; ++a) {
      threads_.check();
      float part[kTileRows * kTileRows];
      net::multiply({kTileRows, unknowns_, kTileRows, &jacobian_[a * tile_size], kTileRows, true,
                     &jacobian_[b * tile_size], kTileRows, nullptr, nullptr, part, kTileRows});
      for (std::size_t i = 0; i < kTileRows; ++i)
        for (std::size_t j = 0; j < kTileRows; ++j) {
          gram_[(a * kTileRows + i) * rows_ + b * kTileRows + j] = part[i * kTileRows + j];
          gram_[(b * kTileRows + j) * rows_ + a * kTileRows + i] = part[i * kTileRows + j];
        }
    }
  });
  double trace = 0;
  for (std::size_t r = 0; r < rows_; ++r) trace += double{gram_[r * rows_ + r]};
  curvature_ = std::max(trace / static_cast<double>(unknowns_), 1e-30);
}

bool Relaxation::step(Watch& watch) {
  linearise();
  for (int attempt = 0; attempt < kAttempts; ++attempt, damping_ *= kMoreDamping) {
    if (!watch.go_on("order", -1, fmt::format("relaxation, error {:.3g} of the variance", loss_)))
      return false;
    std::vector<float> dual = dual_, error;
    Weights next = Solver(*this, damping_).solve(dual);
    const double loss = forward(next, error);
    if (!(loss < loss_)) continue;
    weights_ = std::move(next);
    error_ = std::move(error);
    dual_ = std::move(dual);
    loss_ = loss;
    damping_ *= kLessDamping;
    return true;
  }
  return false;
}

// The candidates with the most weight in all that use every piece once: the optimal assignment
// where the roles are known. Where they are not it would be a matching in a general graph; there
// the heaviest candidate whose pieces are free goes first.
std::vector<std::size_t> Relaxation::chosen() const {
  const auto& candidates = mixture_.candidates();
  std::vector<double> total(candidates.size());
  for (std::size_t t = 0; t < places(); ++t)
    for (std::size_t c = 0; c < total.size(); ++c)
      total[c] += double{weights_[t * total.size() + c]};
  const std::size_t n = places();
  if (uses_.pieces() != uses_.in.size() + uses_.out.size()) return chosen_greedily(total);
  std::vector<double> score(n * n, -std::numeric_limits<double>::infinity());
  std::vector<std::size_t> number(n * n), chosen;
  for (std::size_t c = 0; c < total.size(); ++c) {
    const std::size_t at = candidates[c].in * n + candidates[c].out;
    score[at] = total[c];
    number[at] = c;
  }
  const std::vector<std::size_t> match = pair::assign(score, n);
  for (std::size_t in = 0; in < n; ++in) chosen.push_back(number[in * n + match[in]]);
  return chosen;
}

std::vector<std::size_t> Relaxation::chosen_greedily(const std::vector<double>& total) const {
  std::vector<double> lightness(total.size());
  std::transform(total.begin(), total.end(), lightness.begin(), std::negate<>());
  std::vector<char> used(uses_.pieces());
  std::vector<std::size_t> chosen;
  for (std::size_t c : ascending(lightness)) {
    char &in = used[uses_.in[mixture_.candidates()[c].in]],
         &out = used[uses_.out[mixture_.candidates()[c].out]];
    if (in || out) continue;
    in = out = 1;
    chosen.push_back(c);
  }
  return chosen;
}

std::vector<net::Candidate> Relaxation::rounded() const {
  const std::vector<std::size_t> chosen = this->chosen();
  const std::size_t n = places(), count = mixture_.candidates().size();
  if (chosen.size() != n) return {};
  std::vector<double> weight(n * n);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t k = 0; k < n; ++k) weight[t * n + k] = double{weights_[t * count + chosen[k]]};
  std::vector<net::Candidate> chain;
  for (std::size_t k : pair::assign(weight, n)) chain.push_back(mixture_.candidates()[chosen[k]]);
  return chain;
}

std::vector<net::Candidate> Relaxation::by_mean_place() const {
  const std::vector<std::size_t> chosen = this->chosen();
  const std::size_t n = places(), count = mixture_.candidates().size();
  std::vector<double> mean;
  for (std::size_t c : chosen) {
    double sum = 0, moment = 0;
    for (std::size_t t = 0; t < n; ++t) {
      sum += double{weights_[t * count + c]};
      moment += static_cast<double>(t) * double{weights_[t * count + c]};
    }
    mean.push_back(sum > 0 ? moment / sum : static_cast<double>(n) / 2);
  }
  std::vector<net::Candidate> chain;
  for (std::size_t k : ascending(mean)) chain.push_back(mixture_.candidates()[chosen[k]]);
  return chain;
}

}  // namespace humpty::order
