#include "net/train_kernel.hpp"

#include <gtest/gtest.h>

#include "net/plain.hpp"

namespace humpty::net {
namespace {

Floats normals(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  Floats list = floats(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = normal(random);
  return list;
}

void expect_product(std::size_t rows, std::size_t depth, std::size_t width, bool transposed,
                    const char* target) {
  std::mt19937 random(1);
  const std::size_t a_stride = padded(transposed ? rows : depth);
  const Floats a = normals(a_stride * (transposed ? depth : rows), random);
  const Floats b = normals(depth * width, random), bias = normals(width, random);
  const Floats add = normals(rows * width, random);
  Floats c = floats(rows * width);
  for (const bool full : {true, false}) {
    multiply({rows, depth, width, a.get(), a_stride, transposed, b.get(), width,
              full ? bias.get() : nullptr, full ? add.get() : nullptr, c.get(), width});
    for (std::size_t m = 0; m < rows; ++m)
      for (std::size_t n = 0; n < width; ++n) {
        double expected = full ? static_cast<double>(bias[n]) + add[m * width + n] : 0;
        double size = std::fabs(expected) + 1;
        for (std::size_t k = 0; k < depth; ++k) {
          const double part =
              static_cast<double>(transposed ? a[k * a_stride + m] : a[m * a_stride + k]) *
              b[k * width + n];
          expected += part, size += std::fabs(part);
        }
        ASSERT_NEAR(c[m * width + n], expected,
                    static_cast<double>(depth + 3) * plain::kHalfUlp * size)
            << target << " " << rows << " x " << depth << " x " << width
            << (transposed ? " t" : "");
      }
  }
}

TEST(TrainKernel, ProductsOfEverySizeMatchADoubleLoopOnEveryInstructionSet) {
  plain::for_each_target([](const char* target) {
    for (std::size_t rows = 1; rows <= 19; ++rows)
      for (const std::size_t width : {16, 32, 48, 64, 80})
        for (const bool transposed : {false, true})
          expect_product(rows, 20 - rows, width, transposed, target);
  });
}

TEST(TrainKernel, TransposesOddSizesOnEveryInstructionSet) {
  plain::for_each_target([](const char* target) {
    std::mt19937 random(2);
    for (const std::size_t rows : {1, 3, 4, 9, 16})
      for (const std::size_t cols : {1, 4, 5, 12, 18}) {
        const Floats from = normals(rows * (cols + 2), random);
        Floats to = floats(cols * (rows + 1));
        transpose(from.get(), rows, cols, cols + 2, to.get(), rows + 1);
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t c = 0; c < cols; ++c)
            ASSERT_EQ(to[c * (rows + 1) + r], from[r * (cols + 2) + c]) << target;
        for (std::size_t c = 0; c < cols; ++c) ASSERT_EQ(to[c * (rows + 1) + rows], 0.0f) << target;
      }
  });
}

// A weight that has no gradient and no history stays where it is: padding stays zero.
TEST(TrainKernel, PaddingStaysZeroUnderBothOptimisers) {
  Floats zeros = floats(16), w = floats(16), m = floats(16), v = floats(16);
  AdamStep step;
  step.rate = 0.1f, step.decay = 0.5f, step.root_scale = 0.03f;
  adam(step, zeros.get(), w.get(), m.get(), v.get(), 16);
  sgd({0.5f, 0.9f, 0.1f}, zeros.get(), w.get(), m.get(), 16);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(w[i], 0.0f);
}

}  // namespace
}  // namespace humpty::net
