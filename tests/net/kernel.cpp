#include "net/kernel.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "net/plain.hpp"

namespace humpty::net {
namespace {

// Largest error over a tile in units of the bound that any order of float32 summation keeps to.
double worst_error(const Piece& piece, const Floats& x, const Floats& y) {
  const std::size_t in = piece.weight.cols, out = piece.weight.rows;
  double worst = 0;
  for (std::size_t r = 0; r < kTileRows; ++r) {
    const plain::Doubles row = plain::row_of(x, in, r), expected = plain::linear(piece, row);
    for (std::size_t i = 0; i < out; ++i) {
      double size = piece.bias.empty() ? 0 : std::fabs(piece.bias[i]);
      for (std::size_t k = 0; k < in; ++k)
        size += std::fabs(static_cast<double>(piece.weight.row(i)[k]) * row[k]);
      const double bound = static_cast<double>(in + 2) * (plain::kHalfUlp * size + 1e-45);
      worst = std::max(worst, std::fabs(y[i * kTileRows + r] - expected[i]) / bound);
    }
  }
  return worst;
}

double worst_error_of(const Piece& piece, const Floats& x) {
  Floats y = floats(piece.weight.rows * kTileRows);
  apply(Layer(piece.weight, piece.bias).panels(), Finish::plain, x.get(), nullptr, y.get());
  return worst_error(piece, x, y);
}

TEST(Kernel, LayersOfEverySizeMatchADoubleLoopOnEveryInstructionSet) {
  plain::for_each_target([](const char* target) {
    std::mt19937 random(1);
    for (std::size_t out = 1; out <= 70; ++out)
      for (const std::size_t in : {std::size_t{1}, std::size_t{7}, out, 71 - out}) {
        const Piece piece = plain::random_piece(out, in, random);
        EXPECT_LE(worst_error_of(piece, plain::random_tile(in, random)), 1.0)
            << target << " " << out << " x " << in;
      }
  });
}

TEST(Kernel, AMissingBiasIsZero) {
  std::mt19937 random(2);
  Piece piece = plain::random_piece(5, 9, random);
  piece.bias.clear();
  EXPECT_LE(worst_error_of(piece, plain::random_tile(9, random)), 1.0);
}

TEST(Kernel, TransposedLayerIsTheTranspose) {
  std::mt19937 random(3);
  const Piece piece = plain::random_piece(29, 14, random);
  Piece turned;
  turned.weight = {14, 29, std::vector<float>(14 * 29)};
  for (std::size_t i = 0; i < 29; ++i)
    for (std::size_t k = 0; k < 14; ++k) turned.weight.row(k)[i] = piece.weight.row(i)[k];
  const Floats x = plain::random_tile(29, random);
  Floats y = floats(14 * kTileRows);
  apply(Layer::transposed(piece.weight).panels(), Finish::plain, x.get(), nullptr, y.get());
  EXPECT_LE(worst_error(turned, x, y), 1.0);
}

TEST(Kernel, HugeTinyAndDenormalValuesKeepTheirSize) {
  plain::for_each_target([](const char* target) {
    for (const auto& [weight_scale, x_scale] : {std::pair{1e30f, 1e-30f},
                                                {1e-30f, 1e30f},
                                                {1e30f, 1e7f},
                                                {1.0f, 1e-40f},
                                                {1e-38f, 1.0f}}) {
      std::mt19937 random(4);
      Piece piece = plain::random_piece(13, 11, random);
      piece.bias.clear();
      for (float& value : piece.weight.values) value *= weight_scale;
      Floats x = plain::random_tile(11, random);
      for (std::size_t i = 0; i < 11 * kTileRows; ++i) x[i] *= x_scale;
      EXPECT_LE(worst_error_of(piece, x), 1.0) << target << " " << weight_scale << " " << x_scale;
    }
  });
}

TEST(Kernel, FinishesFuseWhatTheyName) {
  std::mt19937 random(5);
  const Layer layer(plain::random_piece(7, 5, random).weight, {});
  const Floats x = plain::random_tile(5, random), add = plain::random_tile(7, random);
  Floats bare = floats(7 * kTileRows), relu = floats(7 * kTileRows), sum = floats(7 * kTileRows);
  apply(layer.panels(), Finish::plain, x.get(), nullptr, bare.get());
  apply(layer.panels(), Finish::relu, x.get(), nullptr, relu.get());
  apply(layer.panels(), Finish::add, x.get(), add.get(), sum.get());
  for (std::size_t i = 0; i < 7 * kTileRows; ++i) {
    EXPECT_EQ(relu[i], std::max(bare[i], 0.0f));
    EXPECT_EQ(sum[i], add[i] + bare[i]);
  }
}

// Points from −30 to 30, dense around zero, and every size that a float can have.
std::vector<float> probes() {
  std::vector<float> x;
  for (int i = -3000; i <= 3000; ++i) x.push_back(0.01f * static_cast<float>(i));
  for (float size = 1e-45f; size < 1e38f; size *= 3) x.insert(x.end(), {size, -size});
  x.resize((x.size() + 15) / 16 * 16);
  return x;
}

TEST(Kernel, ActivationsAreGoodToFloatRoundingOnEveryInstructionSet) {
  const std::vector<float> x = probes();
  std::vector<float> y(x.size());
  plain::for_each_target([&](const char* target) {
    for (const Activation kind : plain::activations()) {
      activate(kind, x.data(), y.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = plain::act(kind, x[i]);
        ASSERT_NEAR(y[i], expected,
                    1.5e-7 * std::max(std::fabs(expected), std::fmin(1, std::fabs(x[i]))) + 1e-44)
            << target << " " << name(kind) << " at " << x[i];
      }
    }
  });
}

TEST(Kernel, SlopesAreGoodToFloatRoundingOnEveryInstructionSet) {
  const std::vector<float> x = probes();
  plain::for_each_target([&](const char* target) {
    for (const Activation kind : plain::activations()) {
      std::vector<float> g(x.size(), 1.0f);
      times_slope(kind, x.data(), g.data(), g.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double at = std::clamp(static_cast<double>(x[i]), -40.0, 40.0);  // flat beyond
        ASSERT_NEAR(g[i], plain::slope(kind, at), 4e-7)
            << target << " " << name(kind) << " at " << x[i];
      }
    }
  });
}

TEST(Kernel, NanStaysNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Activation kind : plain::activations()) {
    std::vector<float> x(16, nan);
    activate(kind, x.data(), x.data(), x.size());
    EXPECT_TRUE(std::isnan(x[3])) << name(kind);
  }
}

}  // namespace
}  // namespace humpty::net
