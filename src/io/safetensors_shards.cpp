#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "humpty/humpty.hpp"
#include "io/file.hpp"
#include "io/json_events.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_header.hpp"

// The index of a model in shards is JSON:
//   {"metadata": {…}, "weight_map": {"a.weight": "model-00001-of-00002.safetensors", …}}
// It is taken for a promise of what is there and for the list of files to look into. Where a tensor
// really is, the shards' own headers say, so a wrong or missing index costs nothing but a word.
namespace humpty::io {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kExtension = ".safetensors", kIndexExtension = ".safetensors.index.json";
constexpr int kMostNesting = 32;  // in the index's metadata

using Promises = std::map<std::string, std::string>;  // tensor → shard

class IndexEvents : public JsonEvents {
 public:
  IndexEvents(const std::string& file, Promises& promises)
      : JsonEvents(file, "the index", 0), promises_(promises) {}

  bool key(string_t& key) override {
    if (depth_ == 1) in_map_ = key == "weight_map";
    key_ = std::move(key);
    return true;
  }
  bool start_object(std::size_t) override { return enter("an object"); }
  bool start_array(std::size_t) override {
    return depth_ > 0 ? enter("an array") : value("an array");
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool string(string_t& text) override {
    if (depth_ == 2 && in_map_ && !promises_.emplace(key_, text).second)
      fail(fmt::format("names tensor '{}' twice", shortened(key_)));
    return depth_ > 0;
  }
  bool null() override { return value("null"); }
  bool boolean(bool) override { return value("true or false"); }
  bool number_integer(number_integer_t) override { return value("a number"); }
  bool number_unsigned(number_unsigned_t) override { return value("a number"); }
  bool number_float(number_float_t, const string_t&) override { return value("a number"); }

 private:
  // Everything but the map of tensors is passed over.
  bool value(std::string_view what) const {
    if (depth_ == 0 || in_map_) refuse(what);
    return true;
  }
  bool enter(std::string_view what) {
    if (depth_ >= (in_map_ ? 2 : kMostNesting)) refuse(what);
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }
  std::string place() const override { return in_map_ ? "weight_map" : "metadata"; }

  Promises& promises_;
  int depth_ = 0;
  bool in_map_ = false;
  std::string key_;
};

// A shard is a file in the index's own folder, whatever the index says. It may be a link, which is
// how download caches keep them: it was put there by whoever owns the folder.
void check_shard_name(const std::string& shard, const std::string& file) {
  if (shard.find_first_of(std::string_view("/\\\0", 3)) != shard.npos || shard == ".." ||
      !shard.ends_with(kExtension))
    throw Error(ErrorCode::unsafe,
                fmt::format("names '{}' as a shard, which is no safetensors file of this folder",
                            shortened(shard)),
                {.file = file});
}

std::vector<std::string> files_in(const fs::path& folder, std::string_view extension) {
  std::error_code failed, ignored;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(extension) && !name.starts_with('.') && !entry->is_directory(ignored))
      names.push_back(std::move(name));
  }
  if (failed) throw Error(ErrorCode::unreadable, failed.message(), {.file = folder.string()});
  std::sort(names.begin(), names.end());
  return names;
}

// Names as "model-00002-of-00007.safetensors" say how many there are.
void check_complete(const fs::path& folder, const std::vector<std::string>& shards) {
  const std::set<std::string_view> present(shards.begin(), shards.end());
  for (const std::string& shard : shards) {
    const std::size_t of = shard.rfind("-of-");
    if (of == shard.npos || of < 6 || shard[of - 6] != '-') continue;
    std::size_t count = 0;
    const char* digits = shard.data() + of + 4;
    const auto [stop, error] = std::from_chars(digits, digits + 5, count);
    if (error != std::errc() || stop != digits + 5) continue;
    for (std::size_t number = 1; number <= count; ++number) {
      const std::string wanted = fmt::format("{}{:05}{}", shard.substr(0, of - 5), number,
                                             std::string_view(shard).substr(of));
      if (!present.contains(wanted))
        throw Error(ErrorCode::not_found, fmt::format("a shard is missing: {}", shortened(wanted)),
                    {.file = folder.string()});
    }
    return;
  }
}

// Reads the shards one behind another; each tensor may be in one only.
class ShardReader {
 public:
  ShardReader(std::string file, fs::path folder) : folder_(std::move(folder)) {
    result_.file = std::move(file);
  }

  void read_all(const std::vector<std::string>& shards) {
    for (const std::string& shard : shards) read(shard);
  }

  // All that the folder has, after the index turned out to be of no use.
  void read_whatever_there_is(const std::string& why) {
    const std::vector<std::string> shards = files_in(folder_, kExtension);
    if (shards.empty()) throw Error(ErrorCode::bad_format, why, {.file = result_.file});
    check_complete(folder_, shards);
    read_all(shards);
  }

  void check(const Promises& promises) const {
    for (const auto& [tensor, shard] : promises)
      if (!found_.contains(tensor))
        throw Error(ErrorCode::not_found,
                    fmt::format("tensor '{}' should be in '{}', but is in none of the shards",
                                shortened(tensor), shortened(shard)),
                    {.file = result_.file});
  }

  Tensors finish(const std::string& word = "") && {
    if (!word.empty()) result_.skipped.push_back(word);
    return std::move(result_);
  }

 private:
  void read(const std::string& shard) {
    const std::string path = (folder_ / shard).string();
    const File file(path);
    SafetensorsHeader header = read_safetensors_header(file.bytes(), path);
    for (const auto& entry : header.entries) {
      const auto [known, added] = found_.emplace(entry.name, shard);
      if (!added)
        throw Error(ErrorCode::bad_format,
                    fmt::format("tensor '{}' is in '{}' as well: these are no shards of one model",
                                shortened(entry.name), shortened(known->second)),
                    {.file = path});
    }
    Tensors tensors = load(std::move(header), path);
    std::move(tensors.tensors.begin(), tensors.tensors.end(), std::back_inserter(result_.tensors));
    std::move(tensors.skipped.begin(), tensors.skipped.end(), std::back_inserter(result_.skipped));
    result_.metadata.merge(tensors.metadata);
  }

  fs::path folder_;
  std::map<std::string, std::string> found_;  // tensor → shard
  Tensors result_;
};

}  // namespace

Promises read_weight_map(Bytes bytes, const std::string& file) {
  Promises promises;
  IndexEvents(file, promises).parse(text_of(bytes));
  if (promises.empty())
    throw Error(ErrorCode::bad_format, "the index has no weight_map", {.file = file});
  for (const auto& [tensor, shard] : promises) check_shard_name(shard, file);
  return promises;
}

Tensors read_safetensors_index(const std::string& path) {
  const fs::path folder = folder_of(path);
  ShardReader reader(path, folder);
  Promises promises;
  std::string obstacle;
  std::set<std::string> shards;
  try {
    promises = read_weight_map(File(path).bytes(), path);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_format) throw;
    obstacle = error.message();
  }
  for (const auto& [tensor, shard] : promises) {
    shards.insert(shard);
    std::error_code ignored;
    if (!fs::exists(folder / shard, ignored))
      obstacle = fmt::format("'{}' is missing", shortened(shard));
  }
  if (obstacle.empty())
    reader.read_all({shards.begin(), shards.end()});
  else
    reader.read_whatever_there_is(obstacle);
  reader.check(promises);
  const std::string name = fs::path(path).filename().string();
  return std::move(reader).finish(
      obstacle.empty() ? "" : fmt::format("index '{}': not used, {}", shortened(name), obstacle));
}

Tensors read_safetensors_folder(const std::string& folder) {
  std::vector<std::string> indexes = files_in(folder, kIndexExtension);
  const std::string usual = fmt::format("model{}", kIndexExtension);
  if (std::find(indexes.begin(), indexes.end(), usual) != indexes.end()) indexes = {usual};
  if (indexes.size() == 1) return read_safetensors_index((fs::path(folder) / indexes[0]).string());
  ShardReader reader(folder, folder);
  reader.read_whatever_there_is("is a folder without safetensors files");
  return std::move(reader).finish();
}

}  // namespace humpty::io
