#include "bundle/keys.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/bounded_file.h"
#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"

namespace hallmark::bundle {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* value) const {
    Free(value);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Context = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using Memory = std::unique_ptr<BIO, Deleter<BIO_free_all>>;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

[[noreturn]] void fail(const std::string& what) {
  throw UserError("E5102", what + " failed inside OpenSSL");
}

Key private_from_raw(const std::string& raw) {
  return Key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes(raw), raw.size()));
}

Memory reader(std::string_view text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string contents(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string raw_of(EVP_PKEY* key, int (*get)(const EVP_PKEY*, unsigned char*, std::size_t*),
                   const std::string& file, const char* what) {
  std::array<unsigned char, 32> raw{};
  std::size_t size = raw.size();
  if (key == nullptr || EVP_PKEY_get_id(key) != EVP_PKEY_ED25519 || get(key, raw.data(), &size) != 1 ||
      size != raw.size())
    throw UserError("E5101", std::string("expected an Ed25519 ") + what + " key in PEM form", {file});
  return std::string(raw.begin(), raw.end());
}

std::string public_of_private(const std::string& raw) {
  const Key key = private_from_raw(raw);
  return raw_of(key.get(), EVP_PKEY_get_raw_public_key, "", "private");
}

void expect_one(std::string_view pem, const std::string& file) {
  const std::string_view begin = "-----BEGIN ";
  const std::size_t first = pem.find(begin);
  if (first != std::string_view::npos && pem.find(begin, first + 1) != std::string_view::npos)
    throw UserError("E5101", "more than one key in the file; name a file for each", {file});
}

constexpr std::size_t most_bytes = 1 << 16;

// PEM passphrases are refused rather than asked for: a checker that waits for a keyboard hangs in CI.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

}  // namespace

PublicKey::PublicKey(std::string raw) : raw_(std::move(raw)), id_(sha256_hex(raw_)) {}

PublicKey PublicKey::load(const std::string& path) {
  return from_pem(read_file(path, most_bytes), path);
}

PublicKey PublicKey::from_pem(std::string_view pem, const std::string& file) {
  expect_one(pem, file);
  const Memory memory = reader(pem);
  const Key key(PEM_read_bio_PUBKEY(memory.get(), nullptr, no_passphrase, nullptr));
  return PublicKey(raw_of(key.get(), EVP_PKEY_get_raw_public_key, file, "public"));
}

std::string PublicKey::pem() const {
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes(raw_), raw_.size()));
  const Memory memory(BIO_new(BIO_s_mem()));
  if (!key || !memory || PEM_write_bio_PUBKEY(memory.get(), key.get()) != 1) fail("writing a public key");
  return contents(memory.get());
}

bool PublicKey::verify(std::string_view message, std::string_view signature) const {
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes(raw_), raw_.size()));
  const Context context(EVP_MD_CTX_new());
  if (!key || !context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1)
    fail("preparing a verification");
  return EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message),
                          message.size()) == 1;
}

PrivateKey::PrivateKey(std::string raw) : raw_(std::move(raw)), public_(public_of_private(raw_)) {}

PrivateKey PrivateKey::generate() {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (!key) fail("generating a key");
  return PrivateKey(raw_of(key.get(), EVP_PKEY_get_raw_private_key, "", "private"));
}

PrivateKey PrivateKey::load(const std::string& path) {
  return from_pem(read_file(path, most_bytes), path);
}

PrivateKey PrivateKey::from_pem(std::string_view pem, const std::string& file) {
  expect_one(pem, file);
  const Memory memory = reader(pem);
  const Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, no_passphrase, nullptr));
  return PrivateKey(raw_of(key.get(), EVP_PKEY_get_raw_private_key, file, "private"));
}

std::string PrivateKey::pem() const {
  const Key key = private_from_raw(raw_);
  const Memory memory(BIO_new(BIO_s_mem()));
  if (!key || !memory ||
      PEM_write_bio_PKCS8PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    fail("writing a private key");
  return contents(memory.get());
}

std::string PrivateKey::sign(std::string_view message) const {
  const Key key = private_from_raw(raw_);
  const Context context(EVP_MD_CTX_new());
  std::array<unsigned char, 64> signature{};
  std::size_t size = signature.size();
  if (!key || !context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), signature.data(), &size, bytes(message), message.size()) != 1)
    fail("signing");
  return std::string(signature.begin(), signature.begin() + static_cast<long>(size));
}

std::string generate_key_files(const std::string& prefix) {
  const std::string secret = prefix + ".key", open = prefix + ".pub";
  for (const std::string& path : {secret, open})
    if (std::filesystem::exists(path))
      throw UserError("E5103", "the file exists; keys are never replaced", {path});
  const PrivateKey key = PrivateKey::generate();
  // Created empty with its final mode first, so that the secret is never readable by others.
  const int fd = ::open(secret.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) throw UserError("E0002", "cannot create the file", {secret});
  const std::string pem = key.pem();
  const bool written = ::write(fd, pem.data(), pem.size()) == static_cast<ssize_t>(pem.size());
  if (::close(fd) != 0 || !written) throw UserError("E0002", "cannot write the file", {secret});
  write_file(open, key.public_key().pem());
  return key.public_key().id();
}

}  // namespace hallmark::bundle
