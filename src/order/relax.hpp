// The arrangement as a continuous unknown.
#pragma once

#include "base/watch.hpp"
#include "net/mixture.hpp"
#include "order/polytope.hpp"
#include "order/walk.hpp"

namespace humpty::order {

class Relaxation {
 public:
  Relaxation(const net::Mixture& mixture, const net::Batch& batch, Threads& threads);
  Relaxation(const net::Mixture& mixture, const Uses& uses, const net::Batch& batch,
             Threads& threads);

  const Polytope& polytope() const { return polytope_; }
  std::size_t places() const { return polytope_.places(); }

  void start(Weights weights);
  // One step. False: no step makes the error smaller, or the watch said stop.
  bool step(Watch& watch);

  const Weights& weights() const { return weights_; }
  double loss() const { return loss_; }  // mean squared error over the target's variance

  // The blocks at the places, as the weights suggest: first the pairs with the most weight in all,
  // then their places. Nothing where roles are unknown and the pieces do not pair up.
  std::vector<net::Candidate> rounded() const;
  // The same blocks by their mean places: better where some blocks hardly matter and spread wide.
  std::vector<net::Candidate> by_mean_place() const;

  // What one needs in memory, in bytes.
  static std::size_t memory(std::size_t unknowns, std::size_t rows);

 private:
  struct Solver;

  std::vector<std::size_t> chosen() const;
  std::vector<std::size_t> chosen_greedily(const std::vector<double>& total) const;

  double forward(const Weights& weights, std::vector<float>& error);
  void linearise();
  void multiply_out();

  const net::Mixture& mixture_;
  const net::Batch& batch_;
  Threads& threads_;
  Uses uses_;
  Polytope polytope_;
  std::size_t unknowns_, rows_;  // rows: of all outputs, with those that fill up the last tile
  double variance_, damping_, loss_;
  Weights weights_;
  std::vector<float> error_, dual_;  // rows; unknowns
  net::Floats jacobian_;             // (rows / kTileRows, unknowns, kTileRows), tangent
  net::Floats gram_;                 // jacobian · jacobianᵀ, rows × rows
  double curvature_;                 // mean diagonal of jacobianᵀ · jacobian
};

}  // namespace humpty::order
