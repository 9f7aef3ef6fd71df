// The verifier's own network: a plain chain of layers, run in float32 or float64.
//
// Deliberately written a second time. The search's kernels (src/net) decide what to look at; this
// code decides what to believe, so it shares nothing with them: other layout, other loops, other
// precision. It is meant to be read in one go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "humpty/humpty.hpp"

namespace humpty::verifier {

// Rows go through the chain in groups of kRows, a lane each: x (d, kRows). Several groups at a time
// share one look at a block's weights, which do not fit the first-level cache.
template <typename Real>
inline constexpr std::size_t kRows = 64 / sizeof(Real);

template <typename T>
struct Dense {
  std::size_t out = 0, in = 0;
  std::vector<T> weight, bias;  // (out, in) and (out)
};

// y (out, kRows) = W · x + b, or += where `add`, of one group: x (in, kRows).
template <typename Real>
void affine(const Dense<Real>& layer, const Real* x, Real* y, bool add);

template <typename Real>
void activate(Activation activation, std::vector<Real>& values);

// The number format that weights and every layer's outputs are rounded to. `as_is`: none but Real.
enum class Format { as_is, float16, bfloat16 };

// The nearest number of the format; ties to even.
float rounded(float value, Format format);

// Real = float or double.
template <typename Real>
class Chain {
 public:
  // `permutation`: in, out, in, out, …, head; the puzzle's stem, if it has one, goes without
  // saying. The threads are only asked whether to stop.
  Chain(const Puzzle& puzzle, const std::vector<int>& permutation, const Threads& threads,
        Format format = Format::as_is);

  std::size_t blocks() const { return in_.size(); }
  std::size_t d() const { return head_.in; }
  std::size_t o() const { return head_.out; }

  std::size_t hidden(std::size_t block) const { return in_[block].out; }
  const Dense<Real>& in(std::size_t block) const { return in_[block]; }
  const Dense<Real>& out(std::size_t block) const { return out_[block]; }
  Activation activation() const { return activation_; }
  double flops_per_row() const;
  // How many groups to take through a block at a time: `most`, or fewer where a block is so wide
  // that nobody would look at the clock for long.
  std::size_t groups_at_once(std::size_t block, std::size_t most) const {
    constexpr std::size_t kMostProducts = std::size_t{1} << 26;
    const std::size_t one = 2 * d() * hidden(block) * kRows<Real>;
    return std::clamp<std::size_t>(kMostProducts / one, 1, most);
  }

  // The stream as it starts: the features, or what the stem makes of them. x[f · stride].
  void enter(const float* features, Real* x, std::size_t stride) const;
  // x (groups, d, kRows) → x + W_out · act(W_in · x + b_in) + b_out, in place, with the W_in of
  // block `in` and the W_out of block `out`, which are as wide as each other.
  void step(std::size_t in, std::size_t out, Real* x, std::size_t groups) const;
  // The same for one vector of d values side by side.
  void step_one(std::size_t in, std::size_t out, Real* x) const;
  // y (groups, o, kRows) = W_head · x + b_head, and softmax of that where the target is such.
  void head(const Real* x, Real* y, std::size_t groups) const;

 private:
  std::vector<Dense<Real>> in_, out_;
  Dense<Real> head_;
  std::optional<Dense<Real>> stem_;
  Activation activation_;
  bool probabilities_;
  Format format_;
};

extern template class Chain<float>;
extern template class Chain<double>;

}  // namespace humpty::verifier
