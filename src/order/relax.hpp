// The order as a continuous unknown.
#pragma once

#include <functional>

#include "base/watch.hpp"
#include "net/mixture.hpp"
#include "order/walk.hpp"

namespace humpty::order {

// Weights(t, c): how much of candidate c runs at place t; (places × candidates).
using Weights = std::vector<float>;

class Relaxation {
 public:
  Relaxation(const net::Mixture& mixture, const net::Batch& batch, std::size_t places,
             Threads& threads);
  ~Relaxation();

  Weights uniform() const;
  double loss(const Weights& weights) const;  // mean squared error over the target's variance

  // One Levenberg–Marquardt step from the weights it keeps. False: no step makes it better.
  void start(Weights weights);
  bool step();
  const Weights& weights() const { return weights_; }
  double loss() const { return loss_; }
  double damping() const { return damping_; }

 public:
  int admm = 60;
  double rho = 0.3, damping0 = 1e-2, clip = 0;

 private:
  struct Linear;
  double forward(const Weights& weights, std::vector<float>& error) const;
  void linearise();
  Weights solve(double damping) const;
  void project(float* v, std::size_t lanes) const;

  const net::Mixture& mixture_;
  const net::Batch& batch_;
  std::size_t places_, unknowns_, rows_;
  Threads& threads_;
  double variance_ = 1;
  double damping_ = 0;
  Weights weights_;
  double loss_ = 0;
  std::vector<float> group_inverse_;  // (groups × groups)
  std::size_t groups_ = 0, in_count_ = 0, out_count_ = 0;
  net::Floats jacobian_;  // (tiles · o, unknowns, kTileRows), projected on the tangent space
  std::vector<float> error_;
  net::Floats gram_;  // rows × rows
  double scale_ = 1;
};

}  // namespace humpty::order
