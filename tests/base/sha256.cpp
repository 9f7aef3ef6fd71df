#include "base/sha256.hpp"

#include <gtest/gtest.h>

namespace humpty {
namespace {

// From FIPS 180-4's examples, and lengths around the padding's edges as sha256sum gives them.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(119, 'a')),
            "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsTheSameInParts) {
  const std::string text(1000, 'x');
  for (std::size_t part : {1, 63, 64, 65, 500}) {
    Sha256 digest;
    for (std::size_t at = 0; at < text.size(); at += part)
      digest.add(std::string_view(text).substr(at, part));
    EXPECT_EQ(digest.hex(), sha256_hex(text));
  }
}

}  // namespace
}  // namespace humpty
