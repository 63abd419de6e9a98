#include "base/sha256.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "base/error.h"

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

// Piece by piece: models may be larger than the memory.
std::string sha256_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, ignored))
    throw UserError("E0001", std::string("cannot read the file: ") + std::strerror(in ? EISDIR : errno),
                    {path});
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  ensure(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1, "OpenSSL has no SHA-256");
  std::vector<char> piece(std::size_t{1} << 20);
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    ensure(EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(in.gcount())) == 1,
           "OpenSSL's SHA-256 failed");
  }
  if (in.bad()) throw UserError("E0001", "the file could not be read to its end", {path});
  Digest out{};
  unsigned length = 0;
  ensure(EVP_DigestFinal_ex(context.get(), out.data(), &length) == 1 && length == out.size(),
         "OpenSSL's SHA-256 failed");
  return hex(out);
}

}  // namespace hallmark
