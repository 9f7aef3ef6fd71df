#include "net/kernel.hpp"

#include "net/net.hpp"
#include "net/target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "net/kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "net/activation-inl.hpp"
#include "net/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace humpty::net::HWY_NAMESPACE {

template <Finish kind>
struct StoreTile {
  const float* HWY_RESTRICT bias;
  const float* add;
  float* y;

  HWY_INLINE void operator()(std::size_t m, std::size_t v, Vector sum) const {
    const Tag tag;
    const std::size_t at = m * kTileRows + v * hn::Lanes(tag);
    Vector value = hn::Add(sum, hn::Set(tag, bias[m]));
    if constexpr (kind == Finish::relu) value = Act<Activation::relu>(value);
    if constexpr (kind == Finish::add) value = hn::Add(hn::LoadU(tag, add + at), value);
    hn::StoreU(value, tag, y + at);
  }
};

// One panel: `height` outputs of which `stride` lie together in the packed weights.
template <Finish kind>
HWY_NOINLINE void Strip(std::size_t height, std::size_t depth, ByColumn weights, const float* x,
                        StoreTile<kind> store) {
  const std::size_t step = kVectors * hn::Lanes(Tag());
  for (std::size_t row = 0; row < kTileRows; row += step) {
    const float* add = kind == Finish::add ? store.add + row : nullptr;
    TileOfHeight<kHeight, kVectors>(height, depth, weights, x + row, kTileRows,
                                    StoreTile<kind>{store.bias, add, store.y + row});
  }
}

template <Finish kind>
void ApplyAs(const Panels& layer, const float* x, const float* add, float* y) {
  for (std::size_t panel = 0; panel < layer.count(); ++panel) {
    const std::size_t first = layer.first(panel), end = layer.first(panel + 1);
    const std::size_t stride = end - first, strips = (stride + kHeight - 1) / kHeight;
    for (std::size_t strip = 0; strip < strips; ++strip) {
      const std::size_t from = first + stride * strip / strips;
      const std::size_t to = first + stride * (strip + 1) / strips;
      const ByColumn weights{layer.weights + first * layer.in + (from - first), stride};
      const std::size_t at = from * kTileRows;
      Strip<kind>(to - from, layer.in, weights, x,
                  {layer.bias + from, kind == Finish::add ? add + at : nullptr, y + at});
    }
  }
}

void Apply(const Panels& layer, Finish finish, const float* x, const float* add, float* y) {
  switch (finish) {
    case Finish::plain:
      return ApplyAs<Finish::plain>(layer, x, add, y);
    case Finish::relu:
      return ApplyAs<Finish::relu>(layer, x, add, y);
    case Finish::add:
      return ApplyAs<Finish::add>(layer, x, add, y);
  }
}

struct ActivateWork {
  const float* x;
  float* y;
  std::size_t count;

  template <Activation kind>
  void Run() const {
    const Tag tag;
    for (std::size_t i = 0; i < count; i += hn::Lanes(tag))
      hn::StoreU(Act<kind>(hn::LoadU(tag, x + i)), tag, y + i);
  }
};

void Activate(Activation activation, const float* x, float* y, std::size_t count) {
  WithActivation(activation, ActivateWork{x, y, count});
}

struct SlopeWork {
  const float *x, *g;
  float* y;
  std::size_t count;

  template <Activation kind>
  void Run() const {
    const Tag tag;
    for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
      const Vector slope = Slope<kind>(hn::LoadU(tag, x + i));
      hn::StoreU(hn::Mul(hn::LoadU(tag, g + i), slope), tag, y + i);
    }
  }
};

void TimesSlope(Activation activation, const float* x, const float* g, float* y,
                std::size_t count) {
  WithActivation(activation, SlopeWork{x, g, y, count});
}

void AddScaled(float factor, const float* x, float* y, std::size_t count) {
  const Tag tag;
  const Vector scale = hn::Set(tag, factor);
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag))
    hn::StoreU(hn::MulAdd(scale, hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), tag, y + i);
}

void AddDots(const float* a, const float* b, std::size_t units, float* sums) {
  const Tag tag;
  for (std::size_t r = 0; r < kTileRows; r += hn::Lanes(tag)) {
    Vector even = hn::LoadU(tag, sums + r), odd = hn::Zero(tag);
    std::size_t k = r;
    const std::size_t end = units * kTileRows, last = end - (units % 2) * kTileRows;
    for (; k < last; k += 2 * kTileRows) {
      even = hn::MulAdd(hn::LoadU(tag, a + k), hn::LoadU(tag, b + k), even);
      odd = hn::MulAdd(hn::LoadU(tag, a + k + kTileRows), hn::LoadU(tag, b + k + kTileRows), odd);
    }
    if (k < end) even = hn::MulAdd(hn::LoadU(tag, a + k), hn::LoadU(tag, b + k), even);
    hn::StoreU(hn::Add(even, odd), tag, sums + r);
  }
}

}  // namespace humpty::net::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace humpty::net {

HUMPTY_EXPORT(Apply);
HUMPTY_EXPORT(Activate);
HUMPTY_EXPORT(TimesSlope);
HUMPTY_EXPORT(AddScaled);
HUMPTY_EXPORT(AddDots);

void apply(const Panels& layer, Finish finish, const float* x, const float* add, float* y) {
  HUMPTY_DISPATCH(Apply)(layer, finish, x, add, y);
}

void activate(Activation activation, const float* x, float* y, std::size_t count) {
  HUMPTY_DISPATCH(Activate)(activation, x, y, count);
}

void times_slope(Activation activation, const float* x, const float* g, float* y,
                 std::size_t count) {
  HUMPTY_DISPATCH(TimesSlope)(activation, x, g, y, count);
}

void add_scaled(float factor, const float* x, float* y, std::size_t count) {
  HUMPTY_DISPATCH(AddScaled)(factor, x, y, count);
}

void add_dots(const float* a, const float* b, std::size_t units, float* sums) {
  HUMPTY_DISPATCH(AddDots)(a, b, units, sums);
}

}  // namespace humpty::net
#endif
