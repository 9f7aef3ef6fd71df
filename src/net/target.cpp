#include "net/target.hpp"

#include <atomic>
#include <bit>

#include <hwy/targets.h>

namespace humpty::net {
namespace {

// What the compiler was told to assume (on ARM that is NEON) and, on x86, what the processor and
// the operating system say they have. Highway's AVX2 also names F16C: it came a generation earlier,
// and no kernel here has half floats.
std::int64_t fit_for_this_machine() {
  std::int64_t bits = HWY_STATIC_TARGET;
#if HWY_ARCH_X86
  const bool ssse3 = __builtin_cpu_supports("ssse3");
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw");
  bits |= (ssse3 ? HWY_SSSE3 : 0) | (sse4 ? HWY_SSE4 : 0) | (avx2 ? HWY_AVX2 : 0) |
          (avx3 ? HWY_AVX3 : 0);
#endif
  return bits & HWY_TARGETS;
}

// Highway's tables start with the best target and end with the scalar one.
std::size_t place_of(std::int64_t bits) {
  const std::int64_t mask = HWY_CHOSEN_TARGET_SHIFT(bits) | HWY_CHOSEN_TARGET_MASK_SCALAR;
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(mask))) - 1;
}

std::atomic<std::size_t>& chosen() {
  static std::atomic<std::size_t> place{place_of(fit_for_this_machine())};
  return place;
}

}  // namespace

std::vector<Target> targets() {
  std::vector<Target> list;
  for (std::int64_t left = fit_for_this_machine(); left != 0; left &= left - 1)
    list.push_back({left & -left, hwy::TargetName(left & -left)});
  return list;
}

void choose_target(Target target) { chosen().store(place_of(target.bit)); }

std::size_t target_place() { return chosen().load(std::memory_order_relaxed); }

}  // namespace humpty::net
