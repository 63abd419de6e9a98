// Ed25519 keys in PEM (PKCS #8 and SubjectPublicKeyInfo, as `openssl genpkey -algorithm ed25519` writes
// them). Errors: UserError E5101 when a key file is not one Ed25519 key (a second one in it would be trusted
// by nobody and thought to be trusted), E5102 when randomness or signing fails.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace hallmark::bundle {

class PublicKey {
 public:
  static PublicKey from_pem(std::string_view pem, const std::string& file);
  static PublicKey load(const std::string& path);
  // The SHA-256 of the 32 raw key bytes: what `keyid` says, and what makes two keys distinct.
  const std::string& id() const { return id_; }
  std::string pem() const;
  bool verify(std::string_view message, std::string_view signature) const;

 private:
  friend class PrivateKey;
  explicit PublicKey(std::string raw);
  std::string raw_, id_;
};

class PrivateKey {
 public:
  static PrivateKey generate();
  static PrivateKey from_pem(std::string_view pem, const std::string& file);
  static PrivateKey load(const std::string& path);
  std::string pem() const;  // keep it out of every output
  const PublicKey& public_key() const { return public_; }
  std::string sign(std::string_view message) const;  // 64 bytes

 private:
  explicit PrivateKey(std::string raw);
  std::string raw_;
  PublicKey public_;
};

// Writes PREFIX.key (mode 0600) and PREFIX.pub; refuses to replace a file (UserError E5103). Returns the
// key's id.
std::string generate_key_files(const std::string& prefix);

}  // namespace hallmark::bundle
