#include "puzzle/chain.hpp"

#include <fmt/format.h>

namespace humpty::puzzle {

void check_chain(const std::vector<Piece>& applied) {
  if (applied.empty()) throw Error(ErrorCode::bad_shape, "a net has pieces, and here are none");
  const std::size_t d = applied.back().weight.cols;
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const Matrix& weight = applied[i].weight;
    const Role role = role_at(i, applied.size());
    const bool fits = role == Role::stem ? weight.rows == d
                      : role == Role::contract
                          ? weight.rows == d && weight.cols == applied[i - 1].weight.rows
                          : weight.cols == d;
    if (!fits)
      throw Error(ErrorCode::bad_shape,
                  fmt::format("piece {} ({}×{}) cannot come {}: the order does not chain",
                              applied[i].id, weight.rows, weight.cols,
                              i == 0 ? "first" : fmt::format("after piece {}", applied[i - 1].id)),
                  {.file = applied[i].file});
  }
}

}  // namespace humpty::puzzle
