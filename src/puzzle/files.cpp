#include "puzzle/files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "humpty/humpty.hpp"

namespace humpty::puzzle {
namespace fs = std::filesystem;
namespace {

// What a folder is searched for. A file that is named is read whatever it is called.
constexpr std::initializer_list<const char*> kPieces = {".pth", ".pt",  ".bin",  ".safetensors",
                                                        ".npz", ".npy", ".onnx", ".gguf"};

bool has_extension(const fs::path& path, std::initializer_list<const char*> wanted) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return std::find(wanted.begin(), wanted.end(), extension) != wanted.end();
}

void add_folder(const fs::path& folder, Files& files) {
  std::error_code failed;
  const fs::path inner = fs::is_directory(folder / "pieces") ? folder / "pieces" : folder;
  for (const fs::path& where : {inner, folder}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(where, failed)) {
      const fs::path& path = entry.path();
      if (path.filename().string().starts_with('.') || entry.is_directory()) continue;
      if (where == inner && has_extension(path, kPieces)) files.pieces.push_back(path.string());
      if (where == folder && has_extension(path, {".csv"})) files.data.push_back(path.string());
    }
    if (failed) throw Error(ErrorCode::unreadable, failed.message(), {.file = where.string()});
    if (inner == folder) break;
  }
}

}  // namespace

Files find_files(const std::vector<std::string>& paths) {
  Files files;
  for (const std::string& path : paths) {
    if (!fs::exists(path))
      throw Error(ErrorCode::not_found, "there is no such file or folder", {.file = path});
    if (fs::is_directory(path)) {
      const std::size_t before = files.pieces.size();
      add_folder(path, files);
      if (files.pieces.size() == before) files.barren.push_back(path);
    } else {
      (has_extension(path, {".csv"}) ? files.data : files.pieces).push_back(path);
    }
  }
  return files;
}

std::string choose_data(const Files& files, const std::string& wanted) {
  if (!wanted.empty()) {
    if (!fs::exists(wanted))
      throw Error(ErrorCode::not_found, "there is no such data file", {.file = wanted});
    return wanted;
  }
  if (files.data.empty())
    throw Error(ErrorCode::bad_data,
                "no data: there is no .csv beside the pieces; name the file with --data");
  if (files.data.size() > 1) {
    std::vector<std::string> sorted = files.data;
    std::sort(sorted.begin(), sorted.end());
    throw Error(ErrorCode::bad_data, fmt::format("several .csv files ({}); choose one with --data",
                                                 fmt::join(sorted, ", ")));
  }
  return files.data[0];
}

}  // namespace humpty::puzzle
