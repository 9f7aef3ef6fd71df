// Tensors whose items do not lie in row-major order: transposed, sliced, expanded, Fortran's.
#pragma once

#include <cstdint>
#include <vector>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

// Numbers are in items, not in bytes.
struct Strided {
  std::vector<std::uint64_t> shape, strides;
  std::uint64_t offset = 0, count = 0;
};

// The items in row-major order. The caller has checked that `storage` holds them all.
std::vector<float> decode(DType dtype, const Strided& strided, Bytes storage, ByteOrder order);
std::optional<std::vector<float>> decode(WholeType type, const Strided& strided, Bytes storage,
                                         ByteOrder order);

}  // namespace humpty::io
