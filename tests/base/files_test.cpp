#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/bounded_file.h"
#include "base/error.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Files, RoundTripsAllBytes) {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  write_file(folder.path() + "/f", bytes);
  EXPECT_EQ(read_file(folder.path() + "/f"), bytes);
  write_file(folder.path() + "/f", "");
  EXPECT_EQ(read_file(folder.path() + "/f"), "");
  EXPECT_EQ(entries(folder.path()), 1u);  // no temporary file stays behind
}

TEST(Files, ErrorsAreUserErrors) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_file(folder.path() + "/none"), UserError);
  EXPECT_THROW(read_file(folder.path()), UserError);
  EXPECT_THROW(write_file(folder.path() + "/none/f", "x"), UserError);
}

TEST(Files, AFailedWriteKeepsTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/f";
  fs::create_directory(path);  // rename cannot replace a folder
  EXPECT_THROW(write_file(path, "new"), UserError);
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, AReaderSeesTheOldOrTheNewFileNeverAPart) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/f", a(200'000, 'a'), b(300'000, 'b');
  write_file(path, a);
  const pid_t writer = ::fork();
  ASSERT_GE(writer, 0);
  if (writer == 0) {
    for (int i = 0; i < 20; ++i) write_file(path, i % 2 == 0 ? b : a);
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(writer, &status, WNOHANG) == 0) {
    const std::string seen = read_file(path);
    ASSERT_TRUE(seen == a || seen == b) << seen.size() << " bytes";
  }
  EXPECT_EQ(status, 0);
}

TEST(Files, TemporaryFolderVanishesWithItsContents) {
  std::string path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    write_file(path + "/f", "x");
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(BoundedFile, IsReadUpToItsBoundAndNoDeviceIsReadForEver) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/f";
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65'535}, std::size_t{65'536}, std::size_t{200'001}}) {
    const std::string bytes(size, 'x');
    write_file(path, bytes);
    EXPECT_EQ(read_file(path, size), bytes);
    if (size > 0) {
      EXPECT_THROW(read_file(path, size - 1), UserError);
    }
  }
  EXPECT_THROW(read_file("/dev/zero", 1000), UserError);
  EXPECT_THROW(read_file(folder.path(), 1000), UserError);
  EXPECT_THROW(read_file(folder.path() + "/none", 1000), UserError);
  EXPECT_NO_THROW(expect_settings_text(std::string(most_settings_bytes, ' '), "f"));
  EXPECT_THROW(expect_settings_text(std::string(most_settings_bytes + 1, ' '), "f"), UserError);
  // Where toml++ would not know what to do with it.
  for (const char* good : {"# µ\nx = 1", "x = \"κ\"", "x = 'κ' # é", "\"é\" = 1", "[\"é\"]\ny = [\"a\", 'κ']",
                           "x = {\"é\" = 1}", "x = \"a\\\"κ\""})
    EXPECT_NO_THROW(expect_settings_text(good, "f")) << good;
  for (const char* bad :
       {"κ = 1", "x = κ", "x = 1κ", "x = 1\"κ\"", "x = 1 \"κ", "x = \"a\"κ", "x = \"a\" \"κ\"",
        "x = \"a\nκ\"", "x = \"\"\"\\ κ\"\"\"", "x = '''κ'''", "x = 'a\\'κ'", "x = \"a\\\\\"κ\""})
    EXPECT_THROW(expect_settings_text(bad, "f"), UserError) << bad;
  try {
    expect_settings_text("x = 1\ny = κ\n", "f");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), "E0004");
    EXPECT_EQ(error.where().line, 2u);
    EXPECT_EQ(error.where().column, 5u);
  }
}

}  // namespace
}  // namespace hallmark
