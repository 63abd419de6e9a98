#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/error.h"
#include "base/files.h"

namespace hallmark {

Digest sha256(std::string_view bytes) {
  Digest out{};
  unsigned length = 0;
  ensure(EVP_Digest(bytes.data(), bytes.size(), out.data(), &length, EVP_sha256(), nullptr) == 1 &&
             length == out.size(),
         "OpenSSL has no SHA-256");
  return out;
}

std::string hex(const Digest& digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (unsigned char byte : digest) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  return hex(sha256(bytes));
}
std::string sha256_file(const std::string& path) {
  return sha256_hex(read_file(path));
}

}  // namespace hallmark
