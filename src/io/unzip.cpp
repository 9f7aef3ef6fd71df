#include "io/unzip.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/zip.hpp"

namespace humpty::io {
namespace {

namespace fs = std::filesystem;

bool stays_inside(std::string_view name) {
  const fs::path path(name);
  if (path.is_absolute() || name.find('\\') != name.npos || name.find('\0') != name.npos)
    return false;
  for (const fs::path& part : path)
    if (part == "..") return false;
  return true;
}

std::vector<const Zip::Entry*> wanted_entries(const Zip& zip, const std::string& file,
                                              std::uint64_t limit) {
  std::vector<const Zip::Entry*> wanted;
  std::uint64_t total = 0;
  for (const Zip::Entry& entry : zip.entries()) {
    if (!stays_inside(entry.name))
      throw Error(ErrorCode::unsafe,
                  fmt::format("entry '{}' names a place outside the archive's folder",
                              shortened(entry.name)),
                  {.file = file, .offset = entry.header});
    if (!is_wanted(entry.name)) continue;
    if (__builtin_add_overflow(total, entry.size, &total) || total > limit)
      throw Error(ErrorCode::too_large,
                  fmt::format("holds more than {} MB when unpacked", limit >> 20), {.file = file});
    wanted.push_back(&entry);
  }
  return wanted;
}

}  // namespace

bool is_wanted(std::string_view name) {
  const fs::path path(name);
  if (!path.has_filename()) return false;  // a folder: "pieces/"
  for (const fs::path& part : path)
    if (part == "__MACOSX" || (part != "." && part != ".." && part.string().starts_with('.')))
      return false;
  return true;
}

std::vector<std::string> unzip(Bytes archive, const std::string& file, const std::string& folder,
                               std::uint64_t limit) {
  const Zip zip(archive, file);
  std::vector<std::string> paths;
  for (const Zip::Entry* entry : wanted_entries(zip, file, limit)) {
    const fs::path path = fs::path(folder) / fs::path(entry->name);
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed)
      throw Error(ErrorCode::not_writable, failed.message(), {.file = path.parent_path().string()});
    write_file(path.string(), text_of(zip.read(*entry, limit).bytes()));
    paths.push_back(path.string());
  }
  return paths;
}

}  // namespace humpty::io
