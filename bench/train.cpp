// Training against the FMA peak of the same run: the paper's appendix model, a few epochs.
//   bench_train [blocks d h rows epochs threads]
#include <cstdlib>

#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "peak.hpp"

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) -> std::size_t {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  humpty::lab::TrainOptions options;
  options.blocks = number(1, 48);
  options.hidden = {number(3, 96)};
  options.epochs = number(5, 2);
  options.threads = static_cast<unsigned>(number(6, 2));
  const auto task =
      humpty::lab::make_task(humpty::lab::Task::regression, number(4, 10000), number(2, 48), 1, 1);
  const double peak = humpty::bench::fma_peak(options.threads);
  for (const std::size_t batch : {32, 64, 256}) {
    options.batch = batch;
    const auto net = humpty::lab::train(options, task.features, task.target);
    const double rate = net.flops / net.seconds * 1e-9;
    fmt::print(
        "batch {:3}: {:6.3f} s an epoch, {:6.1f} GFLOP/s, {:2.0f} % of {:.1f}; loss {:.4f}\n",
        batch, net.seconds / static_cast<double>(options.epochs), rate, 100 * rate / peak, peak,
        net.loss);
  }
}
