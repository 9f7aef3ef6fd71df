#include <fmt/format.h>

#include "io/file.hpp"
#include "io/torch.hpp"
#include "io/zip.hpp"

namespace humpty::io {
namespace {

// Writes the opcodes that torch.save itself writes, but for the memo, which only saves space.
class PickleWriter {
 public:
  PickleWriter() { out_ += "\x80\x02"; }

  void op(char opcode) { out_ += opcode; }

  void global(std::string_view module, std::string_view name) {
    out_ += fmt::format("c{}\n{}\n", module, name);
  }

  void text(std::string_view text) {
    out_ += 'X';
    append_le(out_, static_cast<std::uint32_t>(text.size()));
    out_ += text;
  }

  void integer(std::uint64_t value) {
    if (value < 0x80000000) {
      out_ += 'J';
      append_le(out_, static_cast<std::uint32_t>(value));
    } else {  // LONG1: nine bytes, so that the sign is never in doubt
      out_ += "\x8a\x09";
      append_le(out_, value);
      out_ += '\0';
    }
  }

  void integers(const std::vector<std::uint64_t>& values) {
    op('(');
    for (const std::uint64_t value : values) integer(value);
    op('t');
  }

  void empty_ordered_dict() {
    global("collections", "OrderedDict");
    out_ += ")R";
  }

  std::string finish() && {
    op('.');
    return std::move(out_);
  }

 private:
  std::string out_;
};

std::string_view storage_class(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return "DoubleStorage";
    case DType::float32:
      return "FloatStorage";
    case DType::float16:
      return "HalfStorage";
    case DType::bfloat16:
      return "BFloat16Storage";
  }
  return "";
}

std::vector<std::uint64_t> row_major_strides(const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// _rebuild_tensor_v2(storage, offset 0, size, stride, requires_grad, hooks)
void write_tensor(PickleWriter& pickle, const Tensor& tensor, std::size_t key) {
  pickle.global("torch._utils", "_rebuild_tensor_v2");
  pickle.op('(');
  pickle.op('(');
  pickle.text("storage");
  pickle.global("torch", storage_class(tensor.dtype));
  pickle.text(std::to_string(key));
  pickle.text("cpu");
  pickle.integer(tensor.values.size());
  pickle.op('t');
  pickle.op('Q');
  pickle.integer(0);
  pickle.integers(tensor.shape);
  pickle.integers(row_major_strides(tensor.shape));
  pickle.op('\x89');
  pickle.empty_ordered_dict();
  pickle.op('t');
  pickle.op('R');
}

std::string state_dict(std::span<const Tensor> tensors) {
  PickleWriter pickle;
  pickle.empty_ordered_dict();
  pickle.op('(');
  for (std::size_t key = 0; key < tensors.size(); ++key) {
    pickle.text(tensors[key].name);
    write_tensor(pickle, tensors[key], key);
  }
  pickle.op('u');
  return std::move(pickle).finish();
}

}  // namespace

std::string to_torch(std::span<const Tensor> tensors) {
  ZipWriter zip;
  zip.add("archive/data.pkl", state_dict(tensors));
  zip.add("archive/byteorder", "little");
  for (std::size_t key = 0; key < tensors.size(); ++key)
    zip.add(fmt::format("archive/data/{}", key), encode(tensors[key].dtype, tensors[key].values));
  zip.add("archive/version", "3\n");
  return std::move(zip).finish();
}

void write_torch(const std::string& path, std::span<const Tensor> tensors) {
  write_file(path, to_torch(tensors));
}

}  // namespace humpty::io
