// PyTorch's .pth, .pt and .bin files: the zip that torch.save has written since 1.6, the format
// before it, and TorchScript's archives.
#pragma once

#include <span>
#include <string>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

// Reads a dict or OrderedDict of tensors without Python and without running anything. Dicts, lists
// and tuples may nest, their keys joined with '.'; a bare tensor has the empty name. Any device
// tag, strides, offsets, shared storages, either byte order. Tensors of what is not to be taken are
// skipped with a word; whatever is no tensor is passed over. A TorchScript module's tensors have
// the names of its state dict, its constants are "constants.0", …; its program is not looked at.
Tensors read_torch(const std::string& path);
Tensors read_torch(Bytes bytes, const std::string& file,  // `file` is for messages
                   Take take = Take::floats);

// Writes an OrderedDict that torch.load(…, weights_only=True) gives back bit for bit, each tensor
// in its dtype.
void write_torch(const std::string& path, std::span<const Tensor> tensors);
std::string to_torch(std::span<const Tensor> tensors);  // the same, as the file's bytes

}  // namespace humpty::io
