// The names that a PyTorch pickle may hold: the types of items and the functions that rebuild
// tensors. Together they are the allow-list.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "io/tensor.hpp"

namespace humpty::io {

struct ItemType {
  std::string_view storage, dtype;  // dotted names; later dtypes have no storage class
  std::size_t size;
  std::optional<DType> floats;

  std::string_view word() const { return dtype.substr(sizeof "torch." - 1); }
};

inline constexpr std::array kItemTypes{
    ItemType{"torch.DoubleStorage", "torch.float64", 8, DType::float64},
    ItemType{"torch.FloatStorage", "torch.float32", 4, DType::float32},
    ItemType{"torch.HalfStorage", "torch.float16", 2, DType::float16},
    ItemType{"torch.BFloat16Storage", "torch.bfloat16", 2, DType::bfloat16},
    ItemType{"torch.LongStorage", "torch.int64", 8, {}},
    ItemType{"torch.IntStorage", "torch.int32", 4, {}},
    ItemType{"torch.ShortStorage", "torch.int16", 2, {}},
    ItemType{"torch.CharStorage", "torch.int8", 1, {}},
    ItemType{"torch.ByteStorage", "torch.uint8", 1, {}},
    ItemType{"torch.BoolStorage", "torch.bool", 1, {}},
    ItemType{"torch.ComplexDoubleStorage", "torch.complex128", 16, {}},
    ItemType{"torch.ComplexFloatStorage", "torch.complex64", 8, {}},
    ItemType{"", "torch.complex32", 4, {}},
    ItemType{"", "torch.uint64", 8, {}},
    ItemType{"", "torch.uint32", 4, {}},
    ItemType{"", "torch.uint16", 2, {}},
    ItemType{"", "torch.float8_e4m3fn", 1, {}},
    ItemType{"", "torch.float8_e4m3fnuz", 1, {}},
    ItemType{"", "torch.float8_e5m2", 1, {}},
    ItemType{"", "torch.float8_e5m2fnuz", 1, {}},
};

inline constexpr std::string_view kRebuild = "torch._utils._rebuild_tensor";
inline constexpr std::string_view kRebuild2 = "torch._utils._rebuild_tensor_v2";
inline constexpr std::string_view kRebuild3 = "torch._utils._rebuild_tensor_v3";
inline constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";
inline constexpr std::string_view kUntyped = "torch.storage.UntypedStorage";
inline constexpr std::array<std::string_view, 7> kOtherNames{
    kRebuild, kRebuild2, kRebuild3, kParameter, kUntyped, "torch.Size", "torch.device"};

// What TorchScript puts around lists and dicts; its own classes all start with this prefix.
inline constexpr std::string_view kRestoreTypeTag = "torch.jit._pickle.restore_type_tag";
inline constexpr std::string_view kBuildTensorList = "torch.jit._pickle.build_tensorlist";
inline constexpr std::array<std::string_view, 5> kScriptNames{
    kRestoreTypeTag, kBuildTensorList, "torch.jit._pickle.build_intlist",
    "torch.jit._pickle.build_doublelist", "torch.jit._pickle.build_boollist"};
inline constexpr std::string_view kScriptClasses = "__torch__.";

inline constexpr auto kAllowed = [] {
  constexpr std::size_t total = 2 * kItemTypes.size() + kOtherNames.size() + kScriptNames.size();
  std::array<std::string_view, total> names{};
  std::size_t count = 0;
  for (const ItemType& type : kItemTypes) {
    names[count++] = type.storage;
    names[count++] = type.dtype;
  }
  for (const std::string_view name : kOtherNames) names[count++] = name;
  for (const std::string_view name : kScriptNames) names[count++] = name;
  return names;
}();

}  // namespace humpty::io
