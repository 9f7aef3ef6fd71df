// Hugging Face's safetensors: one file, or shards with or without an index.
#pragma once

#include <span>
#include <string>

#include "io/bytes.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

// Checks every name, type, shape and offset before anything is read: tensors lie one behind
// another, without gaps or overlaps, and fill the file. Their order is that of their bytes. What is
// not to be taken, or of floats of fewer than 16 bits, is skipped with a word.
Tensors read_safetensors(const std::string& path);
Tensors read_safetensors(Bytes bytes, const std::string& file,  // `file` is for messages
                         Take take = Take::floats);
bool is_safetensors(Bytes bytes);

// A model in shards, read together by their names' order. The index (….safetensors.index.json) says
// which files of its folder belong to it and what they must hold; shards that it names may lie
// nowhere but in that folder. If it cannot be used, because it is damaged or names files that are
// not there, all safetensors in the folder are taken, and a word in `skipped` says so; but a tensor
// that it promises and no shard holds is an Error.
Tensors read_safetensors_index(const std::string& path);
Tensors read_safetensors_folder(const std::string& folder);  // by the index in it, if there is one

// Writes the tensors in the order given, but for this: wider items first, as the format's own
// library does, so that each lies at a multiple of its size.
void write_safetensors(const std::string& path, std::span<const Tensor> tensors,
                       const Metadata& metadata = {});
std::string to_safetensors(std::span<const Tensor> tensors, const Metadata& metadata = {});

}  // namespace humpty::io
