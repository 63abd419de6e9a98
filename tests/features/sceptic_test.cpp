// What somebody tries who believes neither the bundle nor whoever wrote it, with the program as it is
// started: each attempt has its exit code and a message that names what is wrong. After every edit the
// manifest fits again, so that no attempt fails for the digest alone.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>

#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "bundle/dsse.h"
#include "bundle/layout.h"
#include "bundle/open.h"
#include "bundle/tamper.h"
#include "bundle/writer.h"
#include "features/bundles.h"
#include "pipeline/program.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;
using testing::start;

struct Sceptic : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/b", ours = testing::signing_key + ".pub";

  void SetUp() override { fresh(testing::proved_bundle); }
  void fresh(const std::string& from) {
    fs::remove_all(folder);
    fs::copy(from, folder, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  void fit() const {
    write_file(folder + "/" + bundle::manifest_file, bundle::manifest_text(bundle::list_folder(folder)));
  }
  void edit(const std::string& file, const std::function<std::string(std::string)>& change) const {
    write_file(folder + "/" + file, change(read_file(folder + "/" + file)));
    fit();
  }
  // The exit code, and that the report has `words`.
  int audited(const std::string& words, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{"audit", folder, "--offline"};
    command.insert(command.end(), more.begin(), more.end());
    const ProcessResult run = start(command);
    EXPECT_NE((run.out + run.err).find(words), std::string::npos)
        << words << "\n"
        << run.out.substr(0, 2000) << run.err.substr(0, 1000);
    return run.code;
  }
  std::string written(const std::string& name, const std::string& text) const {
    write_file(top.path() + "/" + name, text);
    return top.path() + "/" + name;
  }
  int gated(const std::string& policy, const std::string& words) const {
    const ProcessResult run = start({"gate", folder, "--offline", "--policy", written("p.toml", policy)});
    EXPECT_NE((run.out + run.err).find(words), std::string::npos)
        << words << "\n"
        << run.out.substr(0, 1000) << run.err.substr(0, 1000);
    return run.code;
  }
};

const char* const policy_head = "version = 1\nname = \"p\"\n[[require]]\nkinds = \"all\"\nlevels = \"all\"\n";

TEST_F(Sceptic, SpellsTheSameJsonInAnotherWay) {
  for (const char* file : {bundle::receipt_file, bundle::result_file, bundle::observations_file,
                           bundle::statements_file, bundle::envelope_file}) {
    fresh(testing::proved_bundle);
    // A blank more: the same value.
    edit(file, [](const std::string& text) { return "{ " + text.substr(1); });
    EXPECT_EQ(audited(file), 5) << file;
    // A member twice, of which a reader may see either.
    fresh(testing::proved_bundle);
    edit(file, [](const std::string& text) {
      const std::size_t end = text.find('\n', 2);
      return text.substr(0, end + 1) + text.substr(2, end - 1) + text.substr(end + 1);
    });
    EXPECT_EQ(audited(file), 5) << file;
    // Numbers that JSON has not, or no exact reader has.
    for (const char* value : {"NaN", "Infinity", "1e999", "0.1", "00", "1_000"}) {
      fresh(testing::proved_bundle);
      edit(file, [&](const std::string& text) {
        return std::string("{\n  \"a\": ") + value + "," + text.substr(1);
      });
      EXPECT_EQ(audited(file), 5) << file << " " << value;
    }
  }
  // Members in another order, which most readers take for the same object.
  fresh(testing::proved_bundle);
  edit(bundle::receipt_file, [](std::string text) {
    const std::string last = "\"_type\": \"https://in-toto.io/Statement/v1\",\n";
    text.erase(text.find(last), last.size());
    return text.substr(0, text.rfind('\n', text.size() - 2)) +
           ",\n  \"_type\": \"https://in-toto.io/Statement/v1\"\n}\n";
  });
  EXPECT_EQ(audited("not in canonical form"), 5);
}

TEST_F(Sceptic, PutsAnotherReceiptIn) {
  fs::copy(testing::refuted_bundle + "/" + bundle::receipt_file, folder + "/" + bundle::receipt_file,
           fs::copy_options::overwrite_existing);
  fit();
  EXPECT_EQ(audited(bundle::receipt_file), 5);
  // With all that belongs to it.
  fresh(testing::proved_bundle);
  fs::remove_all(folder + "/5-evidence");
  fs::copy(testing::refuted_bundle + "/5-evidence", folder + "/5-evidence", fs::copy_options::recursive);
  fit();
  EXPECT_EQ(audited("the receipt lists"), 5);
}

TEST_F(Sceptic, CutsSignatures) {
  const auto signature = [&](const std::function<void(json::object&)>& change) {
    fresh(testing::proved_bundle);
    edit(bundle::envelope_file, [&](const std::string& text) {
      json::value envelope = parse_json(text, "envelope");
      change(envelope.at("signatures").as_array().at(0).as_object());
      return canonical_json(envelope);
    });
  };
  signature([](json::object& s) { s["sig"] = bundle::base64(std::string(10, 'x')); });
  EXPECT_EQ(audited("does not verify", {"--pin", ours}), 5) << "too short";
  signature([](json::object& s) { s["sig"] = ""; });
  EXPECT_EQ(audited("does not verify", {"--pin", ours}), 5) << "empty";
  signature([](json::object& s) { s["sig"] = std::string(s["sig"].as_string()).substr(0, 20) + "*"; });
  EXPECT_EQ(audited("not base64", {"--pin", ours}), 5);
  signature([](json::object& s) { s["sig"] = 7; });
  EXPECT_EQ(audited("without keyid or sig", {"--pin", ours}), 5) << "of another type";
  signature([](json::object& s) { s["keyid"] = std::string(64, '0'); });
  EXPECT_EQ(audited("signed by pinned key", {"--pin", ours}), 0)
      << "a hint that nobody signed decides nothing";
}

TEST_F(Sceptic, SignsWithAKeyOfHisOwn) {
  ASSERT_EQ(start({"keygen", top.path() + "/his"}).code, 0);
  const std::string his = top.path() + "/his.pub";
  // The right receipt, and somebody else is wanted.
  EXPECT_EQ(audited("E5223", {"--pin", his}), 5);
  const ProcessResult proved_again = start({"audit", folder, "--pin", his});
  EXPECT_EQ(proved_again.code, 5) << "whatever is proved again: " << proved_again.out.substr(0, 600);
  EXPECT_EQ(gated(std::string(policy_head) + "[signatures]\nkeys = [\"his.pub\"]\n", "E5223"), 5);
  EXPECT_EQ(audited("E5235"), 3) << "nobody is pinned: nothing is foreign, and nothing vouches";
  // Two are wanted and one signed; none is left.
  fs::copy(ours, top.path() + "/ours.pub");
  EXPECT_EQ(
      gated(std::string(policy_head) + "[signatures]\nkeys = [\"ours.pub\", \"his.pub\"]\nthreshold = 2\n",
            "1 of the pinned keys signed it, 2 are wanted"),
      3);
  for (const char* envelope : {bundle::envelope_file, bundle::observations_envelope_file})
    fs::remove(folder + "/" + envelope);
  fit();
  EXPECT_EQ(audited("0 of the pinned keys signed it, 1 is wanted", {"--pin", ours}), 3);
}

// The same version built by somebody else, or another nvcc of the same version: said, and a failure for who
// asks for that.
TEST_F(Sceptic, ComparesBuilds) {
  EXPECT_EQ(audited("signed by pinned key", {"--pin", ours, "--strict"}), 0) << "this very build made it";
  bundle::testing::forge(
      folder, [](bundle::Receipt& receipt) { receipt.identities.tool_sha256 = std::string(64, '1'); });
  for (const char* envelope : {bundle::envelope_file, bundle::observations_envelope_file})
    fs::remove(folder + "/" + envelope);
  fit();
  EXPECT_EQ(audited("build of hallmark: the receipt was made with sha256:1111"), 3) << "nobody signed it";
  EXPECT_EQ(audited("build of hallmark: the receipt was made with sha256:1111", {"--strict"}), 3);
  EXPECT_EQ(audited("[E5237]", {"--strict"}), 3);
  fresh(testing::proved_bundle);
  bundle::testing::forge(folder, [](bundle::Receipt& receipt) { receipt.identities.tool_version = "0.0.1"; });
  for (const char* envelope : {bundle::envelope_file, bundle::observations_envelope_file})
    fs::remove(folder + "/" + envelope);
  fit();
  EXPECT_EQ(audited("hallmark: the receipt was made with 0.0.1", {"--strict"}), 3);
}

TEST_F(Sceptic, TakesSomethingElseForAKey) {
  const auto refused = [&](const std::string& file, const std::string& words) {
    EXPECT_EQ(audited(words, {"--pin", file}), 4) << file;
  };
  const std::string one = read_file(ours);
  refused(written("cut.pub", one.substr(0, 60)), "expected an Ed25519 public key");
  refused(written("empty.pub", ""), "expected an Ed25519 public key");
  refused(written("two.pub", one + one), "more than one key in the file");
  refused(testing::signing_key + ".key", "expected an Ed25519 public key");
  refused(top.path(), "Is a directory");
  refused(top.path() + "/none", "cannot read the file");
  refused("/dev/zero", "larger than");
  if (find_tool("openssl"))
    for (const char* kind : {"x25519", "ed448", "rsa"}) {
      const std::string key = top.path() + "/" + kind;
      ASSERT_TRUE(run_process({"openssl", "genpkey", "-algorithm", kind, "-out", key + ".key"}).ok());
      ASSERT_TRUE(
          run_process({"openssl", "pkey", "-in", key + ".key", "-pubout", "-out", key + ".pub"}).ok());
      refused(key + ".pub", "expected an Ed25519 public key");
      const ProcessResult run = start({"run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o",
                                       top.path() + "/out", "--key", key + ".key"});
      EXPECT_EQ(run.code, 4) << run.err;
      EXPECT_FALSE(fs::exists(top.path() + "/out"));
    }
}

TEST_F(Sceptic, PutsOtherThingsWhereFilesShouldBe) {
  const std::string kernel = folder + "/4-artifact/relu_1.cu";
  fs::remove(kernel);
  fs::create_symlink("/etc/passwd", kernel);
  EXPECT_EQ(audited("4-artifact/relu_1.cu: neither a file nor a folder"), 5);
  fresh(testing::proved_bundle);
  fs::rename(folder + "/4-artifact", top.path() + "/elsewhere");
  fs::create_directory_symlink("../elsewhere", folder + "/4-artifact");
  EXPECT_EQ(audited("4-artifact: neither a file nor a folder"), 5);
  // A Cyrillic letter that looks like the one it stands for.
  fresh(testing::proved_bundle);
  fs::rename(kernel, folder + "/4-artifact/r\xd0\xb5lu_1.cu");
  EXPECT_EQ(audited("a name that no file of a bundle has"), 5);
  fresh(testing::proved_bundle);
  ASSERT_TRUE(run_process({"mkfifo", folder + "/4-artifact/pipe"}).ok());
  EXPECT_EQ(audited("4-artifact/pipe: neither a file nor a folder"), 5);
  fresh(testing::proved_bundle);
  fs::create_directory(folder + "/4-artifact/nothing");
  EXPECT_EQ(audited("4-artifact/nothing/: neither a file nor a folder"), 5);
  // A file as large as a disk, of which not a byte is there.
  fresh(testing::proved_bundle);
  write_file(folder + "/4-artifact/huge", "");
  fs::resize_file(folder + "/4-artifact/huge", std::uintmax_t{1} << 40);
  EXPECT_EQ(audited("4-artifact/huge: larger than"), 5);
  // The well-known digest of nothing.
  fresh(testing::proved_bundle);
  write_file(kernel, "");
  fit();
  EXPECT_EQ(audited("4-artifact/relu_1.cu"), 5);
  fs::remove_all(folder);
  fs::create_directory(folder);
  EXPECT_EQ(audited("5-evidence/manifest.json: the file is missing"), 5) << "an empty folder";
  fs::remove_all(folder);
  write_file(folder, "");
  EXPECT_EQ(audited("no such folder"), 4);
}

TEST_F(Sceptic, LeavesNothingToProve) {
  const auto left = [&](const std::function<void(bundle::Receipt&)>& change, const std::string& words) {
    fresh(testing::refuted_bundle);
    bundle::testing::forge(folder, change);
    return audited(words);
  };
  EXPECT_EQ(
      left(
          [&](bundle::Receipt& r) {
            r.obligations.clear();
            for (const char* all : {bundle::query_folder, bundle::witness_folder, bundle::certificate_folder})
              fs::remove_all(folder + "/" + all);
          },
          "the receipt leaves it out"),
      5);
  EXPECT_EQ(left([](bundle::Receipt& r) { r.obligations.push_back(r.obligations.back()); },
                 "two obligations share this id"),
            5);
  // No kernels, and the obligations of none.
  EXPECT_EQ(left(
                [&](bundle::Receipt& r) {
                  json::value plan = parse_json(read_file(folder + "/4-artifact/launch.json"), "launch");
                  plan.at("launches").as_array().clear();
                  write_file(folder + "/4-artifact/launch.json", canonical_json(plan));
                  std::erase_if(r.obligations, [](const Obligation& o) {
                    return o.level == Level::ptx || o.level == Level::source;
                  });
                },
                "Integrity failure"),
            5);
}

// What a script passes on whose variable nobody set.
TEST_F(Sceptic, LeavesAnArgumentEmpty) {
  const std::string model = HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"gate", folder, "--offline", "--pin", ours, "--policy", ""},
                                             {"gate", folder, "--offline", "--pin", ours, "--policy="},
                                             {"audit", folder, "--offline", "--pin", ""},
                                             {"audit", folder, "--pin", ours, "--sample", ""},
                                             {"audit", folder, "--offline", "--pin", ours, "--baseline", ""},
                                             {"audit", ""},
                                             {"run", model, "-o", top.path() + "/out", "--contract", ""},
                                             {"run", model, "-o", top.path() + "/out", "--key="},
                                             {"run", model, "-o", ""},
                                             {"--deadline", "", "run", model, "-o", top.path() + "/out"}}) {
    const ProcessResult run = start(command);
    EXPECT_EQ(run.code, 2) << command[0] << " " << command.back() << run.out.substr(0, 300);
    EXPECT_NE(run.err.find("is empty"), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(fs::exists(top.path() + "/out"));
  }
}

// A model that computes nothing is not one of which everything is proved.
TEST_F(Sceptic, RunsAModelWithoutOutputs) {
  const std::string nothing =
      written("nothing.onnxtxt",
              "<ir_version: 8, opset_import: [\"\" : 17]>\nm (float[N] x) => ()\n{\n  a = Relu(x)\n}\n");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"run", nothing, "-o", top.path() + "/out"}, {"compare", nothing, nothing}, {"eval", nothing}}) {
    const ProcessResult run = start(command);
    EXPECT_EQ(run.code, 4) << command[0] << run.out;
    EXPECT_NE(run.err.find("the graph has no output"), std::string::npos) << run.err;
    EXPECT_EQ(run.out.find("proved"), std::string::npos) << run.out;
  }
  EXPECT_FALSE(fs::exists(top.path() + "/out"));
}

TEST_F(Sceptic, MisspellsAPolicy) {
  const std::string head = policy_head;
  EXPECT_EQ(gated(head + "[limitz]\na = 1\n", "p.toml:6:2: error: unknown member 'limitz'"), 4);
  EXPECT_EQ(gated(head + "[limits]\nmax_unrum = 0\n", "p.toml:7:1: error: unknown member 'max_unrum'"), 4);
  EXPECT_EQ(gated(head + "[limits]\nmax_unrun = \"0\"\n", "expected a natural number"), 4);
  EXPECT_EQ(gated(head + "[limits]\nmax_unrun = -1\n", "expected a natural number"), 4);
  EXPECT_EQ(gated(head + "[expect]\nmax_age_days = nan\n", "expected a natural number"), 4);
  EXPECT_EQ(gated(head + "[l\xd1\x96mits]\nmax_unrun = 0\n", "a character beyond ASCII"), 4) << "a Cyrillic letter";
  EXPECT_EQ(gated(head + "[signatures]\nkeys = []\n", "an empty list of keys"), 4);
  EXPECT_EQ(gated(head + "[waivers]\nkeys = []\n", "an empty list of keys"), 4);
  EXPECT_EQ(gated(head + "[signatures]\nthreshold = 0\n", "would accept an unsigned receipt"), 4);
  EXPECT_EQ(gated("", "member 'version' is missing"), 4);
  EXPECT_EQ(gated("version = 2\nname = \"p\"\n", "reads policy version 1"), 4);
  EXPECT_EQ(gated(head + "[expect]\nmodel = \"" + std::string(64, 'A') + "\"\n", "64 lower-case"), 4);
  EXPECT_EQ(gated(head + "[expect]\nmodle = \"" + std::string(64, 'a') + "\"\n", "found none"), 3)
      << "a role that no receipt has";
  EXPECT_EQ(gated("version = 1\nname = \"p\"\n", "E5235"), 3) << "no entry is not 'nothing is required'";
}

// One hundred megabytes, and a file without an end, wherever a file is named.
TEST_F(Sceptic, HandsOverWhatIsTooLarge) {
  const std::string big = top.path() + "/big.toml", model = HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt";
  std::string text = "version = 1\na = [";
  text.append(100'000'000, '[');
  write_file(big, text);
  for (const std::string& file : {big, std::string("/dev/zero")})
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"gate", folder, "--offline", "--policy", file},
             {"audit", folder, "--offline", "--pin", file},
             {"audit", folder, "--offline", "--pin", ours, "--waivers", file},
             {"run", model, "-o", top.path() + "/out", "--contract", file},
             {"run", model, "-o", top.path() + "/out", "--target", file},
             {"run", model, "-o", top.path() + "/out", "--workload", file},
             {"run", model, "-o", top.path() + "/out", "--key", file}}) {
      const auto begin = std::chrono::steady_clock::now();
      const ProcessResult run = start(command);
      EXPECT_EQ(run.code, 4) << command[0] << " " << command.back() << run.err.substr(0, 300);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20))
          << "two seconds, on a machine that has nothing else to do";
      EXPECT_FALSE(fs::exists(top.path() + "/out"));
    }
}

TEST_F(Sceptic, WaivesWithAnothersKey) {
  const std::string late = top.path() + "/late", key = testing::signing_key + ".key";
  start({"--deadline", "0.001", "run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o", late, "--key",
         key});
  ASSERT_EQ(start({"keygen", top.path() + "/lead"}).code, 0);
  const bundle::OpenBundle opened = bundle::open_bundle(late);
  ASSERT_TRUE(opened.receipt);
  std::string text = "version = 1\n";
  for (const Obligation& o : opened.receipt->obligations)
    text +=
        "[[waive]]\nobligation = \"" + o.id +
        "\"\nreason = \"interrupted\"\nauthor = \"A. Lead\"\nwhy = \"a test\"\nexpires = \"9999-12-31\"\n";
  const std::string waivers = written("w.toml", text);
  if (!find_tool("openssl")) GTEST_SKIP() << "openssl is not installed";
  const auto sign = [&](const std::string& with) {
    ASSERT_TRUE(run_process({"openssl", "pkeyutl", "-sign", "-rawin", "-inkey", with, "-in", waivers, "-out",
                             waivers + ".sig"})
                    .ok());
  };
  const auto gate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{
        "gate",      late,    "--offline", "--policy", HALLMARK_SOURCE_DIR "/corpus/policies/default.toml",
        "--waivers", waivers, "--pin",     ours};
    command.insert(command.end(), more.begin(), more.end());
    return start(command);
  };
  EXPECT_EQ(gate({}).code, 4) << "unsigned";
  sign(top.path() + "/lead.key");
  EXPECT_EQ(gate({}).code, 4) << "by nobody who is trusted";
  const ProcessResult waived = gate({"--waiver-key", top.path() + "/lead.pub"});
  EXPECT_EQ(waived.code, 0) << waived.out.substr(0, 1500);
  const auto unrun = std::count_if(opened.receipt->obligations.begin(), opened.receipt->obligations.end(),
                                   [](const Obligation& o) { return o.outcome.state == State::unrun; });
  EXPECT_GE(unrun, 36);
  const std::string count = std::to_string(unrun);
  EXPECT_NE(waived.out.find("waived: " + count + " of the unrun"), std::string::npos);
  EXPECT_NE(waived.out.find("unrun " + count), std::string::npos) << "and still counted as unrun";
  // Who signs receipts may not waive where somebody else is named for that.
  sign(key);
  EXPECT_EQ(gate({"--waiver-key", top.path() + "/lead.pub"}).code, 4);
  EXPECT_EQ(gate({}).code, 0) << "and may where nobody is";
}

// From each proved row to files of the bundle: its statement, and the queries, certificates or texts that it
// rests on, each under a digest that the receipt has and that is the file's.
TEST(Bundle, EachProvedRowLeadsToAFileWhoseDigestChecks) {
  for (const std::string& folder : {testing::proved_bundle, testing::refuted_bundle}) {
    const bundle::OpenBundle opened = bundle::open_bundle(folder);
    ASSERT_TRUE(opened.receipt);
    std::map<std::string, std::string> listed;
    for (const bundle::FileEntry& f : opened.receipt->files) listed[f.path] = f.sha256;
    const auto checks = [&](const std::string& path) {
      return listed.contains(path) && sha256_hex(read_file(folder + "/" + path)) == listed.at(path);
    };
    ASSERT_TRUE(checks(bundle::statements_file));
    const json::value statements =
        parse_json(read_file(folder + "/" + bundle::statements_file), "statements");
    std::size_t proved = 0;
    for (const Obligation& o : opened.receipt->obligations) {
      if (o.outcome.state != State::proved) continue;
      ++proved;
      const std::string digest = sha256_hex(o.statement);
      EXPECT_TRUE(statements.as_object().contains(digest)) << o.id;
      for (const QueryRecord& q : o.outcome.queries) {
        EXPECT_TRUE(checks(bundle::query_file(q.sha256))) << o.id;
        EXPECT_EQ(listed[bundle::query_file(q.sha256)], q.sha256) << o.id;
      }
      if (!o.location.file.empty()) {
        EXPECT_TRUE(checks(o.location.file)) << o.id << " " << o.location.file;
      }
    }
    EXPECT_GT(proved, 20u);
  }
}

TEST(Rules, ThatMentionTargetOrCostDoNotLoad) {
  const TemporaryFolder top;
  for (const char* line :
       {"cost 3", "target h100", "require cost < 3", "require target = 1", "require cost(x) < 1"}) {
    const std::string file = top.path() + "/r.hm";
    write_file(file, std::string("hallmark 1\nrule r\n  size N\n  input x : f32[N]\n  ") + line +
                         "\n  left  Y : f32[i < N] = x[i] + 0\n  right Y : f32[i < N] = x[i]\n");
    const ProcessResult run = start({"rules", "prove", file});
    EXPECT_EQ(run.code, 4) << line;
    EXPECT_NE(run.err.find("r.hm:5:"), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "") << "nothing is said of it";
  }
}

}  // namespace
}  // namespace hallmark
