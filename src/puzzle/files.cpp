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

// "rows.csv", "rows.csv.gz"
bool is_called_table(const fs::path& path) {
  return has_extension(has_extension(path, {".gz"}) ? path.stem() : path, {".csv", ".tsv"});
}

// What it is by its content. A pipe can be read only once, so it is not looked into.
io::Format format_of(const fs::path& path, const io::Opened& opened) {
  std::error_code ignored;
  if (!opened.find(path.string()) && !fs::is_regular_file(path, ignored))
    return io::Format::unknown;
  try {
    return io::format_of(path.string(), opened);
  } catch (const Error&) {
    return io::Format::unknown;  // whoever reads it will say why
  }
}

bool holds_tensors(const fs::path& path, const io::Opened& opened) {
  if (has_extension(path, kWeights)) return true;
  if (!path.extension().empty() && !has_extension(path, {".dat", ".ckpt", ".weights", ".model"}))
    return false;
  const io::Format format = format_of(path, opened);
  return format != io::Format::text && format != io::Format::archive &&
         format != io::Format::unknown;
}

bool is_one_of(const std::string& file, const std::vector<std::string>& others) {
  return std::any_of(others.begin(), others.end(), [&](const std::string& other) {
    std::error_code ignored;
    return !other.empty() && (file == other || fs::equivalent(file, other, ignored));
  });
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

// The files of a folder or an archive: those with pieces, and those beside them.
struct Listing {
  std::string place;
  bool published;  // pieces are in a folder of that name
  std::vector<std::string> inner, outer;
};

Listing list_folder(const fs::path& folder) {
  const bool published = fs::is_directory(folder / "pieces");
  const std::vector<std::string> outer = list(folder);
  return {folder.string(), published, published ? list(folder / "pieces") : outer, outer};
}

Listing list_archive(const std::string& archive, io::Opened& opened) {
  Listing listing{archive, false, {}, {}};
  for (const std::string& member : opened.open(archive))
    (fs::path(member).parent_path().filename() == "pieces" ? listing.inner : listing.outer)
        .push_back(member);
  listing.published = !listing.inner.empty();
  if (!listing.published) listing.inner = listing.outer;
  return listing;
}

void add(const Listing& listing, const std::vector<std::string>& others, Files& files) {
  std::vector<std::string> pieces;
  for (const std::string& file : listing.inner)
    if (!is_one_of(file, others) && holds_tensors(file, files.opened)) pieces.push_back(file);
  replace_shards(pieces, listing.inner);
  if (pieces.empty()) files.barren.push_back(listing.place);
  files.pieces.insert(files.pieces.end(), pieces.begin(), pieces.end());
  for (const std::string& file : listing.outer) {
    if (is_called_table(file))
      files.data.push_back(file);
    else if (listing.published && holds_tensors(file, files.opened))
      files.maybe_data.push_back(file);
  }
}

void add_file(const std::string& path, const std::vector<std::string>& others, Files& files) {
  if (is_called_table(path)) return files.data.push_back(path);
  const io::Format format = format_of(path, files.opened);
  if (!has_extension(path, kWeights) && format == io::Format::text)
    files.data.push_back(path);
  else if (is_one_of(path, others))
    return;
  else if (format == io::Format::archive)
    add(list_archive(path, files.opened), others, files);
  else
    files.pieces.push_back(path);
}

// Whoever names the folder `pieces` itself means the rows beside it.
void look_one_level_up(const std::vector<std::string>& paths, Files& files) {
  std::error_code ignored;
  for (const std::string& path : paths) {
    const fs::path folder = fs::canonical(path, ignored);
    if (!fs::is_directory(path, ignored) || folder.filename() != "pieces") continue;
    for (const std::string& file : list(folder.parent_path()))
      if (is_called_table(file)) files.data.push_back(file);
  }
}

// What is no regular file, a pipe or standard input, can be read only once.
void hold(const std::string& path, io::Opened& opened) {
  std::error_code ignored;
  if (path == "-" || fs::is_fifo(path, ignored)) opened.hold(path);
}

}  // namespace

Files find_files(const std::vector<std::string>& paths, const std::string& data,
                 const std::string& target) {
  Files files;
  for (const std::string& path : paths) {
    if (!fs::exists(path))
      throw Error(ErrorCode::not_found, "there is no such file or folder", {.file = path});
    if (fs::is_directory(path))
      add(list_folder(path), {data, target}, files);
    else
      add_file(path, {data, target}, files);
  }
  if (files.data.empty() && files.maybe_data.empty() && data.empty())
    look_one_level_up(paths, files);
  hold(data, files.opened);
  if (target != data) hold(target, files.opened);
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
    if (!files.opened.find(wanted) && !fs::exists(wanted))
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
