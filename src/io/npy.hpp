// NumPy's .npy (one array) and .npz (a zip of them, stored or deflated).
#pragma once

#include <span>
#include <string>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

// Versions 1 to 3, C and Fortran order, both byte orders. Arrays of what is not to be taken are
// skipped with a word; pickled objects are never looked at. The array of an .npy has the empty
// name, those of an .npz their entries' names without ".npy".
Tensors read_npy(const std::string& path);
Tensors read_npy(Bytes bytes, const std::string& file,  // `file` is for messages
                 Take take = Take::floats);
Tensors read_npz(const std::string& path);
Tensors read_npz(Bytes bytes, const std::string& file, Take take = Take::floats);
bool is_npy(Bytes bytes);

// Each in its dtype, but for bfloat16, which NumPy does not know: it is written as float32. A
// tensor without a name is called arr_0 in an .npz, as NumPy does.
void write_npy(const std::string& path, const Tensor& tensor);
void write_npz(const std::string& path, std::span<const Tensor> tensors);
std::string to_npy(const Tensor& tensor);
std::string to_npz(std::span<const Tensor> tensors);

}  // namespace humpty::io
