#include "base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace hallmark {
namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path, ignored))
    throw UserError("E0001", std::string("cannot read the file: ") + std::strerror(in ? EISDIR : errno),
                    {path});
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw UserError("E0001", "the file could not be read to its end", {path});
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".part." + std::to_string(::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const auto fail = [&](const char* what) {
    const int reason = errno;
    if (fd >= 0) ::close(fd);
    ::unlink(temporary.c_str());
    throw UserError("E0002", std::string(what) + ": " + std::strerror(reason), {path});
  };
  if (fd < 0) fail("cannot create the file");
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write the file");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) fail("cannot flush the file");
  ::close(fd);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    throw UserError("E0002", std::string("cannot rename into place: ") + std::strerror(reason), {path});
  }
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "hallmark-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw UserError("E0002", std::string("cannot create a temporary folder: ") + std::strerror(errno),
                    {name});
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace hallmark
