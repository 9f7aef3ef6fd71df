// Written out here, sixty lines, because the only other use of a cryptography library would be to
// start the program more slowly and to keep it out of the browser.
#include "base/sha256.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace humpty {
namespace {

using Words = std::array<std::uint32_t, 64>;
using State = std::array<std::uint32_t, 8>;

// The standard's constants: the first 32 bits of the fractional parts of the square roots of the
// first 8 primes, and of the cube roots of the first 64.
struct Constants {
  State start{};
  Words round{};
  Constants() {
    for (unsigned candidate = 2, found = 0; found < 64; ++candidate) {
      bool prime = true;
      for (unsigned k = 2; k * k <= candidate; ++k) prime = prime && candidate % k != 0;
      if (!prime) continue;
      if (found < 8) start[found] = fraction(std::sqrt(static_cast<long double>(candidate)));
      round[found++] = fraction(std::cbrt(static_cast<long double>(candidate)));
    }
  }
  static std::uint32_t fraction(long double root) {
    return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
  }
};

constexpr std::size_t kChunk = 64;

const Constants& constants() {
  static const Constants once;
  return once;
}

void digest_chunk(const char* text, State& state) {
  using std::rotr;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text);
  const Words& round = constants().round;
  Words w{};
  for (int i = 0; i < 16; ++i)
    w[i] = std::uint32_t{bytes[4 * i]} << 24 | std::uint32_t{bytes[4 * i + 1]} << 16 |
           std::uint32_t{bytes[4 * i + 2]} << 8 | std::uint32_t{bytes[4 * i + 3]};
  for (int i = 16; i < 64; ++i)
    w[i] = w[i - 16] + w[i - 7] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
           (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
  auto [a, b, c, d, e, f, g, h] = state;
#pragma GCC unroll 8  // the eight variables change places: unrolled, none is moved
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t t1 =
        h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + round[i] + w[i];
    const std::uint32_t t2 =
        (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State mixed{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state[i] += mixed[i];
}

}  // namespace

Sha256::Sha256() : state_(constants().start) {}

void Sha256::add(std::string_view part) {
  bytes_ += part.size();
  if (!pending_.empty()) {
    const std::size_t some = std::min(part.size(), kChunk - pending_.size());
    pending_ += part.substr(0, some);
    part.remove_prefix(some);
    if (pending_.size() < kChunk) return;
    digest_chunk(pending_.data(), state_);
  }
  for (; part.size() >= kChunk; part.remove_prefix(kChunk)) digest_chunk(part.data(), state_);
  pending_ = part;
}

std::string Sha256::hex() {
  const std::uint64_t bits = bytes_ * 8;
  std::string end(1, static_cast<char>(0x80));
  end.append((2 * kChunk - 8 - 1 - bytes_ % kChunk) % kChunk, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xff);
  add(end);
  std::string hex;
  for (std::uint32_t word : state_) hex += fmt::format("{:08x}", word);
  return hex;
}

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

}  // namespace humpty
