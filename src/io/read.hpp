// Any file of weights or of data, told by what is in it and not by what it is called.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "humpty/humpty.hpp"
#include "io/csv.hpp"
#include "io/tensor.hpp"

namespace humpty {
class Threads;
}

namespace humpty::io {

enum class Format { torch, torch_legacy, npy, npz, safetensors, shards, onnx, gguf, text, unknown };

std::string_view name(Format format);       // "PyTorch", "NumPy .npz", …
Format format_of(const std::string& path);  // a folder is taken for shards
Format format_of(Bytes bytes, const std::string& file);

// Whatever holds tensors: a file of PyTorch, NumPy, safetensors (one file, an index of shards, or a
// folder of them), ONNX or GGUF. The Error for anything else says what it looks like.
Tensors read_tensors(const std::string& path);

// A file's arrays, each with as many rows as it has examples; one of one dimension is a column.
struct NamedArray {
  std::string name;
  Matrix values;
};
struct Arrays {
  std::string file;
  std::vector<NamedArray> arrays;    // in the file's own order
  std::vector<std::string> skipped;  // "tensor 'steps': int64 is not read"
};

// Data: text is a table with a header row, whatever holds tensors gives those of one or two
// dimensions by name.
std::variant<Table, Arrays> read_table(const std::string& path, Threads* threads = nullptr);

}  // namespace humpty::io
