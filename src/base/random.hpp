// Random numbers that are the same with every compiler and standard library, which
// <random>'s distributions are not. The generator is xoshiro256++ (Blackman and Vigna 2019), its
// state filled by splitmix64.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace humpty {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = split_mix(seed);
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0], state_[3] ^= state_[1];
    state_[1] ^= state_[2], state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // 0 … count − 1, each equally likely: numbers in the incomplete last run are thrown away.
  std::size_t index(std::size_t count) {
    const std::uint64_t n = count, usable = UINT64_MAX - UINT64_MAX % n;
    for (;;)
      if (const std::uint64_t b = bits(); b < usable) return static_cast<std::size_t>(b % n);
  }

  // Standard normal, by Marsaglia's polar method.
  double normal() {
    if (spare_) return spare_ = false, spare_value_;
    for (;;) {
      const double u = uniform(-1, 1), v = uniform(-1, 1), s = u * u + v * v;
      if (s >= 1 || s == 0) continue;
      const double scale = std::sqrt(-2 * std::log(s) / s);
      spare_ = true, spare_value_ = v * scale;
      return u * scale;
    }
  }

  // Fisher–Yates.
  template <class List>
  void shuffle(List& list) {
    for (std::size_t left = list.size(); left > 1; --left)
      std::swap(list[left - 1], list[index(left)]);
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
  static std::uint64_t split_mix(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
  bool spare_ = false;
  double spare_value_ = 0;
};

}  // namespace humpty
