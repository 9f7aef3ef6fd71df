// What must hold for whatever a reader gives.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

#include "humpty/humpty.hpp"
#include "io/tensor.hpp"

namespace humpty::fuzz {

inline bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

inline void check_sizes(const io::Tensors& read) {
  for (const io::Tensor& tensor : read.tensors) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : tensor.shape) count *= size;
    if (count != tensor.values.size()) std::abort();
  }
}

inline void check_same(const io::Tensor& a, const io::Tensor& b) {
  if (a.name != b.name || a.shape != b.shape || a.dtype != b.dtype) std::abort();
  if (a.values.size() != b.values.size()) std::abort();
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (!same(a.values[i], b.values[i])) std::abort();
}

inline void check_same(const io::Tensors& read, const io::Tensors& again) {
  if (again.tensors.size() != read.tensors.size()) std::abort();
  for (std::size_t i = 0; i < read.tensors.size(); ++i)
    check_same(read.tensors[i], again.tensors[i]);
}

}  // namespace humpty::fuzz
