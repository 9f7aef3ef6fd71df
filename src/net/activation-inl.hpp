// The activations and their derivatives on vectors, compiled once per instruction set.
//
// Values are good to about one unit in the last place of max(1, |result|): the verifier recomputes
// nets in float64 and expects to find no more than float32's own rounding. Exp and Tanh are
// Highway's.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "humpty/humpty.hpp"

#if defined(HUMPTY_NET_ACTIVATION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HUMPTY_NET_ACTIVATION_INL_HPP
#undef HUMPTY_NET_ACTIVATION_INL_HPP
#else
#define HUMPTY_NET_ACTIVATION_INL_HPP
#endif

#include "net/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace humpty::net::HWY_NAMESPACE {

HWY_INLINE Vector Constant(float value) { return hn::Set(Tag(), value); }

HWY_INLINE Vector Clamp(Vector x, float limit) {
  return hn::Max(hn::Min(x, Constant(limit)), Constant(-limit));
}

// σ(x) = 1 / (1 + e^−x) and 1 − σ(x), the latter without cancellation. Beyond ±88 the exponential
// leaves float32.
struct Logistic {
  Vector value, rest;
};

HWY_INLINE Logistic Sigmoid(Vector x) {
  const Vector one = Constant(1.0f);
  const Vector e = hn::Exp(Tag(), hn::Neg(Clamp(x, 88.0f)));
  const Vector value = hn::Div(one, hn::Add(one, e));
  return {value, hn::Mul(e, value)};
}

// The normal distribution function, from 2Φ(−|x|) = exp(q(|x|) − x²/2). What is left in the
// exponent once the Gaussian is taken out grows like a logarithm, and a polynomial without constant
// term holds it (fitted here on [0, 8], minimax for the error of x·Φ(x): 4e-9). One formula for all
// x, no cancellation in the left tail, and no branch as the usual piecewise erf has.
HWY_INLINE Vector NormalCdf(Vector x) {
  const Vector size = hn::Min(hn::Abs(x), Constant(8.0f));
  Vector q = Constant(-2.0309611770130687e-08f);
  for (const float c :
       {6.191202714944666e-07f, -7.940558134578168e-06f, 5.4989934142213315e-05f,
        -1.9959792552981526e-04f, 8.174309186870232e-06f, 4.810425918549299e-03f,
        -3.634963929653168e-02f, 1.8169334530830383e-01f, -7.978848218917847e-01f, 0.0f})
    q = hn::MulAdd(q, size, Constant(c));
  const Vector half_square = hn::Mul(hn::Mul(x, x), Constant(0.5f));
  const Vector tail = hn::Mul(Constant(0.5f), hn::Exp(Tag(), hn::Sub(q, half_square)));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(Tag())), tail, hn::Sub(Constant(1.0f), tail));
}

HWY_INLINE Vector NormalDensity(Vector x) {
  const Vector exponent = hn::Mul(hn::Mul(x, x), Constant(-0.5f));
  return hn::Mul(Constant(0.3989422804014327f), hn::Exp(Tag(), exponent));
}

// gelu-tanh is x·(1 + tanh u)/2 = x·σ(2u) with 2u = 2√(2/π)·(x + 0.044715 x³).
inline constexpr float kGeluSlope = 1.5957691216057308f, kGeluCubic = 0.044715f;

HWY_INLINE Logistic GeluTanhGate(Vector x) {
  const Vector cubic = hn::MulAdd(hn::Mul(x, x), Constant(kGeluCubic), Constant(1.0f));
  return Sigmoid(hn::Mul(hn::Mul(x, Constant(kGeluSlope)), cubic));
}

// x times its gate. The gate stops closing at −88, so x stops there too: −1e38 must not come
// through.
HWY_INLINE Vector Gated(Vector x, Vector gate) {
  const Vector least = Constant(-88.0f);
  return hn::Mul(hn::IfThenElse(hn::Lt(x, least), least, x), gate);
}

template <Activation kind>
HWY_INLINE Vector Act(Vector x) {
  const Vector zero = hn::Zero(Tag());
  if constexpr (kind == Activation::relu) return hn::IfThenZeroElse(hn::Lt(x, zero), x);
  if constexpr (kind == Activation::leaky)
    return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(x, Constant(0.01f)), x);
  if constexpr (kind == Activation::gelu) return hn::Mul(x, NormalCdf(x));
  if constexpr (kind == Activation::gelu_tanh) return Gated(x, GeluTanhGate(x).value);
  if constexpr (kind == Activation::silu) return Gated(x, Sigmoid(x).value);
  if constexpr (kind == Activation::tanh) return hn::Tanh(Tag(), x);
  return x;
}

// The derivative at x; at the kink of relu and leaky that of the left side, as in PyTorch.
template <Activation kind>
HWY_INLINE Vector Slope(Vector x) {
  const Vector zero = hn::Zero(Tag()), one = Constant(1.0f);
  if constexpr (kind == Activation::relu) return hn::IfThenElseZero(hn::Gt(x, zero), one);
  if constexpr (kind == Activation::leaky)
    return hn::IfThenElse(hn::Gt(x, zero), one, Constant(0.01f));
  if constexpr (kind == Activation::gelu)
    return hn::MulAdd(Clamp(x, 20.0f), NormalDensity(x), NormalCdf(x));
  if constexpr (kind == Activation::gelu_tanh) {
    // Beyond ±20 the gate is flat; unclamped, x³ would overflow.
    const Vector c = Clamp(x, 20.0f);
    const Logistic gate = GeluTanhGate(c);
    const Vector inner = hn::MulAdd(hn::Mul(c, c), Constant(3 * kGeluCubic), one);
    const Vector bend = hn::Mul(hn::Mul(hn::Mul(c, Constant(kGeluSlope)), inner), gate.rest);
    return hn::MulAdd(gate.value, bend, gate.value);
  }
  if constexpr (kind == Activation::silu) {
    const Vector c = Clamp(x, 88.0f);
    const Logistic gate = Sigmoid(c);
    return hn::MulAdd(gate.value, hn::Mul(c, gate.rest), gate.value);
  }
  if constexpr (kind == Activation::tanh) {
    const Vector t = hn::Tanh(Tag(), x);
    return hn::NegMulAdd(t, t, one);
  }
  return one;
}

// Calls work.Run<kind>() for the kind known only at run time.
template <class Work>
HWY_INLINE void WithActivation(Activation kind, const Work& work) {
  switch (kind) {
    case Activation::relu:
      return work.template Run<Activation::relu>();
    case Activation::leaky:
      return work.template Run<Activation::leaky>();
    case Activation::gelu:
      return work.template Run<Activation::gelu>();
    case Activation::gelu_tanh:
      return work.template Run<Activation::gelu_tanh>();
    case Activation::silu:
      return work.template Run<Activation::silu>();
    case Activation::tanh:
      return work.template Run<Activation::tanh>();
    case Activation::identity:
      return work.template Run<Activation::identity>();
  }
}

}  // namespace humpty::net::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
