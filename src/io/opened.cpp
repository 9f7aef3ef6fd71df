#include "io/opened.hpp"

#include "humpty/humpty.hpp"
#include "io/gzip.hpp"
#include "io/inflate.hpp"
#include "io/tar.hpp"
#include "io/unzip.hpp"

namespace humpty::io {

std::vector<std::string> Opened::open(const std::string& archive) {
  Bytes bytes = files_.emplace_back(std::make_unique<File>(archive))->bytes();
  if (is_gzip(bytes)) bytes = contents_.emplace_back(gunzip(bytes, archive)).bytes();
  std::vector<std::string> paths;
  const auto take = [&](std::string_view name, Content content) {
    paths.push_back(archive + "/" + std::string(name));
    add(paths.back(), std::move(content));
  };
  if (is_tar(bytes)) {
    for (TarMember& member : read_tar(bytes, archive))
      if (is_wanted(member.name)) take(member.name, Content(member.content));
    return paths;
  }
  const Zip zip(bytes, archive);
  std::uint64_t left = most_inflated(bytes.size());
  for (const Zip::Entry& entry : zip.entries()) {
    if (!is_wanted(entry.name)) continue;
    Content content = zip.read(entry, entry.stored() ? entry.size : left);
    if (!entry.stored()) left -= content.bytes().size();
    take(entry.name, std::move(content));
  }
  return paths;
}

void Opened::hold(const std::string& path) {
  add(path, Content(files_.emplace_back(std::make_unique<File>(path))->bytes()));
}

std::optional<Bytes> Opened::find(const std::string& path) const {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return {};
  return found->second;
}

void Opened::add(const std::string& path, Content content) {
  by_path_[path] = contents_.emplace_back(std::move(content)).bytes();
}

}  // namespace humpty::io
