#include "io/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "io/file.hpp"
#include "io/gguf.hpp"
#include "io/gzip.hpp"
#include "io/npy.hpp"
#include "io/onnx.hpp"
#include "io/safetensors.hpp"
#include "io/tar.hpp"
#include "io/torch.hpp"
#include "io/torch_legacy.hpp"
#include "io/zip.hpp"

namespace humpty::io {
namespace {

constexpr std::size_t kLookAt = 4096;  // bytes that tell text from the rest

// Files that people try, and what to do about them.
struct Lookalike {
  std::string_view start, what;
};
constexpr std::string_view kBadDownload = "a web page, not the file: the download went wrong";
constexpr std::string_view kPacked = "a packed file: unpack it first";
constexpr std::string_view kParquet =
    "Parquet; make it CSV: python -c \"import pandas; "
    "pandas.read_parquet('FILE').to_csv('FILE.csv', index=False)\"";
constexpr std::string_view kArrow =
    "Arrow (Feather); make it CSV: python -c \"import pandas; "
    "pandas.read_feather('FILE').to_csv('FILE.csv', index=False)\"";
constexpr std::string_view kGgml = "GGML, GGUF's predecessor: convert it to GGUF";
constexpr std::array kTextLookalikes{
    Lookalike{"version https://git-lfs", "a Git LFS pointer, not the file: run git lfs pull"},
    Lookalike{"<!DOCTYPE", kBadDownload},
    Lookalike{"<html", kBadDownload},
};
constexpr std::array kLookalikes{
    Lookalike{"\xff\xfe", "UTF-16 text: save it as UTF-8"},
    Lookalike{"\x89HDF", "HDF5: save the arrays as .npz or safetensors"},
    Lookalike{"\xfd\x37zXZ", kPacked},       // xz
    Lookalike{"\x28\xb5\x2f\xfd", kPacked},  // zstd
    Lookalike{"BZh", kPacked},               // bzip2
    Lookalike{"7z\xbc\xaf", kPacked},        // 7-Zip
    Lookalike{"lmgg", kGgml},
    Lookalike{"tjgg", kGgml},
    Lookalike{"PAR1", kParquet},
    Lookalike{"ARROW1", kArrow},
    Lookalike{"FEA1", kArrow},
};

template <class List>
const Lookalike* find_start(const List& list, std::string_view text) {
  for (const Lookalike& each : list)
    if (text.starts_with(each.start)) return &each;
  return nullptr;
}

bool is_text(std::string_view start) {
  return std::none_of(start.begin(), start.end(), [](unsigned char c) {
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
  });
}

bool starts_as_object(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

Format format_of_zip(Bytes bytes, const std::string& file) {
  const Zip zip(bytes, file);
  bool npy = false, table = false;
  for (const Zip::Entry& entry : zip.entries()) {
    if (entry.name.ends_with("/data.pkl")) return Format::torch;
    npy |= entry.name.ends_with(".npy");
    table |= entry.name.ends_with(".csv") || entry.name.ends_with(".csv.gz");
  }
  return npy && !table ? Format::npz : Format::archive;
}

// Of a gzipped file the start tells.
Format format_of_gzip(Bytes bytes, const std::string& file) {
  const std::vector<std::uint8_t> start = gunzip_start(bytes, kLookAt);
  const std::string_view text = text_of(start);
  if (is_gzip(start) || text.starts_with("PK")) return Format::unknown;
  return format_of(start, file);
}

std::string looks_like(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  if (bytes.empty()) return "is empty";
  for (const Lookalike* each : {find_start(kTextLookalikes, text), find_start(kLookalikes, text)})
    if (each) return fmt::format("looks like {}", each->what);
  if (text[0] == '\x80') return "looks like a bare pickle: save the tensors with torch or numpy";
  if (text.starts_with("PK")) return "looks like a zip archive without tensors";
  if (is_tar(bytes)) return "looks like a tar archive, not like a single file";
  if (starts_as_object(text)) return "looks like JSON, but is no index of safetensors";
  if (is_text(text.substr(0, kLookAt))) return "looks like text, not like weights";
  std::string start;
  for (const std::uint8_t byte : bytes.first(std::min<std::size_t>(bytes.size(), 8)))
    start += fmt::format(" {:02x}", byte);
  return fmt::format("is of no known format: it starts with{}", start);
}

Tensors read_as(Format format, Bytes bytes, const std::string& path, Take take = Take::floats) {
  switch (format) {
    case Format::torch:
    case Format::torch_legacy:
      return read_torch(bytes, path, take);
    case Format::npy:
      return read_npy(bytes, path, take);
    case Format::npz:
      return read_npz(bytes, path, take);
    case Format::safetensors:
      return read_safetensors(bytes, path, take);
    case Format::gguf:
      return read_gguf(bytes, path);
    case Format::onnx:
      return read_onnx(bytes, path, folder_of(path));
    case Format::shards:
      return read_safetensors_index(path);
    case Format::text:
    case Format::archive:
    case Format::unknown:
      break;
  }
  throw Error(
      ErrorCode::bad_format,
      fmt::format("{} (read are PyTorch, safetensors, NumPy, ONNX and GGUF)", looks_like(bytes)),
      {.file = path});
}

// A file's bytes, as they are in it if it is gzipped.
class Source {
 public:
  Source(const std::string& path, const Opened& opened) {
    if (const auto found = opened.find(path))
      bytes_ = *found;
    else
      bytes_ = file_.emplace(path).bytes();
    if (!is_gzip(bytes_)) return;
    unpacked_ = gunzip(bytes_, path);
    bytes_ = unpacked_;
  }

  Bytes bytes() const { return bytes_; }

 private:
  std::optional<File> file_;
  std::vector<std::uint8_t> unpacked_;
  Bytes bytes_;
};

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

Arrays to_arrays(Tensors found) {
  Arrays result{found.file, {}, std::move(found.skipped)};
  for (Tensor& tensor : found.tensors) {
    const auto& shape = tensor.shape;
    if (shape.size() == 1 || shape.size() == 2)
      result.arrays.push_back(
          {tensor.name,
           to_matrix(shape[0], shape.size() == 2 ? shape[1] : 1, std::move(tensor.values)),
           tensor.whole});
    else
      result.skipped.push_back(
          not_read(tensor.name, fmt::format("an array of {} dimensions", shape.size())));
  }
  return result;
}

}  // namespace

std::string_view name(Format format) {
  switch (format) {
    case Format::torch:
      return "PyTorch";
    case Format::torch_legacy:
      return "PyTorch (before 1.6)";
    case Format::npy:
      return "NumPy .npy";
    case Format::npz:
      return "NumPy .npz";
    case Format::safetensors:
      return "safetensors";
    case Format::shards:
      return "safetensors in shards";
    case Format::onnx:
      return "ONNX";
    case Format::gguf:
      return "GGUF";
    case Format::text:
      return "text";
    case Format::archive:
      return "an archive";
    case Format::unknown:
      break;
  }
  return "unknown";
}

Format format_of(Bytes bytes, const std::string& file) {
  const std::string_view text = text_of(bytes);
  if (is_gzip(bytes)) return format_of_gzip(bytes, file);
  if (is_tar(bytes)) return Format::archive;
  if (text.starts_with("PK\3\4") || text.starts_with("PK\5\6")) return format_of_zip(bytes, file);
  if (is_npy(bytes)) return Format::npy;
  if (is_gguf(bytes)) return Format::gguf;
  if (is_legacy_torch(bytes)) return Format::torch_legacy;
  if (is_safetensors(bytes)) return Format::safetensors;
  if (is_onnx(bytes)) return Format::onnx;
  if (text.empty() || !is_text(text.substr(0, kLookAt)) || find_start(kTextLookalikes, text))
    return Format::unknown;
  return starts_as_object(text) && text.find("\"weight_map\"") != text.npos ? Format::shards
                                                                            : Format::text;
}

Format format_of(const std::string& path, const Opened& opened) {
  if (is_folder(path)) return Format::shards;
  if (const auto found = opened.find(path)) return format_of(*found, path);
  return format_of(File(path).bytes(), path);
}

Tensors read_tensors(const std::string& path, const Opened& opened) {
  if (is_folder(path)) return read_safetensors_folder(path);
  const Source source(path, opened);
  return read_as(format_of(source.bytes(), path), source.bytes(), path);
}

std::variant<Table, Arrays> read_table(const std::string& path, Threads* threads,
                                       const Opened& opened) {
  if (is_folder(path)) return to_arrays(read_safetensors_folder(path));
  const Source source(path, opened);
  const Format format = format_of(source.bytes(), path);
  if (format == Format::text) return read_csv(source.bytes(), path, threads);
  if (format != Format::archive)
    return to_arrays(read_as(format, source.bytes(), path, Take::numbers));
  Opened inside;
  const std::vector<std::string> members = inside.open(path);
  if (members.size() != 1)
    throw Error(
        ErrorCode::bad_format,
        fmt::format("is an archive of {} files; name the one with the rows", members.size()),
        {.file = path});
  return read_table(members[0], threads, inside);
}

}  // namespace humpty::io
