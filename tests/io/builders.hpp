// Hand-made files for the tests of readers: zips that may lie, pickles, whole .pth files. Written
// from the formats' descriptions and sharing nothing with src/io.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace humpty::test {

// The `size` lowest bytes of a number, lowest first.
std::string le(std::uint64_t number, int size);
std::string unhex(std::string_view digits);
std::string floats(const std::vector<float>& values);  // little-endian float32

// ------------------------------------------------------------------------------------------- zips

// Everything but name and content is for lying or for rarities.
struct ZipEntry {
  std::string name = {}, content = {};
  bool deflated = false;
  std::uint16_t flags = 0;
  std::optional<std::uint16_t> method = {};
  std::optional<std::uint32_t> size = {}, packed = {}, crc = {};  // as the directory says
  std::optional<std::uint32_t> local_size = {};                   // as the entry's own header says
  std::optional<std::uint32_t> header = {};  // where the directory says it starts
  bool zip64 = false;                        // sizes and offset in zip64 fields
};

// By zlib, without its header; `strategy` is zlib's.
std::string deflate_raw(const std::string& content, int level = 9, int strategy = 0);
std::string zip_of(const std::vector<ZipEntry>& entries, bool zip64_end = false);

// ---------------------------------------------------------------------------------------- pickles

std::string global(std::string_view module, std::string_view name);
std::string text(std::string_view text);
std::string integer(std::uint64_t value);
std::string tuple(const std::vector<std::uint64_t>& values);
std::string pickle(std::string_view opcodes);  // with protocol and stop

struct PickledTensor {
  std::string name = "weight";
  std::vector<std::uint64_t> shape = {}, strides = {};  // no strides: row-major
  std::uint64_t items = 0;                              // of the storage
  std::uint64_t offset = 0;
  std::string key = "0";
  std::string storage = "FloatStorage";
  std::string device = "cpu";
};

std::string pickle_of_tensor(const PickledTensor& tensor);  // opcodes that leave it on the stack
std::string pickle_of_dict(const std::vector<PickledTensor>& tensors);  // a whole pickle

// ------------------------------------------------------------------------------------- .pth files

// A .pth with this pickle and these storages, data/0, data/1, ….
std::string pth_of(const std::string& pickle, const std::vector<std::string>& storages = {});

// A sound one: `weight` (2 × 3) holds 1 … 6, `bias` (2) holds 7 and 8.
std::string small_pth();

// A .pth whose pickle would call module.name("true").
std::string pth_that_calls(std::string_view module, std::string_view name);

}  // namespace humpty::test
