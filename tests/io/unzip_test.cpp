#include "io/unzip.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/builders.hpp"
#include "io/file.hpp"
#include "io/temp_folder.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

using test::says;
using test::thrown_by;
using test::zip_of;

constexpr std::uint64_t kLimit = 1 << 20;

std::string content(const std::string& path) {
  const File file(path);
  return std::string(text_of(file.bytes()));
}

TEST(Unzip, GivesTheFilesInTheirFolders) {
  const test::TempFolder folder;
  const std::string to = folder.path() + "/new";
  const auto paths =
      unzip(bytes_of(zip_of({{.name = "net/"},
                             {.name = "net/pieces/piece_0.pth", .content = "zero"},
                             {.name = "data.csv", .content = "a,b", .deflated = true}})),
            "a.zip", to, kLimit);
  EXPECT_EQ(paths, (std::vector<std::string>{to + "/net/pieces/piece_0.pth", to + "/data.csv"}));
  EXPECT_EQ(content(paths[0]), "zero");
  EXPECT_EQ(content(paths[1]), "a,b");
}

TEST(Unzip, LeavesOutWhatSystemsAdd) {
  const test::TempFolder folder;
  const auto paths = unzip(
      bytes_of(zip_of({{.name = "__MACOSX/._a.csv"}, {.name = ".DS_Store"}, {.name = "a.csv"}})),
      "a.zip", folder.path(), kLimit);
  EXPECT_EQ(paths, std::vector<std::string>{folder.path() + "/a.csv"});
}

TEST(Unzip, NothingLandsOutsideTheFolder) {
  for (const char* name : {"../a.csv", "pieces/../../a.csv", "/tmp/a.csv", "..\\a.csv"}) {
    const test::TempFolder folder;
    const std::string to = folder.path() + "/in";
    const std::string archive = zip_of({{.name = "sound"}, {.name = name, .content = "x"}});
    const Error error = thrown_by([&] { unzip(bytes_of(archive), "a.zip", to, kLimit); });
    EXPECT_EQ(error.code(), ErrorCode::unsafe) << error.what();
    EXPECT_FALSE(std::filesystem::exists(to)) << name;
  }
}

TEST(Unzip, RefusesMoreThanTheLimitBeforeItWrites) {
  const test::TempFolder folder;
  const std::string half(kLimit / 2 + 1, 'x');
  const std::string archive = zip_of({{.name = "a", .content = half, .deflated = true},
                                      {.name = "b", .content = half, .deflated = true}});
  const Error error =
      thrown_by([&] { unzip(bytes_of(archive), "a.zip", folder.path() + "/in", kLimit); });
  EXPECT_TRUE(says(error, "more than 1 MB when unpacked")) << error.what();
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/in"));
}

}  // namespace
}  // namespace humpty::io
