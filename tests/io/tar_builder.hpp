// Hand-made tar archives, written from the format's description.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace humpty::test {

inline std::string tar_member(const std::string& name, const std::string& content,
                              char type = '0') {
  std::string header = name + std::string(124 - name.size(), '\0') +
                       fmt::format("{:011o}", content.size()) + std::string(13, '\0') +
                       std::string(8, ' ') + type;
  header.resize(257);
  header += std::string("ustar\0", 6) + "00";
  header.resize(512);
  unsigned sum = 0;
  for (const unsigned char byte : header) sum += byte;
  header.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  std::string filled = content;
  filled.resize((content.size() + 511) / 512 * 512);
  return header + filled;
}

inline std::string tar_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive;
  for (const auto& [name, content] : members) archive += tar_member(name, content);
  return archive + std::string(1024, '\0');
}

}  // namespace humpty::test
