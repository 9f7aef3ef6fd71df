// The reader of ONNX: whatever the bytes, it gives tensors or a humpty::Error, and what it gives
// survives being written and read again.
#include "check.hpp"
#include "io/onnx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace humpty::io;
  Tensors read;
  try {
    read = read_onnx(Bytes(data, size), "fuzz");
  } catch (const humpty::Error&) {
    return 0;
  }
  humpty::fuzz::check_sizes(read);
  OnnxGraph graph;
  graph.initializers = read.tensors;
  const std::string written = to_onnx(graph);
  humpty::fuzz::check_same(read, read_onnx(bytes_of(written), "again"));
  return 0;
}
