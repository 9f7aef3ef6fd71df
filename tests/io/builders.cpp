#include "io/builders.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>

namespace humpty::test {

std::string deflate_raw(const std::string& content, int level, int strategy) {
  std::string packed(compressBound(content.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, -15, 9, strategy);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string le(std::uint64_t number, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(i < 8 ? number >> 8 * i & 0xff : 0);
  return bytes;
}

std::string unhex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

std::string floats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    bytes += le(bits, 4);
  }
  return bytes;
}

std::string zip_of(const std::vector<ZipEntry>& entries, bool zip64_end) {
  std::string archive, directory;
  for (const ZipEntry& entry : entries) {
    const std::string body = entry.deflated ? deflate_raw(entry.content) : entry.content;
    const auto crc =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()),
                                         static_cast<uInt>(entry.content.size())));
    const std::uint64_t size = entry.size.value_or(entry.content.size());
    const std::uint64_t packed = entry.packed.value_or(body.size());
    const std::uint64_t local = entry.local_size.value_or(size);
    const std::uint64_t header = entry.header.value_or(archive.size());
    const auto or64 = [&](std::uint64_t n) { return le(entry.zip64 ? 0xffffffff : n, 4); };
    const std::string extra_local =
        entry.zip64 ? le(1, 2) + le(16, 2) + le(local, 8) + le(packed, 8) : "";
    const std::string extra =
        entry.zip64 ? le(1, 2) + le(24, 2) + le(size, 8) + le(packed, 8) + le(header, 8) : "";
    const std::string start = le(20, 2) + le(entry.flags, 2) +
                              le(entry.method.value_or(entry.deflated ? 8 : 0), 2) + le(0, 4) +
                              le(entry.crc.value_or(crc), 4) + or64(packed);
    archive += "PK\3\4" + start + or64(local) + le(entry.name.size(), 2) +
               le(extra_local.size(), 2) + entry.name + extra_local + body;
    directory += "PK\1\2" + le(20, 2) + start + or64(size) + le(entry.name.size(), 2) +
                 le(extra.size(), 2) + le(0, 10) + or64(header) + entry.name + extra;
  }
  const std::uint64_t at = archive.size(), count = entries.size();
  archive += directory;
  if (zip64_end) {
    const std::uint64_t record = archive.size();
    archive += "PK\6\6" + le(44, 8) + le(45, 2) + le(45, 2) + le(0, 8) + le(count, 8) +
               le(count, 8) + le(directory.size(), 8) + le(at, 8);
    archive += "PK\6\7" + le(0, 4) + le(record, 8) + le(1, 4);
    return archive + "PK\5\6" + le(0, 4) + le(0xffff, 2) + le(0xffff, 2) + le(0xffffffff, 4) +
           le(0xffffffff, 4) + le(0, 2);
  }
  return archive + "PK\5\6" + le(0, 4) + le(count, 2) + le(count, 2) + le(directory.size(), 4) +
         le(at, 4) + le(0, 2);
}

std::string global(std::string_view module, std::string_view name) {
  return fmt::format("c{}\n{}\n", module, name);
}

std::string text(std::string_view text) { return fmt::format("X{}{}", le(text.size(), 4), text); }

std::string integer(std::uint64_t value) {
  if (value < 256) return fmt::format("K{}", le(value, 1));
  return fmt::format("\x8a\x09{}{}", le(value, 8), '\0');
}

std::string tuple(const std::vector<std::uint64_t>& values) {
  std::string bytes = "(";
  for (const std::uint64_t value : values) bytes += integer(value);
  return bytes + "t";
}

std::string pickle(std::string_view opcodes) { return "\x80\x02" + std::string(opcodes) + "."; }

std::string pickle_of_tensor(const PickledTensor& tensor) {
  std::vector<std::uint64_t> strides = tensor.strides;
  if (strides.empty()) {
    strides.resize(tensor.shape.size(), 1);
    for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * tensor.shape[d];
  }
  return global("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") +
         global("torch", tensor.storage) + text(tensor.key) + text(tensor.device) +
         integer(tensor.items) + "tQ" + integer(tensor.offset) + tuple(tensor.shape) +
         tuple(strides) + "\x89" + global("collections", "OrderedDict") + ")RtR";
}

std::string pickle_of_dict(const std::vector<PickledTensor>& tensors) {
  std::string opcodes = global("collections", "OrderedDict") + ")R(";
  for (const PickledTensor& tensor : tensors)
    opcodes += text(tensor.name) + pickle_of_tensor(tensor);
  return pickle(opcodes + "u");
}

std::string pth_of(const std::string& pickle, const std::vector<std::string>& storages) {
  std::vector<ZipEntry> entries{{.name = "archive/data.pkl", .content = pickle}};
  for (std::size_t i = 0; i < storages.size(); ++i)
    entries.push_back({.name = "archive/data/" + std::to_string(i), .content = storages[i]});
  entries.push_back({.name = "archive/version", .content = "3\n"});
  return zip_of(entries);
}

std::string small_pth() {
  return pth_of(pickle_of_dict({{.name = "weight", .shape = {2, 3}, .items = 6},
                                {.name = "bias", .shape = {2}, .items = 2, .key = "1"}}),
                {floats({1, 2, 3, 4, 5, 6}), floats({7, 8})});
}

std::string pth_that_calls(std::string_view module, std::string_view name) {
  return pth_of(pickle(global(module, name) + "(" + text("true") + "tR"));
}

}  // namespace humpty::test
