// What a training script saves: the net beside its optimizer, averages and counters.
#pragma once

#include <string>

#include "io/tensor.hpp"

namespace humpty::puzzle {

// Keeps only the tensors under `key`: those called so, or key.…; an Error where there are none. An
// empty key keeps the net of a training checkpoint, or everything of what is none. What was left
// out is said in `skipped`.
void keep_net(io::Tensors& found, const std::string& key);

}  // namespace humpty::puzzle
