// How fast files are read. Files are read several times, so from memory and not from the disk; what
// counts is the best. Every answer is checked before its time is.
//   bench_read make FILE MIB    a checkpoint of so many MiB in tensors of 4, its values known
//   bench_read weights FILE     reads it; GB/s
//   bench_read puzzle FOLDER    the pieces and the rows of a puzzle; ms
#include <chrono>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/read.hpp"
#include "io/safetensors.hpp"
#include "io/torch.hpp"

namespace {

using namespace humpty;

constexpr std::size_t kSide = 1024;  // of a tensor: 4 MiB

float value(std::size_t tensor, std::size_t i) {
  return static_cast<float>((tensor * 7919 + i) % 65536) - 32768;
}

void make(const std::string& file, std::size_t mib) {
  std::vector<io::Tensor> tensors;
  for (std::size_t t = 0; t < mib / 4; ++t) {
    io::Tensor tensor{fmt::format("t{}", t), {kSide, kSide}, io::DType::float32, {}};
    tensor.values.resize(kSide * kSide);
    for (std::size_t i = 0; i < tensor.values.size(); ++i) tensor.values[i] = value(t, i);
    tensors.push_back(std::move(tensor));
  }
  if (file.ends_with(".safetensors"))
    io::write_safetensors(file, tensors);
  else
    io::write_torch(file, tensors);
}

template <class Work>
double best_seconds(int times, Work work) {
  double best = 1e99;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

void check(const io::Tensors& read) {
  for (std::size_t t = 0; t < read.tensors.size(); ++t)
    for (std::size_t i = 0; i < kSide * kSide; i += 4099)
      if (read.tensors[t].name != fmt::format("t{}", t) || read.tensors[t].values[i] != value(t, i))
        throw Error(ErrorCode::bad_value, "was read wrongly", {.file = read.file});
}

void time_weights(const std::string& file) {
  double bytes = 0;
  {
    const io::Tensors read = io::read_tensors(file);
    check(read);
    bytes = 4.0 * kSide * kSide * static_cast<double>(read.tensors.size());
  }
  const double seconds = best_seconds(5, [&] { io::read_tensors(file); });
  fmt::print("{:.2f}\n", bytes / seconds / 1e9);
}

void time_puzzle(const std::string& folder) {
  if (read_puzzle({folder}).rows.features.rows == 0)
    throw Error(ErrorCode::bad_data, "holds no rows", {.file = folder});
  fmt::print("{:.1f}\n", 1e3 * best_seconds(20, [&] { read_puzzle({folder}); }));
}

int run(int argc, char** argv) {
  const std::string_view task = argc > 2 ? argv[1] : "";
  if (task == "make" && argc == 4)
    make(argv[2], std::stoul(argv[3]));
  else if (task == "weights")
    time_weights(argv[2]);
  else if (task == "puzzle")
    time_puzzle(argv[2]);
  else
    return fmt::print(stderr, "usage: bench_read make FILE MIB | weights FILE | puzzle FOLDER\n"),
           2;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const humpty::Error& error) {
    fmt::print(stderr, "bench_read: {}\n", error.what());
    return 1;
  }
}
