#include "io/tar.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "io/golden.hpp"
#include "io/hostile.hpp"
#include "io/tar_builder.hpp"
#include "io/thrown.hpp"

namespace humpty::io {
namespace {

using test::says;
using test::tar_member;
using test::tar_of;
using test::thrown_by;

std::string listing(std::string_view tar) {
  std::string all;
  for (const TarMember& member : read_tar(bytes_of(tar), "f.tar"))
    all += member.name + "=" + std::string(text_of(member.content).substr(0, 6)) + " ";
  return all;
}

// As Python's tarfile does it, less what fills its archives up to 10 KiB.
std::string trimmed_golden(const std::string& name) {
  const std::string whole = test::golden(name);
  return whole.substr(0, (whole.find_last_not_of('\0') / 512 + 3) * 512);
}

TEST(Tar, ReadsWhatPythonWrote) {
  std::string folders;
  for (int i = 0; i < 30; ++i) folders += "long/";
  for (const char* name : {"golden.tar", "golden_gnu.tar"}) {
    const std::string golden = test::golden(name);
    EXPECT_TRUE(is_tar(bytes_of(golden)));
    EXPECT_EQ(listing(golden), "net/a.txt=hello\n net/" + folders + "b.txt=xxxxxx empty= ");
    EXPECT_EQ(read_tar(bytes_of(golden), "f.tar")[1].content.size(), 600u);
  }
}

TEST(Tar, EveryPrefixIsRefused) {
  for (const char* name : {"golden.tar", "golden_gnu.tar"})
    test::expect_every_prefix_refused(trimmed_golden(name),
                                      [](Bytes bytes) { read_tar(bytes, "f.tar"); });
}

TEST(Tar, AnyByteMayBeChanged) {
  const std::string tar = tar_of({{"a", "1"}});
  EXPECT_GT(test::refusals_of_flipped_bytes(tar, [](Bytes bytes) { read_tar(bytes, "f.tar"); }),
            2000u);
}

TEST(Tar, NamesAreJustNames) {
  EXPECT_EQ(listing(tar_of({{"../../etc/passwd", "1"}, {"/root", "2"}})),
            "../../etc/passwd=1 /root=2 ");
}

TEST(Tar, PassesOverWhatIsNoFile) {
  const std::string end(1024, '\0');
  EXPECT_EQ(listing(tar_member("folder/", "", '5') + tar_member("link", "", '2') +
                    tar_member("old/", "") + tar_member("a", "1") + end),
            "a=1 ");
}

TEST(Tar, SizesMayStandInARecordBefore) {
  const std::string end(1024, '\0');
  const std::string record = "14 path=other\n10 size=3\n";
  EXPECT_EQ(listing(tar_member("pax", record, 'x') + tar_member("a", "abc") + end), "other=abc ");
  for (const char* bad :
       {"99 path=other\n", "x", "5 a=b", "0 \n", "10 size=x\n", "27 size=9999999999999999999\n"})
    EXPECT_THROW(listing(tar_member("pax", bad, 'x') + tar_member("a", "abc") + end), Error) << bad;
}

TEST(Tar, SaysWhatIsWrong) {
  const auto refusal = [](const std::string& tar) { return thrown_by([&] { listing(tar); }); };
  EXPECT_TRUE(says(refusal(tar_of({{"a", "1"}, {"a", "2"}})), "two members called 'a'"));
  EXPECT_TRUE(says(refusal(tar_member("s", "", 'S') + std::string(1024, '\0')), "sparse"));
  EXPECT_TRUE(
      says(refusal(tar_member("a", "1") + std::string(512, '\0') + tar_member("b", "2")), "lone"));
}

}  // namespace
}  // namespace humpty::io
