#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/zip.hpp"

namespace humpty::io {
namespace {

constexpr std::size_t kAlignment = 64, kStart = 10;  // magic, version, length

DType stored_as(DType dtype) { return dtype == DType::bfloat16 ? DType::float32 : dtype; }

std::string header(const Tensor& tensor) {
  std::string text = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 item_size(stored_as(tensor.dtype)), fmt::join(tensor.shape, ", "),
                                 tensor.shape.size() == 1 ? "," : "");
  const std::size_t used = kStart + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  return text + '\n';
}

}  // namespace

std::string to_npy(const Tensor& tensor) {
  const std::string text = header(tensor);
  std::string out("\x93NUMPY\1\0", 8);
  append_le(out, static_cast<std::uint16_t>(text.size()));
  return out + text + encode(stored_as(tensor.dtype), tensor.values);
}

void write_npy(const std::string& path, const Tensor& tensor) { write_file(path, to_npy(tensor)); }

std::string to_npz(std::span<const Tensor> tensors) {
  check_names(tensors, "");
  ZipWriter zip;
  for (const Tensor& tensor : tensors)
    zip.add((tensor.name.empty() ? "arr_0" : tensor.name) + ".npy", to_npy(tensor));
  return std::move(zip).finish();
}

void write_npz(const std::string& path, std::span<const Tensor> tensors) {
  write_file(path, to_npz(tensors));
}

}  // namespace humpty::io
