#include "puzzle/files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "humpty/humpty.hpp"
#include "io/read.hpp"

namespace humpty::puzzle {
namespace fs = std::filesystem;
namespace {

// A folder holds files of all sorts. Those that are called like weights are meant to be weights,
// whatever is in them; of those whose name says nothing the content tells; backups and notes are
// left alone.
constexpr std::initializer_list<const char*> kWeights = {".pth", ".pt",  ".bin",  ".safetensors",
                                                         ".npz", ".npy", ".onnx", ".gguf"};
constexpr const char* kIndex = ".safetensors.index.json";

bool has_extension(const fs::path& path, std::initializer_list<const char*> wanted) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return std::find(wanted.begin(), wanted.end(), extension) != wanted.end();
}

// What it is by its content. A pipe can be read only once, so it is not looked into.
io::Format format_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return io::Format::unknown;
  try {
    return io::format_of(path.string());
  } catch (const Error&) {
    return io::Format::unknown;  // whoever reads it will say why
  }
}

bool is_table(const fs::path& path) {
  return has_extension(path, {".csv"}) ||
         (!has_extension(path, kWeights) && format_of(path) == io::Format::text);
}

bool holds_tensors(const fs::path& path) {
  if (has_extension(path, kWeights)) return true;
  if (!path.extension().empty() && !has_extension(path, {".dat", ".ckpt", ".weights", ".model"}))
    return false;
  const io::Format format = format_of(path);
  return format != io::Format::text && format != io::Format::unknown;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return !b.empty() && fs::equivalent(a, b, ignored);
}

std::vector<std::string> list(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    if (!entry.path().filename().string().starts_with('.') && !entry.is_directory())
      files.push_back(entry.path().string());
  if (failed) throw Error(ErrorCode::unreadable, failed.message(), {.file = folder.string()});
  std::sort(files.begin(), files.end());
  return files;
}

// The index of shards stands for them.
void replace_shards(std::vector<std::string>& pieces, const std::vector<std::string>& all) {
  const auto index = std::find_if(all.begin(), all.end(),
                                  [](const std::string& file) { return file.ends_with(kIndex); });
  if (index == all.end()) return;
  std::erase_if(pieces, [](const std::string& file) { return file.ends_with(".safetensors"); });
  pieces.push_back(*index);
}

void add_folder(const fs::path& folder, const std::string& data, Files& files) {
  const bool published = fs::is_directory(folder / "pieces");
  const std::vector<std::string> outer = list(folder);
  const std::vector<std::string> inner = published ? list(folder / "pieces") : outer;
  std::vector<std::string> pieces;
  for (const std::string& file : inner)
    if (!same_file(file, data) && holds_tensors(file)) pieces.push_back(file);
  replace_shards(pieces, inner);
  if (pieces.empty()) files.barren.push_back(folder.string());
  files.pieces.insert(files.pieces.end(), pieces.begin(), pieces.end());
  for (const std::string& file : outer) {
    if (has_extension(file, {".csv"}))
      files.data.push_back(file);
    else if (published && holds_tensors(file))
      files.maybe_data.push_back(file);
  }
}

}  // namespace

Files find_files(const std::vector<std::string>& paths, const std::string& data) {
  Files files;
  for (const std::string& path : paths) {
    if (!fs::exists(path))
      throw Error(ErrorCode::not_found, "there is no such file or folder", {.file = path});
    if (fs::is_directory(path))
      add_folder(path, data, files);
    else if (is_table(path))
      files.data.push_back(path);
    else if (!same_file(path, data))
      files.pieces.push_back(path);
  }
  return files;
}

void check_pieces(const Files& files) {
  if (!files.barren.empty())
    throw Error(
        ErrorCode::not_found,
        "no pieces here: no .pth, .safetensors, .npz, … in the folder or in its folder 'pieces'",
        {.file = files.barren[0]});
  if (files.pieces.empty())
    throw Error(ErrorCode::not_found, "no pieces: name a folder or files of pieces");
}

std::string choose_data(const Files& files, const std::string& wanted) {
  if (!wanted.empty()) {
    if (!fs::exists(wanted))
      throw Error(ErrorCode::not_found, "there is no such data file", {.file = wanted});
    return wanted;
  }
  const std::vector<std::string>& found = files.data.empty() ? files.maybe_data : files.data;
  if (found.empty())
    throw Error(ErrorCode::bad_data,
                "no data: there is no .csv beside the pieces; name the file with --data");
  if (found.size() > 1)
    throw Error(ErrorCode::bad_data,
                fmt::format("several {} ({}); choose one with --data",
                            files.data.empty() ? "files that may be the data" : ".csv files",
                            fmt::join(found, ", ")));
  return found[0];
}

}  // namespace humpty::puzzle
