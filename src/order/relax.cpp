#include "order/relax.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

#include "net/train_kernel.hpp"

namespace humpty::order {
namespace {
using net::kTileRows;
}

Relaxation::~Relaxation() = default;

Relaxation::Relaxation(const net::Mixture& mixture, const net::Batch& batch, std::size_t places,
                       Threads& threads)
    : mixture_(mixture),
      batch_(batch),
      places_(places),
      unknowns_(places * mixture.candidates().size()),
      rows_(batch.tiles() * mixture.o() * kTileRows),
      threads_(threads) {
  double sum = 0, square = 0;
  std::size_t count = 0;
  for (std::size_t tile = 0; tile < batch.tiles(); ++tile)
    for (std::size_t o = 0; o < mixture.o(); ++o)
      for (std::size_t r = 0; r < batch.rows_in(tile); ++r, ++count) {
        const double y = batch.target(tile)[o * kTileRows + r];
        sum += y;
        square += y * y;
      }
  variance_ = std::max(1e-30, square / count - sum / count * sum / count);
  for (const auto& [in, out] : mixture.candidates()) {
    in_count_ = std::max(in_count_, in + 1);
    out_count_ = std::max(out_count_, out + 1);
  }
  groups_ = places_ + in_count_ + out_count_;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(groups_, groups_);
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [in, out] : mixture.candidates()) {
      const std::size_t g[3] = {t, places_ + in, places_ + in_count_ + out};
      for (std::size_t p : g)
        for (std::size_t q : g) a(p, q) += 1;
    }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(a);
  Eigen::VectorXd inverse = eigen.eigenvalues();
  const double cut = 1e-9 * inverse.maxCoeff();
  for (auto& v : inverse) v = v > cut ? 1 / v : 0;
  const Eigen::MatrixXd pinv =
      eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  group_inverse_.resize(groups_ * groups_);
  for (std::size_t p = 0; p < groups_; ++p)
    for (std::size_t q = 0; q < groups_; ++q)
      group_inverse_[p * groups_ + q] = static_cast<float>(pinv(p, q));
}

// v (unknowns, lanes) loses what changes a sum over a place, an expand or a contract piece.
void Relaxation::project(float* v, std::size_t lanes) const {
  const auto& candidates = mixture_.candidates();
  std::vector<float> sums(groups_ * lanes), effect(groups_ * lanes);
  std::size_t u = 0;
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [in, out] : candidates) {
      const float* row = v + u++ * lanes;
      float *a = &sums[t * lanes], *b = &sums[(places_ + in) * lanes],
            *c = &sums[(places_ + in_count_ + out) * lanes];
      for (std::size_t r = 0; r < lanes; ++r) a[r] += row[r];
      for (std::size_t r = 0; r < lanes; ++r) b[r] += row[r];
      for (std::size_t r = 0; r < lanes; ++r) c[r] += row[r];
    }
  for (std::size_t p = 0; p < groups_; ++p)
    for (std::size_t q = 0; q < groups_; ++q) {
      const float w = group_inverse_[p * groups_ + q];
      for (std::size_t r = 0; r < lanes; ++r) effect[p * lanes + r] += w * sums[q * lanes + r];
    }
  u = 0;
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [in, out] : candidates) {
      float* row = v + u++ * lanes;
      const float *a = &effect[t * lanes], *b = &effect[(places_ + in) * lanes],
                  *c = &effect[(places_ + in_count_ + out) * lanes];
      for (std::size_t r = 0; r < lanes; ++r) row[r] -= a[r] + b[r] + c[r];
    }
}

Weights Relaxation::uniform() const {
  // The projection of zero onto the constraints: A⁺ 1.
  Weights w(unknowns_);
  std::vector<float> effect(groups_);
  for (std::size_t p = 0; p < groups_; ++p)
    for (std::size_t q = 0; q < groups_; ++q) effect[p] += group_inverse_[p * groups_ + q];
  std::size_t u = 0;
  for (std::size_t t = 0; t < places_; ++t)
    for (const auto& [in, out] : mixture_.candidates())
      w[u++] = effect[t] + effect[places_ + in] + effect[places_ + in_count_ + out];
  return w;
}

double Relaxation::forward(const Weights& weights, std::vector<float>& error) const {
  const std::size_t d = mixture_.d(), o = mixture_.o(), n = mixture_.candidates().size();
  error.assign(rows_, 0);
  std::vector<double> sums(batch_.tiles());
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned) {
    net::Floats x = net::floats(d * kTileRows), y = net::floats(o * kTileRows),
                scratch = net::floats(mixture_.scratch());
    std::copy_n(batch_.features(tile), d * kTileRows, x.get());
    for (std::size_t t = 0; t < places_; ++t)
      mixture_.step(&weights[t * n], x.get(), x.get(), scratch.get());
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

double Relaxation::loss(const Weights& weights) const {
  std::vector<float> error;
  return forward(weights, error);
}

void Relaxation::start(Weights weights) {
  weights_ = std::move(weights);
  damping_ = damping0;
  loss_ = forward(weights_, error_);
}

void Relaxation::linearise() {
  const std::size_t d = mixture_.d(), o = mixture_.o(), n = mixture_.candidates().size();
  if (!jacobian_) jacobian_ = net::floats(rows_ * unknowns_);
  threads_.run(batch_.tiles(), [&](std::size_t tile, unsigned) {
    net::Floats states = net::floats((places_ + 1) * d * kTileRows),
                g = net::floats(d * kTileRows), scratch = net::floats(mixture_.scratch());
    std::copy_n(batch_.features(tile), d * kTileRows, states.get());
    for (std::size_t t = 0; t < places_; ++t)
      mixture_.step(&weights_[t * n], &states[t * d * kTileRows],
                    &states[(t + 1) * d * kTileRows], scratch.get());
    for (std::size_t k = 0; k < o; ++k) {
      float* jacobian = &jacobian_[(tile * o + k) * unknowns_ * kTileRows];
      mixture_.head_adjoint(k, g.get());
      for (std::size_t t = places_; t-- > 0;)
        mixture_.step_adjoint(&weights_[t * n], &states[t * d * kTileRows], g.get(),
                              jacobian + t * n * kTileRows, scratch.get());
      for (std::size_t r = batch_.rows_in(tile); r < kTileRows; ++r)
        for (std::size_t u = 0; u < unknowns_; ++u) jacobian[u * kTileRows + r] = 0;
      project(jacobian, kTileRows);
    }
  });
  // gram = J Jᵀ, tile by tile.
  const std::size_t tiles = rows_ / kTileRows;
  if (!gram_) gram_ = net::floats(rows_ * rows_);
  threads_.run(tiles * (tiles + 1) / 2, [&](std::size_t job, unsigned) {
    std::size_t b = 0;
    while ((b + 1) * (b + 2) / 2 <= job) ++b;
    const std::size_t a = job - b * (b + 1) / 2;
    float part[kTileRows * kTileRows] = {};
    net::multiply({kTileRows, unknowns_, kTileRows, &jacobian_[a * unknowns_ * kTileRows], kTileRows,
                   true, &jacobian_[b * unknowns_ * kTileRows], kTileRows, nullptr, nullptr, part,
                   kTileRows});
    for (std::size_t i = 0; i < kTileRows; ++i)
      for (std::size_t j = 0; j < kTileRows; ++j)
        gram_[(a * kTileRows + i) * rows_ + b * kTileRows + j] =
            gram_[(b * kTileRows + j) * rows_ + a * kTileRows + i] = part[i * kTileRows + j];
  });
  double trace = 0;
  for (std::size_t r = 0; r < rows_; ++r) trace += gram_[r * rows_ + r];
  scale_ = trace / static_cast<double>(unknowns_);  // mean diagonal of JᵀJ
}

Weights Relaxation::solve(double damping) const {
  const std::size_t tiles = rows_ / kTileRows;
  const float rho_ = static_cast<float>(rho * scale_),
              kappa = static_cast<float>((rho + damping) * scale_);
  Eigen::Map<const Eigen::MatrixXf> gram(gram_.get(), rows_, rows_);
  Eigen::MatrixXf k = gram;
  k.diagonal().array() += kappa;
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXf>> llt(k);
  const auto times = [&](const std::vector<float>& v) {  // J v
    Eigen::VectorXf out(rows_);
    threads_.run(tiles, [&](std::size_t tile, unsigned) {
      float sums[kTileRows] = {};
      const float* j = &jacobian_[tile * unknowns_ * kTileRows];
      for (std::size_t u = 0; u < unknowns_; ++u)
        for (std::size_t r = 0; r < kTileRows; ++r) sums[r] += v[u] * j[u * kTileRows + r];
      for (std::size_t r = 0; r < kTileRows; ++r) out[tile * kTileRows + r] = sums[r];
    });
    return out;
  };
  const auto back = [&](const Eigen::VectorXf& w) {  // Jᵀ w
    std::vector<float> out(unknowns_);
    constexpr std::size_t kSpan = 1024;
    threads_.run((unknowns_ + kSpan - 1) / kSpan, [&](std::size_t job, unsigned) {
      for (std::size_t tile = 0; tile < tiles; ++tile)
        for (std::size_t u = job * kSpan; u < std::min(unknowns_, (job + 1) * kSpan); ++u) {
          const float* j = &jacobian_[(tile * unknowns_ + u) * kTileRows];
          float lanes[8] = {};
          for (std::size_t r = 0; r < kTileRows; r += 8)
            for (std::size_t l = 0; l < 8; ++l) lanes[l] += j[r + l] * w[tile * kTileRows + r + l];
          out[u] += ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                    ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
        }
    });
    return out;
  };
  Eigen::Map<const Eigen::VectorXf> error(error_.data(), rows_);
  // (JᵀJ + κ)⁻¹ (−Jᵀ e) = −Jᵀ (JJᵀ + κ)⁻¹ e
  const std::vector<float> base = back(llt.solve(-error));
  std::vector<float> z = weights_, x(unknowns_), dual(unknowns_), v(unknowns_);
  for (int iteration = 0; iteration < admm; ++iteration) {
    for (std::size_t u = 0; u < unknowns_; ++u) v[u] = z[u] - dual[u] - weights_[u];
    project(v.data(), 1);
    const std::vector<float> correction = back(llt.solve(times(v)));
    for (std::size_t u = 0; u < unknowns_; ++u)
      x[u] = weights_[u] + base[u] + rho_ * (v[u] - correction[u]) / kappa;
    for (std::size_t u = 0; u < unknowns_; ++u) {
      const float over = 1.6f * x[u] - 0.6f * z[u];
      z[u] = std::max(0.0f, over + dual[u]);
      dual[u] += over - z[u];
    }
  }
  return z;
}

bool Relaxation::step() {
  linearise();
  for (int attempt = 0; attempt < 6; ++attempt) {
    Weights next = solve(damping_);
    std::vector<float> error;
    const double loss = forward(next, error);
    if (loss < loss_) {
      weights_ = std::move(next);
      loss_ = loss;
      error_ = std::move(error);
      damping_ /= 3;
      return true;
    }
    damping_ *= 5;
  }
  return false;
}

}  // namespace humpty::order
