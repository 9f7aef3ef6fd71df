// The published puzzle and the zoo: beside the checkout (../shared) or where HUMPTY_SHARED points.
// Without them a test says that it was skipped and why; with CI set, that is a failure.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace humpty::test {

inline std::filesystem::path shared_folder() {
  if (const char* given = std::getenv("HUMPTY_SHARED")) return given;
  return std::filesystem::path(HUMPTY_SOURCE_DIR).parent_path() / "shared";
}

inline std::string jane_street() { return (shared_folder() / "jane-street").string(); }
inline std::string zoo(const std::string& net) { return (shared_folder() / "zoo" / net).string(); }

}  // namespace humpty::test

#define HUMPTY_NEEDS(folder)                                                                       \
  if (!std::filesystem::exists(folder)) {                                                          \
    if (std::getenv("CI")) FAIL() << (folder) << " is missing; it must stand beside the checkout"; \
    GTEST_SKIP() << (folder)                                                                       \
                 << " is not here; put it beside the checkout or point HUMPTY_SHARED at it";       \
  }
