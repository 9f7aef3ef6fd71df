#include "peak.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "net/target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace humpty::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve independent chains hide the latency of two units; returns the flops done.
double Chains(std::size_t rounds, float* out) {
  const hn::ScalableTag<float> tag;
  constexpr std::size_t kChains = 12;
  hn::Vec<hn::ScalableTag<float>> sum[kChains];
  for (std::size_t i = 0; i < kChains; ++i) sum[i] = hn::Iota(tag, static_cast<float>(i));
  const auto a = hn::Set(tag, out[0]), b = hn::Set(tag, out[1]);
  for (std::size_t round = 0; round < rounds; ++round) {
    HWY_UNROLL(12)
    for (std::size_t i = 0; i < kChains; ++i) sum[i] = hn::MulAdd(sum[i], a, b);
  }
  for (std::size_t i = 1; i < kChains; ++i) sum[0] = hn::Add(sum[0], sum[i]);
  hn::StoreU(sum[0], tag, out);
  return 2.0 * static_cast<double>(rounds * kChains * hn::Lanes(tag));
}

}  // namespace humpty::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace humpty::bench {

HUMPTY_EXPORT(Chains);

double fma_peak(unsigned threads) {
  constexpr std::size_t kRounds = 100'000, kJobs = 10;  // small ones: a late thread misses few
  Threads pool(threads);
  double best = 0;
  for (int run = 0; run < 40; ++run) {
    std::vector<double> flops(threads * kJobs);
    const auto start = std::chrono::steady_clock::now();
    pool.run(flops.size(), [&](std::size_t job, unsigned) {
      float out[64] = {0.999f, 0.001f};
      flops[job] = HUMPTY_DISPATCH(Chains)(kRounds, out);
      volatile float keep = out[0];
      (void)keep;
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    double sum = 0;
    for (const double f : flops) sum += f;
    best = std::max(best, sum / took.count() * 1e-9);
  }
  return best;
}

}  // namespace humpty::bench
#endif
