// The format that torch.save wrote before 1.6, and still writes when told to.
#pragma once

#include <string>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

bool is_legacy_torch(Bytes bytes);
Tensors read_legacy_torch(Bytes bytes, const std::string& file, Take take);

}  // namespace humpty::io
