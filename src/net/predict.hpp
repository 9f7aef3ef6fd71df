// What a whole net answers.
#pragma once

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty::net {

// `applied`: (stem,) in, out, in, out, …, head. Features rows × d, the answer rows × o.
Matrix predict(const std::vector<Piece>& applied, Activation activation, const Matrix& features,
               Threads& threads);

}  // namespace humpty::net
