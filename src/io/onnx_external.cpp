#include "io/onnx_external.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "humpty/humpty.hpp"

namespace humpty::io {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMostRepetition = 64;  // tensors may share bytes, but not without end

[[noreturn]] void fail(ErrorCode code, const std::string& message, const std::string& file,
                       const std::string& tensor) {
  throw Error(code, message, {.file = file, .tensor = shortened(tensor)});
}

bool stays_inside(const std::string& location) {
  const fs::path path(location);
  return !location.empty() && path.is_relative() &&
         location.find_first_of(std::string_view("\\\0", 2)) == location.npos &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

bool lies_within(const fs::path& path, const fs::path& folder) {
  return !folder.empty() &&
         std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
             folder.end();
}

}  // namespace

Bytes OnnxExternal::find(const std::map<std::string, std::string>& entries, std::uint64_t size,
                         const std::string& tensor) {
  const auto number = [&](const char* key, std::uint64_t otherwise) {
    const auto entry = entries.find(key);
    if (entry == entries.end()) return otherwise;
    const char* end = entry->second.data() + entry->second.size();
    const auto [stop, error] = std::from_chars(entry->second.data(), end, otherwise);
    if (error != std::errc() || stop != end)
      fail(ErrorCode::bad_format, fmt::format("has '{}' for its {}", shortened(entry->second), key),
           file_, tensor);
    return otherwise;
  };
  const auto location = entries.find("location");
  if (location == entries.end())
    fail(ErrorCode::bad_format, "is kept in another file, but in which is not said", file_, tensor);
  const Bytes bytes = open(location->second, tensor).bytes();
  const std::uint64_t offset = number("offset", 0), length = number("length", size);
  if (length != size || offset > bytes.size() || size > bytes.size() - offset)
    fail(ErrorCode::bad_format,
         fmt::format("needs {} bytes, but is said to have {} from byte {} on of '{}', which has {}",
                     size, length, offset, shortened(location->second), bytes.size()),
         file_, tensor);
  wanted_ += size;
  if (wanted_ / kMostRepetition > held_)
    fail(ErrorCode::too_large, "is one of too many that share the same bytes", file_, tensor);
  return bytes.subspan(offset, size);
}

const File& OnnxExternal::open(const std::string& location, const std::string& tensor) {
  const auto known = files_.find(location);
  if (known != files_.end()) return known->second;
  const File& file = files_.try_emplace(location, resolve(location, tensor)).first->second;
  held_ += file.bytes().size();
  return file;
}

std::string OnnxExternal::resolve(const std::string& location, const std::string& tensor) const {
  const std::string what = fmt::format("is kept in '{}', ", shortened(location));
  if (!stays_inside(location))
    fail(ErrorCode::unsafe, what + "which may lie outside the model's folder: refused", file_,
         tensor);
  if (folder_.empty())
    fail(ErrorCode::not_found, what + "and the model's folder is not known", file_, tensor);
  std::error_code missing, ignored;
  const fs::path target = fs::canonical(fs::path(folder_) / location, missing);
  if (missing || !fs::is_regular_file(target, ignored))
    fail(ErrorCode::not_found, what + "which is no file beside the model", file_, tensor);
  if (!lies_within(target, fs::canonical(folder_, ignored)))
    fail(ErrorCode::unsafe, what + "a link that leads outside the model's folder: refused", file_,
         tensor);
  return target.string();
}

}  // namespace humpty::io
