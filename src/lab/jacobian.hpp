// What a block's Jacobian is on average, over the states in which the block finds the rows.
//
// J_r(x) = W_out D(x) W_in with D(x) = diag(act'(W_in x + b_in)), which for ReLU is zeros and ones.
// Its trace is linear and its squared norm quadratic in the gates on D's diagonal,
//
//   tr J_r = Σ_k D_k · (W_in W_out)_kk,   ‖J_r‖²_F = Σ_kl D_k D_l · (W_outᵀ W_out)_kl (W_in
//   W_inᵀ)_kl,
//
// so that no Jacobian is ever formed: a row costs h² instead of h·d².
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"
#include "net/net.hpp"

namespace humpty::lab {

struct JacobianMeans {
  double trace = 0;           // E[tr J_r], row by row
  double trace_by_gates = 0;  // tr(W_out E[D] W_in): the gates' means first
  double square = 0;          // E‖J_r‖²_F
  double weight_trace = 0;    // tr(W_out W_in)
  std::vector<double> gates;  // E[D], per hidden unit
};

// For the blocks of `net`, block k being expand[k] with contract[k], run in the order of their
// numbers.
std::vector<JacobianMeans> jacobian_means(const net::Net& net,
                                          const std::vector<const Piece*>& expand,
                                          const std::vector<const Piece*>& contract,
                                          Activation activation, const net::Batch& batch,
                                          Threads& threads);

}  // namespace humpty::lab
