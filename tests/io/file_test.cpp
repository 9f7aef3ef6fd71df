#include "io/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "io/temp_folder.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

namespace fs = std::filesystem;
using test::says;
using test::thrown_by;

class FileTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  test::TempFolder folder_;
};

TEST_F(FileTest, ReadsAnySizeReadOrMapped) {
  for (const std::size_t size :
       {0ul, 1ul, 15ul, 4095ul, 4096ul, 4097ul, 1ul << 20, (1ul << 20) + 1}) {
    std::string expected(size, 'x');
    for (std::size_t i = 0; i < size; ++i) expected[i] = static_cast<char>(i * 7);
    std::ofstream(path("a"), std::ios::binary) << expected;
    const File file(path("a"));
    EXPECT_EQ(text_of(file.bytes()), expected) << size;
  }
}

TEST_F(FileTest, ReadsAPipeToItsEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string expected(100000, 'p');
  if (::fork() == 0) {
    std::ofstream(path("pipe")) << expected;
    ::_exit(0);
  }
  const File file(path("pipe"));
  EXPECT_EQ(text_of(file.bytes()), expected);
}

TEST_F(FileTest, SaysWhyItCannotBeRead) {
  const Error missing = thrown_by([&] { File file(path("missing")); });
  EXPECT_EQ(missing.code(), ErrorCode::not_found);
  EXPECT_EQ(missing.where().file, path("missing"));
  EXPECT_EQ(thrown_by([&] { File file(path("missing/deeper")); }).code(), ErrorCode::not_found);
  const Error folder = thrown_by([&] { File file(folder_.path()); });
  EXPECT_EQ(folder.code(), ErrorCode::unreadable);
  EXPECT_TRUE(says(folder, "directory")) << folder.what();
  EXPECT_EQ(thrown_by([&] { File file("/dev/zero"); }).code(), ErrorCode::unreadable);
}

TEST_F(FileTest, WritesNewAndOldFiles) {
  write_file(path("a"), "first");
  EXPECT_EQ(content(path("a")), "first");
  write_file(path("a"), std::string(100000, 'b'));
  EXPECT_EQ(content(path("a")), std::string(100000, 'b'));
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileTest, WritesThroughALinkWithoutReplacingIt) {
  write_file(path("target"), "old");
  fs::create_symlink(path("target"), path("link"));
  write_file(path("link"), "new");
  EXPECT_EQ(content(path("target")), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(FileTest, LeavesTheOldFileAndNothingElseWhenTheDiskIsFull) {
  write_file(path("a"), "old");
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{}, small{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Error error = thrown_by([&] { write_file(path("a"), std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(error.code(), ErrorCode::not_writable);
  EXPECT_EQ(error.where().file, path("a"));
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileTest, SaysWhyItCannotBeWritten) {
  const Error full = thrown_by([] { write_file("/dev/full", "x"); });
  EXPECT_EQ(full.code(), ErrorCode::not_writable);
  EXPECT_TRUE(says(full, "No space left")) << full.what();
  EXPECT_TRUE(fs::is_character_file("/dev/full"));  // written to, not renamed over
  EXPECT_EQ(thrown_by([&] { write_file(folder_.path(), "x"); }).code(), ErrorCode::not_writable);
  EXPECT_EQ(thrown_by([&] { write_file(path("no/such/folder"), "x"); }).code(),
            ErrorCode::not_writable);
}

}  // namespace
}  // namespace humpty::io
