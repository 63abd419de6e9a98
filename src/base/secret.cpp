#include "base/secret.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/sha256.h"

namespace hallmark {
namespace {

constexpr std::size_t length = 32;

std::string read_secret(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return {};
  struct stat about {};
  std::string out(length + 1, '\0');
  const bool own = ::fstat(file, &about) == 0 && about.st_uid == ::geteuid() && (about.st_mode & 077) == 0;
  const ssize_t got = own ? ::read(file, out.data(), out.size()) : -1;
  ::close(file);
  if (got != static_cast<ssize_t>(length)) return {};
  out.resize(length);
  return out;
}

}  // namespace

std::string secret_file() {
  const auto absolute = [](const char* variable) {
    const char* value = std::getenv(variable);
    return std::string(value != nullptr && value[0] == '/' ? value : "");
  };
  if (const std::string state = absolute("XDG_STATE_HOME"); !state.empty()) return state + "/hallmark/secret";
  const std::string home = absolute("HOME");
  return home.empty() ? "" : home + "/.local/state/hallmark/secret";
}

std::string local_secret() {
  const std::string path = secret_file();
  if (path.empty()) return {};
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return local_secret(path);
}

std::string local_secret(const std::string& path) {
  if (std::string known = read_secret(path); !known.empty()) return known;
  std::array<unsigned char, length> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return {};
  // Of two processes that make one at the same time the first wins.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file >= 0) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    ::close(file);
    if (put != static_cast<ssize_t>(bytes.size())) return {};
  }
  return read_secret(path);
}

std::string seal(std::string_view secret, std::string_view bytes) {
  Digest out{};
  unsigned size = 0;
  const unsigned char* done =
      HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data(), &size);
  ensure(done != nullptr && size == out.size(), "HMAC-SHA256 is not available");
  return hex(out);
}

}  // namespace hallmark
