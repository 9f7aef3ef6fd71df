// The register tile that every matrix product here is made of, compiled once per instruction set
// (Highway's foreach_target; hence the unusual guard).
//
//   C(m, n…) = Σ_k A(m, k) · B(k, n…)
//
// M values of A are broadcast, V vectors of B are loaded, M × V accumulators stay in registers. The
// idea is Goto's and every BLAS has it; the sizes here fill the register file of each target. A is
// read through two strides, so the same loop serves packed weights, rows of activations and
// transposed gradients.
#include <cstddef>

#include <hwy/highway.h>

#if defined(HUMPTY_NET_TILE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HUMPTY_NET_TILE_INL_HPP
#undef HUMPTY_NET_TILE_INL_HPP
#else
#define HUMPTY_NET_TILE_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace humpty::net::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// Accumulators, V loaded vectors and one broadcast have to fit: 32 registers or 16.
#if HWY_TARGET <= HWY_AVX3
inline constexpr std::size_t kHeight = 12, kVectors = 2;
#elif HWY_TARGET == HWY_NEON
inline constexpr std::size_t kHeight = 6, kVectors = 4;
#else
inline constexpr std::size_t kHeight = 6, kVectors = 2;
#endif

// A(m, k) of packed panels and of transposed matrices: neighbours in m are neighbours in memory.
struct ByColumn {
  const float* start;
  std::size_t stride;  // from k to k + 1
  HWY_INLINE float operator()(std::size_t m, std::size_t k) const { return start[k * stride + m]; }
};

// A(m, k) of a row-major matrix.
struct ByRow {
  const float* start;
  std::size_t stride;  // from m to m + 1
  HWY_INLINE float operator()(std::size_t m, std::size_t k) const { return start[m * stride + k]; }
};

// `finish(m, v, sum)` puts each accumulator where it belongs.
template <std::size_t M, std::size_t V, class A, class Finish>
HWY_INLINE void Tile(std::size_t depth, const A& a, const float* HWY_RESTRICT b, std::size_t stride,
                     const Finish& finish) {
  const Tag tag;
  Vector sum[M][V];
  HWY_UNROLL(16)
  for (std::size_t m = 0; m < M; ++m) {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < V; ++v) sum[m][v] = hn::Zero(tag);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    Vector loaded[V];
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < V; ++v)
      loaded[v] = hn::LoadU(tag, b + k * stride + v * hn::Lanes(tag));
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < M; ++m) {
      const Vector weight = hn::Set(tag, a(m, k));
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < V; ++v) sum[m][v] = hn::MulAdd(weight, loaded[v], sum[m][v]);
    }
  }
  HWY_UNROLL(16)
  for (std::size_t m = 0; m < M; ++m) {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < V; ++v) finish(m, v, sum[m][v]);
  }
}

// The same with the height chosen at run time, 1 ≤ height ≤ M.
template <std::size_t M, std::size_t V, class A, class Finish>
HWY_INLINE void TileOfHeight(std::size_t height, std::size_t depth, const A& a,
                             const float* HWY_RESTRICT b, std::size_t stride,
                             const Finish& finish) {
  if (height == M) return Tile<M, V>(depth, a, b, stride, finish);
  if constexpr (M > 1) TileOfHeight<M - 1, V>(height, depth, a, b, stride, finish);
}

}  // namespace humpty::net::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
