// Nets of our own: train, drop, solve, compare with the answer that was kept. Trained in the regime
// that leaves the ratio's trace (a rate of 3e-3, batches of 32; docs/regimes.md): other regimes
// need other signals than the paper's.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "humpty/humpty.hpp"

namespace humpty {
namespace {

template <typename Value>
Value any_of(Random& random, std::initializer_list<Value> values) {
  return values.begin()[random.index(values.size())];
}

lab::TrainOptions random_options(Random& random, std::size_t d) {
  lab::TrainOptions options;
  options.blocks = 3 + random.index(7);
  options.hidden = {d + 4 + random.index(d + 8)};
  if (random.index(2)) options.hidden.push_back(d + 5 + random.index(d + 8));
  options.activation = any_of(random, {Activation::relu, Activation::leaky, Activation::gelu,
                                       Activation::gelu_tanh, Activation::silu, Activation::tanh});
  options.init = lab::Init::zero;
  options.epochs = 100;
  options.lr = 7e-3;
  return options;
}

TEST(OwnNets, ThirtyRandomConfigurationsAreTrainedDroppedAndRecovered) {
  for (std::uint64_t rng = 1; rng <= 30; ++rng) {
    Random random(1000 + rng);
    const std::size_t d = 10 + random.index(15), outputs = 1 + random.index(4);
    lab::TrainOptions options = random_options(random, d);
    options.rng = rng;
    const Rows rows = lab::make_task(lab::Task::regression, 2000, d, outputs, rng);
    const lab::TrainedNet net = lab::train(options, rows.features, rows.target);
    const lab::Dropped dropped = lab::drop(net.pieces, rows, options.activation, rng);
    const Solution solution = solve(dropped.puzzle);
    EXPECT_EQ(solution.permutation, dropped.permutation)
        << "configuration " << rng << ": " << options.blocks << " blocks of " << d << ", "
        << name(options.activation);
    EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
  }
}

}  // namespace
}  // namespace humpty
