#include "io/tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/builders.hpp"

namespace humpty::io {
namespace {

// The value of a half by its definition, in double arithmetic.
double half_by_definition(unsigned bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double bfloat16_by_definition(unsigned bits) {
  const int exponent = bits >> 7 & 255, fraction = bits & 127;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 255) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -133);
  return sign * std::ldexp(128 + fraction, exponent - 134);
}

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(Half, EveryHalfHasItsValueAndComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    ASSERT_TRUE(same(value, half_by_definition(bits))) << bits;
    const std::uint16_t back = float_to_half(value);
    ASSERT_TRUE(std::isnan(value) ? std::isnan(half_to_float(back)) : back == bits) << bits;
  }
}

TEST(Half, EveryBfloat16HasItsValueAndComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = bfloat16_to_float(static_cast<std::uint16_t>(bits));
    ASSERT_TRUE(same(value, bfloat16_by_definition(bits))) << bits;
    const std::uint16_t back = float_to_bfloat16(value);
    ASSERT_TRUE(std::isnan(value) ? std::isnan(bfloat16_to_float(back)) : back == bits) << bits;
  }
}

// Between every two neighbours: just below the middle rounds down, the middle to the even one, just
// above it up. Halfway to the first value that does not exist lies infinity.
template <class To, class Value>
void expect_rounding_to_nearest_even(unsigned infinity, To to_bits, Value by_definition) {
  for (unsigned low = 0; low < infinity; ++low) {
    const unsigned high = low + 1;
    const double a = by_definition(low);
    const double b = high == infinity ? a + (a - by_definition(low - 1)) : by_definition(high);
    const auto middle = static_cast<float>((a + b) / 2);
    ASSERT_EQ(static_cast<double>(middle), (a + b) / 2);
    ASSERT_EQ(to_bits(std::nextafter(middle, 0.0f)), low);
    ASSERT_EQ(to_bits(middle), low % 2 == 0 ? low : high);
    ASSERT_EQ(to_bits(std::nextafter(middle, INFINITY)), high);
    ASSERT_EQ(to_bits(-middle), (low % 2 == 0 ? low : high) | 0x8000);
  }
}

TEST(Half, RoundsToNearestEven) {
  expect_rounding_to_nearest_even(0x7c00, float_to_half, half_by_definition);
  expect_rounding_to_nearest_even(0x7f80, float_to_bfloat16, bfloat16_by_definition);
}

TEST(Half, WhatIsTooLargeBecomesInfinity) {
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(Decode, KnowsEachTypeInBothByteOrders) {
  using test::le;
  const std::vector<float> expected{1.5f, -2};
  const auto decoded = [](DType dtype, const std::string& items, ByteOrder order) {
    return decode(dtype, bytes_of(items), order);
  };
  const std::string d = le(0x3ff8000000000000, 8) + le(0xc000000000000000, 8);
  const std::string f = le(0x3fc00000, 4) + le(0xc0000000, 4);
  const std::string h = le(0x3e00, 2) + le(0xc000, 2), b = le(0x3fc0, 2) + le(0xc000, 2);
  EXPECT_EQ(decoded(DType::float64, d, ByteOrder::little), expected);
  EXPECT_EQ(decoded(DType::float32, f, ByteOrder::little), expected);
  EXPECT_EQ(decoded(DType::float16, h, ByteOrder::little), expected);
  EXPECT_EQ(decoded(DType::bfloat16, b, ByteOrder::little), expected);

  const std::vector<float> backwards{-2, 1.5f};  // reversing all bytes reverses the items too
  for (const auto& [dtype, items] : {std::pair{DType::float64, d},
                                     {DType::float32, f},
                                     {DType::float16, h},
                                     {DType::bfloat16, b}}) {
    EXPECT_EQ(decoded(dtype, {items.rbegin(), items.rend()}, ByteOrder::big), backwards);
    EXPECT_EQ(encode(dtype, expected), items);
  }
}

TEST(Decode, RoundsFloat64) {
  const auto decoded = [](std::uint64_t bits) {
    return decode(DType::float64, bytes_of(test::le(bits, 8)))[0];
  };
  EXPECT_EQ(decoded(0x3ff0000010000000), 1.0f);             // 1 + 2⁻²⁴: a tie, to even
  EXPECT_EQ(decoded(0x3ff0000010000001), 1.0f + 0x1p-23f);  // just above it
  EXPECT_EQ(decoded(0x7fe0000000000000), INFINITY);         // 2¹⁰²³
  EXPECT_TRUE(std::isnan(decoded(0x7ff8000000000000)));
}

std::optional<std::vector<float>> whole(const char* type, const std::string& items,
                                        ByteOrder order = ByteOrder::little) {
  return decode(*whole_type(type), bytes_of(items), order);
}

TEST(WholeNumbers, AreTakenWhereFloat32HoldsThem) {
  using test::le;
  const auto minus = [](std::uint64_t magnitude) { return ~magnitude + 1; };
  const std::vector<float> small{0, 1, -1, 127, -128};
  for (const auto& [type, size] : {std::pair("int8", 1), {"int16", 2}, {"int32", 4}, {"int64", 8}})
    EXPECT_EQ(whole(type, le(0, size) + le(1, size) + le(minus(1), size) + le(127, size) +
                              le(minus(128), size)),
              small)
        << type;
  EXPECT_EQ(whole("uint8", le(255, 1)), std::vector<float>{255});
  EXPECT_EQ(whole("bool", le(1, 1) + le(0, 1)), (std::vector<float>{1, 0}));
  EXPECT_EQ(whole("int16", std::string("\1\2", 2), ByteOrder::big), std::vector<float>{258});
  EXPECT_EQ(whole("uint64", le(std::uint64_t{1} << 63, 8)), std::vector<float>{0x1p63f});
  EXPECT_EQ(whole("int64", le(std::uint64_t{1} << 63, 8)), std::vector<float>{-0x1p63f});
  EXPECT_EQ(whole("int32", le(1 << 24, 4)), std::vector<float>{16777216});
  EXPECT_FALSE(whole("int32", le((1 << 24) + 1, 4)));
  EXPECT_FALSE(whole("int64", le(minus((1 << 24) + 1), 8)));
  EXPECT_FALSE(whole("uint64", le(~std::uint64_t{0}, 8)));
  EXPECT_FALSE(whole_type("int24") || whole_type("float32") || whole_type(""));
}

}  // namespace
}  // namespace humpty::io
