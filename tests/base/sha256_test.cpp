#include "base/sha256.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"

namespace hallmark {
namespace {

// FIPS 180-2, appendix B.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, FilesHashLikeTheirBytes) {
  const TemporaryFolder folder;
  write_file(folder.path() + "/f", std::string_view("a\0b", 3));
  EXPECT_EQ(sha256_file(folder.path() + "/f"), sha256_hex(std::string_view("a\0b", 3)));
  EXPECT_THROW(sha256_file(folder.path() + "/none"), UserError);
}

}  // namespace
}  // namespace hallmark
