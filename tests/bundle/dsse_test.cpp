#include "bundle/dsse.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

// The example of the DSSE specification (protocol.md).
TEST(Dsse, PreAuthenticationEncodingOfTheSpecification) {
  EXPECT_EQ(pre_authentication_encoding("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST(Dsse, Base64HasOneSpelling) {
  for (const std::string text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"})
    EXPECT_EQ(from_base64(base64(text), "f"), text);
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  for (const char* wrong : {"Zg", "Zg=", "Zh==", " Zg==", "Zg==\n", "Z===", "!!!!", "Zm9v=Zg="})
    EXPECT_THROW(from_base64(wrong, "f"), UserError) << wrong;
}

TEST(Keys, RoundTripThroughPem) {
  const PrivateKey key = PrivateKey::generate();
  const PrivateKey again = PrivateKey::from_pem(key.pem(), "f");
  const PublicKey open = PublicKey::from_pem(key.public_key().pem(), "f");
  EXPECT_EQ(again.public_key().id(), key.public_key().id());
  EXPECT_EQ(open.id(), key.public_key().id());
  EXPECT_TRUE(open.verify("message", again.sign("message")));
  EXPECT_FALSE(open.verify("messagf", again.sign("message")));
  EXPECT_FALSE(open.verify("message", ""));
  EXPECT_FALSE(PrivateKey::generate().public_key().verify("message", key.sign("message")));
  EXPECT_THROW(PublicKey::from_pem(key.pem(), "f"), UserError);
  EXPECT_THROW(PrivateKey::from_pem("-----BEGIN PRIVATE KEY-----\n", "f"), UserError);
}

TEST(Keys, FilesArePrivateAndNeverReplaced) {
  const TemporaryFolder folder;
  const std::string id = generate_key_files(folder.path() + "/k");
  struct stat mode {};
  ASSERT_EQ(::stat((folder.path() + "/k.key").c_str(), &mode), 0);
  EXPECT_EQ(mode.st_mode & 0777, 0600u);
  EXPECT_EQ(PublicKey::from_pem(read_file(folder.path() + "/k.pub"), "f").id(), id);
  EXPECT_THROW(generate_key_files(folder.path() + "/k"), UserError);
}

TEST(Dsse, ThresholdCountsDistinctKeys) {
  const PrivateKey a = PrivateKey::generate(), b = PrivateKey::generate(), c = PrivateKey::generate();
  const std::vector<PublicKey> trusted{a.public_key(), b.public_key()};
  EXPECT_EQ(check_envelope(sign_envelope("p", {a, b}), "f", trusted).signed_by.size(), 2u);
  // The same key twice is one signer, however many signatures there are.
  EXPECT_EQ(check_envelope(sign_envelope("p", {a, a, a}), "f", trusted).signed_by.size(), 1u);
  const EnvelopeCheck other = check_envelope(sign_envelope("p", {c}), "f", trusted);
  EXPECT_TRUE(other.signed_by.empty());
  EXPECT_EQ(other.unknown, 1u);
}

std::string changed(const std::string& envelope, const std::function<void(json::object&)>& edit) {
  json::value value = parse_json(envelope, "f");
  edit(value.as_object());
  return canonical_json(value);
}

TEST(Dsse, WhatIsNotExactlyRightIsRefused) {
  const PrivateKey key = PrivateKey::generate();
  const std::vector<PublicKey> trusted{key.public_key()};
  const std::string envelope = sign_envelope("{}", {key});
  EXPECT_THROW(
      check_envelope(changed(envelope, [](auto& e) { e["payloadType"] = "application/vnd.in-toto+jsoN"; }),
                     "f", trusted),
      UserError);
  EXPECT_THROW(check_envelope(changed(envelope, [](auto& e) { e["extra"] = 1; }), "f", trusted), UserError);
  EXPECT_THROW(check_envelope("[]", "f", trusted), UserError);
  const EnvelopeCheck forged =
      check_envelope(changed(envelope, [](auto& e) { e["payload"] = base64("{ }"); }), "f", trusted);
  EXPECT_TRUE(forged.signed_by.empty());
  EXPECT_EQ(forged.bad, std::vector<std::string>{key.public_key().id()});
}

// An auditor needs nothing of ours: the openssl command line checks the receipt's signature.
TEST(Dsse, TheOpensslToolVerifiesTheReceipt) {
  ASSERT_TRUE(find_tool("openssl")) << "scripts/setup installs openssl";
  const TemporaryFolder folder;
  generate_key_files(folder.path() + "/k");
  const PrivateKey key = PrivateKey::from_pem(read_file(folder.path() + "/k.key"), "k.key");
  testing::Sample().write(folder.path() + "/b", {key});
  const json::value envelope = parse_json(read_file(folder.path() + "/b/" + envelope_file), envelope_file);
  const std::string signature(envelope.at("signatures").at(0).at("sig").as_string());
  const std::string message = pre_authentication_encoding("application/vnd.in-toto+json",
                                                          read_file(folder.path() + "/b/" + receipt_file));
  write_file(folder.path() + "/message", message);
  write_file(folder.path() + "/signature", from_base64(signature, "f"));
  const auto verify = [&] {
    return run_process({"openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "k.pub", "-rawin", "-in",
                        "message", "-sigfile", "signature"},
                       "", {}, folder.path());
  };
  EXPECT_TRUE(verify().ok()) << verify().out << verify().err;
  write_file(folder.path() + "/message", message + " ");
  EXPECT_FALSE(verify().ok());
}

}  // namespace
}  // namespace hallmark::bundle
