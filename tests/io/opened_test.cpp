#include "io/opened.hpp"

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"
#include "io/builders.hpp"
#include "io/read.hpp"
#include "io/tar_builder.hpp"
#include "io/temp_folder.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

using test::TempFolder;
using test::thrown_by;
using test::zip_of;

TEST(Opened, GivesMembersByPathsThatGoOnBehindTheArchives) {
  const TempFolder folder;
  const std::string path = folder.write(
      "a.zip", zip_of({{.name = "x/one", .content = "1"}, {.name = "two", .content = "22"}}));
  Opened opened;
  EXPECT_EQ(opened.open(path), (std::vector<std::string>{path + "/x/one", path + "/two"}));
  EXPECT_EQ(text_of(*opened.find(path + "/two")), "22");
  EXPECT_FALSE(opened.find(path) || opened.find("two"));
}

TEST(Opened, EveryPrefixIsRefused) {
  const TempFolder folder;
  const std::string whole = zip_of({{.name = "a", .content = "some text", .deflated = true}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(Opened().open(folder.write("a", whole.substr(0, size))), Error) << size;
}

TEST(Opened, BombsAreRefused) {
  const TempFolder folder;
  const std::string bomb = zip_of(
      {{.name = "a", .content = std::string(1 << 20, '\0'), .deflated = true, .size = 80 << 20}});
  EXPECT_THROW(Opened().open(folder.write("bomb.zip", bomb)), Error);
}

TEST(Opened, OverlappingEntriesAreRefused) {
  const TempFolder folder;
  const std::string zip =
      zip_of({{.name = "a", .content = "1"}, {.name = "a", .content = "1", .header = 0}});
  EXPECT_THROW(Opened().open(folder.write("a.zip", zip)), Error);
}

TEST(Opened, AnArchiveOfOneTableIsThatTable) {
  const TempFolder folder;
  const std::string one = folder.write("a.tar", test::tar_of({{"t.csv", "a,b\n1,2\n"}}));
  EXPECT_EQ(std::get<Table>(read_table(one)).values.values, (std::vector<float>{1, 2}));
  const std::string two = folder.write("b.tar", test::tar_of({{"t", "a\n1\n"}, {"u", "a\n1\n"}}));
  EXPECT_TRUE(test::says(thrown_by([&] { read_table(two); }), "an archive of 2 files"));
}

}  // namespace
}  // namespace humpty::io
