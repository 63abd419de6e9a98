// What an auditor verifies without anything of ours: several signatures over one receipt, by the openssl
// command line, by securesystemslib, and the subjects' digests as in-toto records them.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "bundle/audit.h"
#include "bundle/dsse.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

// Debian's packages belong to Debian's interpreter; another `python3` may come first on PATH.
const std::string python = "/usr/bin/python3";

bool python_has(const std::string& module) {
  return std::filesystem::exists(python) && run_process({python, "-c", "import " + module}).ok();
}

struct Interop : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/b";
  testing::Sample sample;
  std::vector<PrivateKey> keys;

  void SetUp() override {
    for (const char* name : {"builder", "reviewer", "stranger"}) {
      generate_key_files(top.path() + "/" + name);
      const std::string file = top.path() + "/" + name + ".key";
      keys.push_back(PrivateKey::from_pem(read_file(file), file));
    }
    sample.write(folder, {keys[0], keys[1]});
  }

  Policy policy(const std::string& threshold, const std::string& pinned) const {
    const std::string text = "version = 1\nname = \"two\"\n[signatures]\nkeys = [" + pinned +
                             "]\nthreshold = " + threshold +
                             "\n[[require]]\nkinds = \"all\"\nlevels = \"all\"\n";
    return parse_policy(text, top.path() + "/policy.toml");
  }
  // Nothing is proved again here: only a signature can vouch for the states.
  int audited(const Policy& policy) const {
    AuditOptions options = testing::audit_with(sample);
    options.reestablish = nullptr;
    options.policy = policy;
    return audit(folder, options).exit_code;
  }
};

TEST_F(Interop, APolicyThatPinsTwoKeysNeedsBothSignatures) {
  EXPECT_EQ(audited(policy("2", "\"builder.pub\", \"reviewer.pub\"")), 0);
  EXPECT_EQ(audited(policy("1", "\"reviewer.pub\"")), 0);
  EXPECT_EQ(audited(policy("2", "\"builder.pub\", \"stranger.pub\"")), 3) << "one of the two never signed";
  EXPECT_EQ(audited(policy("1", "\"stranger.pub\"")), 5) << "signed by others than who is wanted";
  EXPECT_EQ(audited(policy("2", "\"builder.pub\", \"builder.pub\"")), 3)
      << "distinct keys count, not mentions";
}

TEST_F(Interop, OpensslVerifiesEachOfTheSignatures) {
  ASSERT_TRUE(find_tool("openssl")) << "scripts/setup installs openssl";
  const json::value envelope = parse_json(read_file(folder + "/" + envelope_file), envelope_file);
  const json::array& signatures = envelope.at("signatures").as_array();
  ASSERT_EQ(signatures.size(), 2u);
  write_file(top.path() + "/message", pre_authentication_encoding("application/vnd.in-toto+json",
                                                                  read_file(folder + "/" + receipt_file)));
  const char* names[] = {"builder", "reviewer"};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      write_file(top.path() + "/signature",
                 from_base64(std::string(signatures[i].at("sig").as_string()), "f"));
      const bool ok =
          run_process({"openssl", "pkeyutl", "-verify", "-pubin", "-inkey", std::string(names[k]) + ".pub",
                       "-rawin", "-in", "message", "-sigfile", "signature"},
                      "", {}, top.path())
              .ok();
      EXPECT_EQ(ok, i == k) << names[k];
    }
}

// Takes the envelope, a public key in PEM and "good" or "bad": verifies with securesystemslib and nothing
// else.
constexpr const char* verify_with_securesystemslib = R"py(
import base64, json, sys
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from securesystemslib.keys import verify_signature
envelope = json.load(open(sys.argv[1]))
public = load_pem_public_key(open(sys.argv[2], 'rb').read()).public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
payload, kind = base64.b64decode(envelope['payload']), envelope['payloadType']
if sys.argv[3] == 'bad':
    payload = payload.replace(b'"proved"', b'"unrun!"', 1)
message = b'DSSEv1 %d %s %d %s' % (len(kind), kind.encode(), len(payload), payload)
key = {'keytype': 'ed25519', 'scheme': 'ed25519', 'keyid': '0' * 64, 'keyid_hash_algorithms': ['sha256'],
       'keyval': {'public': public}}
good = [s for s in envelope['signatures'] if verify_signature(
    key, {'keyid': '0' * 64, 'sig': base64.b64decode(s['sig']).hex()}, message)]
sys.exit(0 if len(good) == 1 else 1)
)py";

TEST_F(Interop, SecuresystemslibVerifiesTheEnvelope) {
  if (!python_has("securesystemslib.keys, nacl.signing, cryptography"))
    GTEST_SKIP() << "python3-securesystemslib, python3-nacl and python3-cryptography are not all installed";
  const auto verified = [&](const std::string& key, const char* how) {
    const ProcessResult result = run_process({python, "-W", "ignore", "-c", verify_with_securesystemslib,
                                              folder + "/" + envelope_file, top.path() + "/" + key, how});
    return result.ok();
  };
  EXPECT_TRUE(verified("builder.pub", "good"));
  EXPECT_TRUE(verified("reviewer.pub", "good"));
  EXPECT_FALSE(verified("stranger.pub", "good")) << "it did not sign";
  EXPECT_FALSE(verified("builder.pub", "bad")) << "one state of the payload was changed";
}

// Every subject of the statement has the digest that in-toto itself records for the file, and a changed file
// has not.
constexpr const char* compare_with_in_toto = R"py(
import json, os, sys
from in_toto.runlib import record_artifacts_as_dict
os.chdir(sys.argv[1])
statement = json.load(open(sys.argv[2]))
assert statement['_type'] == 'https://in-toto.io/Statement/v1', statement['_type']
recorded = record_artifacts_as_dict(['1-model', '4-artifact'])
subjects = {s['name']: s['digest']['sha256'] for s in statement['subject']}
sys.exit(0 if subjects == {path: entry['sha256'] for path, entry in recorded.items()} else 1)
)py";

TEST_F(Interop, InTotoRecordsTheSameSubjects) {
  if (!python_has("in_toto.runlib")) GTEST_SKIP() << "in-toto is not installed";
  const auto same = [&] {
    return run_process({python, "-W", "ignore", "-c", compare_with_in_toto, folder, receipt_file}).ok();
  };
  EXPECT_TRUE(same());
  write_file(folder + "/4-artifact/relu.cu", "// another kernel\n");
  EXPECT_FALSE(same());
}

}  // namespace
}  // namespace hallmark::bundle
