// Nets of our own: train, drop, solve, compare with the answer that was kept. Trained in the regime
// that leaves the ratio's trace (rate 3e-3, batches of 32, 300 epochs; docs/regimes.md): other
// regimes need other signals than the paper's.
#include <gtest/gtest.h>

#include "lab/drop.hpp"
#include "lab/tasks.hpp"
#include "lab/train.hpp"

namespace humpty {
namespace {

struct Shape {
  std::size_t blocks, d, h, outputs;
};

void recovers(const Shape& shape, std::uint64_t rng) {
  const Rows rows = lab::make_task(lab::Task::regression, 2000, shape.d, shape.outputs, rng);
  lab::TrainOptions options;
  options.blocks = shape.blocks;
  options.hidden = {shape.h};
  options.epochs = 300;
  options.lr = 3e-3;
  options.rng = rng;
  const lab::TrainedNet net = lab::train(options, rows.features, rows.target);
  const lab::Dropped dropped = lab::drop(net.pieces, rows, options.activation, rng);
  const Solution solution = solve(dropped.puzzle);
  EXPECT_EQ(solution.permutation, dropped.permutation)
      << shape.blocks << " blocks, " << shape.d << "/" << shape.h << ", " << shape.outputs
      << " outputs";
  EXPECT_EQ(solution.verdict, Verdict::exact) << solution.certificate.why;
}

TEST(OwnNets, AreRecoveredAfterTrainingAndDropping) {
  recovers({9, 16, 24, 2}, 1);
  recovers({5, 20, 30, 1}, 2);
  recovers({12, 16, 32, 1}, 3);
  recovers({7, 18, 41, 3}, 4);
}

}  // namespace
}  // namespace humpty
