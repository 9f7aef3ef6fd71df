// What a chain answers to a table of features.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "humpty/humpty.hpp"
#include "verify/chain.hpp"

namespace humpty::verifier {

// (rows, o). With `watch` it reports and may be stopped: what is left is then zero.
template <typename Real>
std::vector<double> answers(const Chain<Real>& chain, const Matrix& features, Threads& threads,
                            Watch* watch = nullptr);

extern template std::vector<double> answers(const Chain<float>&, const Matrix&, Threads&, Watch*);
extern template std::vector<double> answers(const Chain<double>&, const Matrix&, Threads&, Watch*);

}  // namespace humpty::verifier
