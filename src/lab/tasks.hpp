// Something to learn for nets that have no data of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "humpty/humpty.hpp"

namespace humpty::lab {

enum class Task {
  regression,      // target: `outputs` smooth functions of the features
  classification,  // target: one-hot over `outputs` classes
};

// Features are standard normal. A random teacher, a sum of 16 tanh ridges per output scaled to
// unit variance, gives the target; in classification the teacher with the largest value wins.
Rows make_task(Task task, std::size_t rows, std::size_t dim, std::size_t outputs,
               std::uint64_t rng);

}  // namespace humpty::lab
