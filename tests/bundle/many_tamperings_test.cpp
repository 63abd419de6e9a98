// Random changes of single bytes, deletions and swaps of files, each of them exit 5 with a message that names
// what differs: some in every run of the tests, 10,000 in the long one.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/files.h"
#include "bundle/audit.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;

#ifndef TAMPERINGS
#define TAMPERINGS 1500
#endif

// Without the flush that write_file makes: this is no bundle that anybody keeps.
void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(ManyTamperings, EachOneIsExit5AndNamed) {
  const TemporaryFolder top;
  const std::string folder = top.path() + "/b";
  testing::Sample sample;
  // A dozen obligations have every sort of file; more would only be more of the same.
  sample.write(folder, {PrivateKey::generate()});
  const AuditOptions options = testing::audit_with(sample);
  ASSERT_EQ(audit(folder, options).exit_code, 0);
  std::vector<std::string> paths;
  for (const auto& [path, file] : list_folder(folder).files) paths.push_back(path);
  std::mt19937 random(1);
  const auto any = [&](std::size_t n) { return random() % n; };
  for (int i = 0; i < TAMPERINGS; ++i) {
    const std::string path = paths[any(paths.size())], full = folder + "/" + path, bytes = read_file(full);
    const std::string other = folder + "/" + paths[any(paths.size())], others = read_file(other);
    const unsigned how = static_cast<unsigned>(any(8));
    if (how == 0) {
      fs::remove(full);
    } else if (how == 1) {
      if (others == bytes) continue;
      put(full, others);
      put(other, bytes);
    } else {
      std::string changed = bytes;
      changed[any(changed.size())] ^= static_cast<char>(1 + any(255));
      put(full, changed);
    }
    const AuditResult result = audit(folder, options);
    ASSERT_EQ(result.exit_code, 5) << path << " " << how;
    ASSERT_FALSE(result.report.findings.empty());
    const auto named = [&](const Finding& f) {
      // A changed manifest accuses the file of the entry that was changed: either of the two may be the wrong
      // one.
      return path == manifest_file || f.where == path || f.where == manifest_file ||
             f.message.find(path) != std::string::npos;
    };
    ASSERT_TRUE(std::any_of(result.report.findings.begin(), result.report.findings.end(), named)) << path;
    put(full, bytes);
    if (how == 1) put(other, others);
  }
  EXPECT_EQ(audit(folder, options).exit_code, 0) << "everything was put back";
}

// 100 MB of JSON, deep nesting, very many members, links out of the bundle: an error within 2 seconds.
TEST(Hostile, InputsEndSoon) {
  const TemporaryFolder top;
  const std::string folder = top.path() + "/b";
  testing::Sample sample;
  sample.write(folder);
  const auto refused_soon = [&](const char* what) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(audit(folder, testing::audit_with(sample)).exit_code, 5) << what;
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0) << what;
  };
  for (const std::string& path : std::vector<std::string>{receipt_file, manifest_file, statements_file}) {
    const std::string full = folder + "/" + path, bytes = read_file(full);
    put(full, std::string(100'000'000, '['));
    refused_soon("100 MB of opening brackets");
    put(full, "{\"a\": \"" + std::string(100'000'000, 'x') + "\"}");
    refused_soon("100 MB of one text");
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i) deep += "{\"a\":";
    put(full, deep);
    refused_soon("a million levels");
    put(full, "{\"a\": 1, \"a\": 2}");
    refused_soon("two members of one name");
    put(full, bytes);
  }
  fs::remove(folder + "/4-artifact/relu.cu");
  fs::create_symlink("/etc/passwd", folder + "/4-artifact/relu.cu");
  refused_soon("a link out of the bundle");
  fs::remove(folder + "/4-artifact/relu.cu");
  fs::create_directory_symlink("/", folder + "/4-artifact/root");
  refused_soon("a link to the root folder");
}

// What a file system can hold and a bundle does not: nothing of it is opened, followed or printed as it is.
TEST(Hostile, NodesAndNamesThatAreNoBundles) {
  const TemporaryFolder top;
  const std::string folder = top.path() + "/b", stage = folder + "/4-artifact";
  testing::Sample sample;
  const auto refused_soon = [&](const char* what, const std::string& code) {
    const auto start = std::chrono::steady_clock::now();
    const AuditResult result = audit(folder, testing::audit_with(sample));
    EXPECT_EQ(result.exit_code, 5) << what;
    EXPECT_TRUE(std::any_of(result.report.findings.begin(), result.report.findings.end(),
                            [&](const Finding& f) { return f.code == code; }))
        << what;
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0) << what;
    const std::string text = render(result.report, Format::text);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << what;
    EXPECT_EQ(text.find("\nproved everything"), std::string::npos) << what;
    fs::remove_all(folder);
    sample.write(folder);
  };
  sample.write(folder);
  ASSERT_EQ(::mkfifo((stage + "/pipe.cu").c_str(), 0600), 0);
  refused_soon("a pipe that nobody writes to", "E5205");
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = stage + "/s";
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::copy(name.begin(), name.end(), address.sun_path);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  refused_soon("a socket", "E5205");
  ::close(listener);
  if (::mknod((stage + "/zero.cu").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0)
    refused_soon("a device that never ends", "E5205");
  // The bytes count, not how many names they have; the file outside is not changed by anybody.
  put(top.path() + "/outside", "__global__ void other() {}\n");
  fs::create_hard_link(top.path() + "/outside", stage + "/other.cu");
  refused_soon("a hard link to a file outside", "E5202");
  std::string deep = stage;
  for (int i = 0; i < 300; ++i) fs::create_directory(deep += "/d");
  put(deep + "/f", "x");
  refused_soon("very deep folders", "E5205");
  put(stage + "/a\nproved everything\x1b[2J.cu", "x");
  refused_soon("a name with a line break and a terminal's command", "E5205");
  put(stage + "/\xff\xfe.cu", "x");
  refused_soon("a name that is no text", "E5205");
  put(stage + "/huge.ptx", "x");
  fs::resize_file(stage + "/huge.ptx", std::uintmax_t{1} << 33);
  refused_soon("8 GiB that no disk holds", "E5221");
  put(folder + "/" + receipt_file, "\xef\xbb\xbf" + read_file(folder + "/" + receipt_file));
  refused_soon("a byte order mark", "E5206");
  std::string numbers = read_file(folder + "/" + receipt_file);
  const std::string count = "\"count\": ";
  numbers.replace(numbers.find(count), count.size(), count + "0");
  put(folder + "/" + receipt_file, numbers);
  refused_soon("a number with a leading zero", "E5206");
  put(folder + "/" + receipt_file, "{\"" + std::string(20'000'000, 'k') + "\": 1}");
  refused_soon("a member with a name of 20 MB", "E5206");
}

}  // namespace
}  // namespace hallmark::bundle
