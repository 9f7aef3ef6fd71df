// Any file of weights or of data, told by what is in it and not by what it is called.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "humpty/humpty.hpp"
#include "io/csv.hpp"
#include "io/opened.hpp"
#include "io/tensor.hpp"

namespace humpty {
class Threads;
}

namespace humpty::io {

enum class Format {
  torch,
  torch_legacy,
  npy,
  npz,
  safetensors,
  shards,
  onnx,
  gguf,
  text,
  archive,  // files in a zip or tar
  unknown
};

std::string_view name(Format format);                    // "PyTorch", "NumPy .npz", …
Format format_of(Bytes bytes, const std::string& file);  // of what is in it, if it is gzipped

// In all that follows a path may be that of a file that was opened before. Gzipped files are read
// as what is in them.
Format format_of(const std::string& path, const Opened& opened = {});  // a folder: shards

// Whatever holds tensors: a file of PyTorch, NumPy, safetensors (one file, an index of shards, or a
// folder of them), ONNX or GGUF. The Error for anything else says what it looks like.
Tensors read_tensors(const std::string& path, const Opened& opened = {});

// A file's arrays, each with as many rows as it has examples; one of one dimension is a column.
struct NamedArray {
  std::string name;
  Matrix values;
  bool whole = false;  // stored as integers
};
struct Arrays {
  std::string file;
  std::vector<NamedArray> arrays;    // in the file's own order
  std::vector<std::string> skipped;  // "tensor 'steps': int64 is not read"
};

// Data: text is a table, whatever holds tensors gives those of one or two dimensions by name; an
// archive of one file is that file.
std::variant<Table, Arrays> read_table(const std::string& path, Threads* threads = nullptr,
                                       const Opened& opened = {});

}  // namespace humpty::io
