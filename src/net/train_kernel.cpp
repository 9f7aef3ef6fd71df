#include "net/train_kernel.hpp"

#include <algorithm>

#include "net/target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "net/train_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "net/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace humpty::net::HWY_NAMESPACE {

// Three vectors of AVX-512 are 48 features; tiles of rows come in eights.
inline constexpr std::size_t kTrainHeight = kHeight * kVectors >= 24 ? 8 : 4, kTrainVectors = 3;

struct StoreProduct {
  const float *bias, *add;
  float* c;
  std::size_t stride;

  HWY_INLINE void operator()(std::size_t m, std::size_t v, Vector sum) const {
    const Tag tag;
    const std::size_t column = v * hn::Lanes(tag), at = m * stride + column;
    if (bias) sum = hn::Add(sum, hn::LoadU(tag, bias + column));
    if (add) sum = hn::Add(hn::LoadU(tag, add + at), sum);
    hn::StoreU(sum, tag, c + at);
  }
};

// Columns `column` … + V vectors of the product; B's part of them stays in the cache.
template <std::size_t V, class A>
HWY_NOINLINE void MultiplyColumns(const Product& p, std::size_t column) {
  const std::size_t a_step = p.a_transposed ? 1 : p.a_stride;
  for (std::size_t row = 0; row < p.rows; row += kTrainHeight) {
    const std::size_t at = row * p.c_stride + column;
    TileOfHeight<kTrainHeight, V>(std::min(kTrainHeight, p.rows - row), p.depth,
                                  A{p.a + row * a_step, p.a_stride}, p.b + column, p.b_stride,
                                  StoreProduct{p.bias ? p.bias + column : nullptr,
                                               p.add ? p.add + at : nullptr, p.c + at, p.c_stride});
  }
}

template <class A>
void MultiplyAs(const Product& p) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::size_t column = 0; column < p.width; column += kTrainVectors * lanes) {
    switch (std::min(kTrainVectors, (p.width - column) / lanes)) {
      case 1:
        MultiplyColumns<1, A>(p, column);
        break;
      case 2:
        MultiplyColumns<2, A>(p, column);
        break;
      default:
        MultiplyColumns<kTrainVectors, A>(p, column);
    }
  }
}

void Multiply(const Product& p) { p.a_transposed ? MultiplyAs<ByColumn>(p) : MultiplyAs<ByRow>(p); }

// Squares of 4 × 4, the largest that every target turns with the same two shuffles.
void Transpose(const float* from, std::size_t rows, std::size_t cols, std::size_t from_stride,
               float* to, std::size_t to_stride) {
  std::size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> four;
  const hn::RepartitionToWide<decltype(four)> two;
  for (; r + 4 <= rows; r += 4) {
    std::size_t c = 0;
    for (; c + 4 <= cols; c += 4) {
      const float* at = from + r * from_stride + c;
      const auto a = hn::LoadU(four, at), b = hn::LoadU(four, at + from_stride);
      const auto e = hn::LoadU(four, at + 2 * from_stride),
                 f = hn::LoadU(four, at + 3 * from_stride);
      const auto ab_low = hn::BitCast(two, hn::InterleaveLower(four, a, b));
      const auto ab_high = hn::BitCast(two, hn::InterleaveUpper(four, a, b));
      const auto ef_low = hn::BitCast(two, hn::InterleaveLower(four, e, f));
      const auto ef_high = hn::BitCast(two, hn::InterleaveUpper(four, e, f));
      float* out = to + c * to_stride + r;
      hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, ab_low, ef_low)), four, out);
      hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, ab_low, ef_low)), four,
                 out + to_stride);
      hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, ab_high, ef_high)), four,
                 out + 2 * to_stride);
      hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, ab_high, ef_high)), four,
                 out + 3 * to_stride);
    }
    for (; c < cols; ++c)
      for (std::size_t i = r; i < r + 4; ++i) to[c * to_stride + i] = from[i * from_stride + c];
  }
#endif
  for (; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) to[c * to_stride + r] = from[r * from_stride + c];
}

void Adam(const AdamStep& step, const float* HWY_RESTRICT gradient, float* HWY_RESTRICT weights,
          float* HWY_RESTRICT first, float* HWY_RESTRICT second, std::size_t count) {
  const Tag tag;
  const auto constant = [tag](float value) HWY_ATTR { return hn::Set(tag, value); };
  const Vector shrink = constant(step.shrink), decay = constant(step.decay);
  const Vector beta1 = constant(step.beta1), keep1 = constant(step.keep1);
  const Vector beta2 = constant(step.beta2), keep2 = constant(step.keep2);
  const Vector rate = constant(step.rate), epsilon = constant(step.epsilon);
  const Vector root_scale = constant(1.0f / step.root_scale);
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const Vector w = hn::Mul(hn::LoadU(tag, weights + i), shrink);
    const Vector g = hn::MulAdd(decay, w, hn::LoadU(tag, gradient + i));
    const Vector m = hn::MulAdd(beta1, hn::LoadU(tag, first + i), hn::Mul(keep1, g));
    const Vector v = hn::MulAdd(beta2, hn::LoadU(tag, second + i), hn::Mul(hn::Mul(keep2, g), g));
    const Vector root = hn::MulAdd(hn::Sqrt(v), root_scale, epsilon);
    hn::StoreU(m, tag, first + i);
    hn::StoreU(v, tag, second + i);
    hn::StoreU(hn::NegMulAdd(rate, hn::Div(m, root), w), tag, weights + i);
  }
}

void Sgd(const SgdStep& step, const float* HWY_RESTRICT gradient, float* HWY_RESTRICT weights,
         float* HWY_RESTRICT velocity, std::size_t count) {
  const Tag tag;
  const Vector decay = hn::Set(tag, step.decay), momentum = hn::Set(tag, step.momentum);
  const Vector rate = hn::Set(tag, step.rate);
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const Vector w = hn::LoadU(tag, weights + i);
    const Vector g = hn::MulAdd(decay, w, hn::LoadU(tag, gradient + i));
    const Vector v = hn::MulAdd(momentum, hn::LoadU(tag, velocity + i), g);
    hn::StoreU(v, tag, velocity + i);
    hn::StoreU(hn::NegMulAdd(rate, v, w), tag, weights + i);
  }
}

}  // namespace humpty::net::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace humpty::net {

HUMPTY_EXPORT(Multiply);
HUMPTY_EXPORT(Transpose);
HUMPTY_EXPORT(Adam);
HUMPTY_EXPORT(Sgd);

void multiply(const Product& product) { HUMPTY_DISPATCH(Multiply)(product); }

void transpose(const float* from, std::size_t rows, std::size_t cols, std::size_t from_stride,
               float* to, std::size_t to_stride) {
  HUMPTY_DISPATCH(Transpose)(from, rows, cols, from_stride, to, to_stride);
}

void adam(const AdamStep& step, const float* g, float* w, float* first, float* second,
          std::size_t count) {
  HUMPTY_DISPATCH(Adam)(step, g, w, first, second, count);
}

void sgd(const SgdStep& step, const float* g, float* w, float* velocity, std::size_t count) {
  HUMPTY_DISPATCH(Sgd)(step, g, w, velocity, count);
}

}  // namespace humpty::net
#endif
