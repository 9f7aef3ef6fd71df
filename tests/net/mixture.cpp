#include "net/mixture.hpp"

#include <gtest/gtest.h>

#include "nets.hpp"

namespace humpty::net {
namespace {

struct Bench {
  explicit Bench(Activation act = Activation::relu) : rng(3), activation(act) {
    applied = test::random_net(4, 6, 10, 2, rng);
    rows = test::random_rows(applied, 32, rng);
    for (std::size_t k = 0; k < 4; ++k) {
      expand.push_back(&applied[2 * k]);
      contract.push_back(&applied[2 * k + 1]);
      for (std::size_t j = 0; j < 4; ++j) all.push_back({k, j});
    }
  }
  // y of output 1, all rows of the one tile.
  std::vector<float> answer(const Mixture& mixture, const std::vector<float>& weights) const {
    const Batch batch(rows, 0, 32);
    const Floats x = floats(6 * kTileRows), y = floats(2 * kTileRows),
                 scratch = floats(mixture.scratch());
    std::copy_n(batch.features(0), 6 * kTileRows, x.get());
    const std::size_t n = mixture.candidates().size();
    for (std::size_t t = 0; t * n < weights.size(); ++t)
      mixture.step(&weights[t * n], x.get(), x.get(), scratch.get());
    mixture.head(x.get(), y.get());
    return {&y[kTileRows], &y[2 * kTileRows]};
  }
  std::mt19937 rng;
  Activation activation;
  std::vector<Piece> applied;
  Rows rows;
  std::vector<const Piece*> expand, contract;
  std::vector<Candidate> all;
};

TEST(Mixture, WithOneCandidateAPlaceIsTheNet) {
  const Bench bench;
  const Mixture mixture(bench.expand, bench.contract, bench.all, bench.applied.back(),
                        Activation::relu);
  std::vector<float> weights(4 * 16);
  for (std::size_t t = 0; t < 4; ++t) weights[t * 16 + t * 4 + t] = 1;
  const std::vector<float> y = bench.answer(mixture, weights);
  for (std::size_t r = 0; r < 32; ++r)
    EXPECT_NEAR(y[r], test::plain_forward(bench.applied, bench.rows.features.row(r))[1], 1e-4);
}

TEST(Mixture, SlopesAreTheAnswersDerivatives) {
  for (Activation activation : {Activation::tanh, Activation::gelu}) {
    const Bench bench(activation);
    const Mixture mixture(bench.expand, bench.contract, bench.all, bench.applied.back(),
                          activation);
    std::vector<float> weights(2 * 16, 1.0f / 16);
    const Batch batch(bench.rows, 0, 32);
    const std::size_t size = 6 * kTileRows;
    const Floats states = floats(3 * size), g = floats(size), scratch = floats(mixture.scratch());
    std::copy_n(batch.features(0), size, states.get());
    for (std::size_t t = 0; t < 2; ++t)
      mixture.step(&weights[t * 16], &states[t * size], &states[(t + 1) * size], scratch.get());
    std::vector<float> slopes(2 * 16 * kTileRows);
    mixture.head_adjoint(1, g.get());
    for (std::size_t t = 2; t-- > 0;)
      mixture.step_adjoint(&weights[t * 16], &states[t * size], g.get(),
                           &slopes[t * 16 * kTileRows], scratch.get());
    constexpr float kStep = 1e-2f;
    for (std::size_t u = 0; u < weights.size(); ++u) {
      std::vector<float> up = weights, down = weights;
      up[u] += kStep;
      down[u] -= kStep;
      const auto high = bench.answer(mixture, up), low = bench.answer(mixture, down);
      for (std::size_t r = 0; r < 32; r += 5)
        EXPECT_NEAR(slopes[u * kTileRows + r], (high[r] - low[r]) / (2 * kStep), 2e-3);
    }
  }
}

}  // namespace
}  // namespace humpty::net
