// The published puzzle and the zoo: beside the checkout (../shared) or where HUMPTY_SHARED points.
// Without them a test says that it was skipped and why; with CI set, that is a failure.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace humpty::test {

inline std::filesystem::path shared_folder() {
  if (const char* given = std::getenv("HUMPTY_SHARED")) return given;
  return std::filesystem::path(HUMPTY_SOURCE_DIR).parent_path() / "shared";
}

inline std::string jane_street() { return (shared_folder() / "jane-street").string(); }
inline std::string zoo(const std::string& net) { return (shared_folder() / "zoo" / net).string(); }

// Of the published answer.
inline constexpr const char* kSha256 =
    "093be1cf2d24094db903cbc3e8d33d306ebca49c6accaa264e44b0b675e7d9c4";

// The order that a folder's answer.json keeps.
inline std::vector<int> true_order(const std::string& folder) {
  const auto answer = nlohmann::json::parse(std::ifstream(folder + "/answer.json"));
  std::istringstream text(answer["permutation"].get<std::string>());
  std::vector<int> ids;
  for (std::string id; std::getline(text, id, ',');) ids.push_back(std::stoi(id));
  return ids;
}

}  // namespace humpty::test

#define HUMPTY_NEEDS(folder)                                                                       \
  if (!std::filesystem::exists(folder)) {                                                          \
    if (std::getenv("CI")) FAIL() << (folder) << " is missing; it must stand beside the checkout"; \
    GTEST_SKIP() << (folder)                                                                       \
                 << " is not here; put it beside the checkout or point HUMPTY_SHARED at it";       \
  }
