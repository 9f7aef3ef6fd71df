#include "io/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace humpty::io {
namespace {

// The same bits as another type.
template <class To, class From>
To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <class T>
T load(const std::uint8_t* at, ByteOrder order) {
  if (order == ByteOrder::little) return load_le<T>(at);
  std::uint8_t reversed[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) reversed[i] = at[sizeof(T) - 1 - i];
  return load_le<T>(reversed);
}

template <class Bits, class Convert>
void decode_each(Bytes items, ByteOrder order, std::vector<float>& values, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = convert(load<Bits>(items.data() + i * sizeof(Bits), order));
}

template <class Bits, class Convert>
void encode_each(std::span<const float> values, std::string& out, Convert convert) {
  for (const float value : values) append_le<Bits>(out, convert(value));
}

// Copied as they are, where they may be: without setting them to zero first, which takes a fifth of
// the time.
std::vector<float> decode_float32(Bytes items, ByteOrder order) {
  const std::size_t count = items.size() / sizeof(float);
  const bool aligned = reinterpret_cast<std::uintptr_t>(items.data()) % alignof(float) == 0;
  if (aligned && order == ByteOrder::little && std::endian::native == std::endian::little) {
    const auto* first = reinterpret_cast<const float*>(items.data());
    return std::vector<float>(first, first + count);
  }
  std::vector<float> values(count);
  decode_each<std::uint32_t>(items, order, values, same_bits<float, std::uint32_t>);
  return values;
}

}  // namespace

std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return "float64";
    case DType::float32:
      return "float32";
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
  }
  return "?";
}

DType dtype_named(std::string_view wanted) {
  for (const DType dtype : {DType::float64, DType::float16, DType::bfloat16})
    if (name(dtype) == wanted) return dtype;
  return DType::float32;
}

std::size_t item_size(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 8;
    case DType::float32:
      return 4;
    case DType::float16:
    case DType::bfloat16:
      return 2;
  }
  return 1;
}

std::uint64_t count_items(const std::vector<std::uint64_t>& shape, const Where& where) {
  std::uint64_t product = 1;
  std::size_t bytes = 0;  // of 32 bits in the browser
  bool overflow = false, empty = false;
  for (const std::uint64_t size : shape) {
    if (size == 0)
      empty = true;
    else
      overflow |= __builtin_mul_overflow(product, size, &product);
  }
  if (overflow || __builtin_mul_overflow(product, sizeof(double), &bytes))
    throw Error(ErrorCode::too_large, "has sizes whose product overflows", where);
  return empty ? 0 : product;
}

void check_names(std::span<const Tensor> tensors, const std::string& file) {
  std::vector<std::string_view> names;
  for (const Tensor& tensor : tensors) names.push_back(tensor.name);
  check_names(std::move(names), file);
}

void check_names(std::vector<std::string_view> names, const std::string& file) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw Error(ErrorCode::bad_format,
                fmt::format("holds two tensors called '{}'", shortened(*twice)), {.file = file});
}

std::string not_read(std::string_view tensor, std::string_view type) {
  return fmt::format("tensor '{}': {} is not read", shortened(tensor), type);
}

std::string not_exact(std::string_view tensor, std::string_view type) {
  return fmt::format("tensor '{}': {} beyond what float32 can hold is not read", shortened(tensor),
                     type);
}

std::optional<WholeType> whole_type(std::string_view wanted) {
  constexpr std::pair<std::string_view, WholeType> types[] = {
      {"int64", {8, true}},   {"int32", {4, true}},   {"int16", {2, true}},
      {"int8", {1, true}},    {"uint64", {8, false}}, {"uint32", {4, false}},
      {"uint16", {2, false}}, {"uint8", {1, false}},  {"bool", {1, false}},
  };
  for (const auto& [name, type] : types)
    if (name == wanted) return type;
  return {};
}

// As a magnitude, which is odd times a power of two: float32 holds it if the odd part is below 2²⁴.
std::optional<std::vector<float>> decode(WholeType type, Bytes items, ByteOrder order) {
  std::vector<float> values(items.size() / type.size);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(type.size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint8_t* item = items.data() + i * type.size;
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < type.size; ++b)
      bits = bits << 8 | item[order == ByteOrder::big ? b : type.size - 1 - b];
    const bool negative = type.sign && (bits << unused >> 63);
    const std::uint64_t magnitude = negative ? (std::uint64_t{0} - bits) << unused >> unused : bits;
    if (magnitude && magnitude >> std::countr_zero(magnitude) >> 24) return {};
    values[i] = static_cast<float>(magnitude) * (negative ? -1.0f : 1.0f);
  }
  return values;
}

std::vector<float> decode(DType dtype, Bytes items, ByteOrder order) {
  if (dtype == DType::float32) return decode_float32(items, order);
  std::vector<float> values(items.size() / item_size(dtype));
  switch (dtype) {
    case DType::float64:
      decode_each<std::uint64_t>(items, order, values, [](std::uint64_t bits) {
        return static_cast<float>(same_bits<double>(bits));
      });
      break;
    case DType::float32:
      break;
    case DType::float16:
      decode_each<std::uint16_t>(items, order, values, half_to_float);
      break;
    case DType::bfloat16:
      decode_each<std::uint16_t>(items, order, values, bfloat16_to_float);
      break;
  }
  return values;
}

std::string encode(DType dtype, std::span<const float> values) {
  std::string out;
  out.reserve(values.size() * item_size(dtype));
  switch (dtype) {
    case DType::float64:
      encode_each<std::uint64_t>(values, out, [](float value) {
        return same_bits<std::uint64_t>(static_cast<double>(value));
      });
      break;
    case DType::float32:
      encode_each<std::uint32_t>(values, out, same_bits<std::uint32_t, float>);
      break;
    case DType::float16:
      encode_each<std::uint16_t>(values, out, float_to_half);
      break;
    case DType::bfloat16:
      encode_each<std::uint16_t>(values, out, float_to_bfloat16);
      break;
  }
  return out;
}

// A half has 1 sign, 5 exponent (bias 15) and 10 fraction bits; a float 1, 8 (bias 127) and 23.
float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) {  // zero or subnormal: units of 2⁻²⁴
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 127 - 15;
  return same_bits<float>(sign | widened << 23 | fraction << 13);
}

// Rounds to nearest, ties to even. Below 2⁻¹⁴ the half is subnormal, in units of 2⁻²⁴; that is the
// unit of a float in [½, 1), so adding ½ makes the processor round for us.
std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = same_bits<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000)  // NaN: quiet, with what fits of its payload
    half = 0x7e00 | (magnitude >> 13 & 0x3ff);
  else if (magnitude >= 0x47800000)  // 2¹⁶ and beyond
    half = 0x7c00;
  else if (magnitude < 0x38800000)  // below 2⁻¹⁴
    half = same_bits<std::uint32_t>(std::fabs(value) + 0.5f) - same_bits<std::uint32_t>(0.5f);
  else
    half = (magnitude - ((127 - 15) << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  return static_cast<std::uint16_t>(sign | half);
}

// A bfloat16 is the upper half of a float.
float bfloat16_to_float(std::uint16_t bits) {
  return same_bits<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_bfloat16(float value) {
  const std::uint32_t bits = same_bits<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace humpty::io
