// The commands that the documentation tells CI systems to run, taken from it and run as they stand; and every
// exit code.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "bundle/layout.h"
#include "bundle/open.h"
#include "bundle/writer.h"
#include "features/bundles.h"
#include "pipeline/program.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;
using testing::start;

// The words of each line of the section that calls the program, without its name.
std::vector<std::vector<std::string>> commands(const std::string& section) {
  const std::string text = read_file(HALLMARK_SOURCE_DIR "/corpus/policies/README.md");
  const std::size_t from = text.find("## " + section + "\n");
  EXPECT_NE(from, std::string::npos) << section;
  std::istringstream lines(text.substr(from, text.find("\n## ", from + 1) - from));
  std::vector<std::vector<std::string>> out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(" hallmark ");
    if (at == std::string::npos ||
        (line.find("- ") == std::string::npos && line.find("run: ") == std::string::npos &&
         line.find("entry: ") == std::string::npos))
      continue;
    std::istringstream words(line.substr(at + 10));
    std::vector<std::string> command;
    for (std::string word; words >> word && word.front() != '>';) command.push_back(word);
    out.push_back(command);
  }
  return out;
}

struct Documentation : ::testing::Test {
  TemporaryFolder top;
  void SetUp() override {
    fs::copy(HALLMARK_SOURCE_DIR "/corpus/policies/default.toml", top.path() + "/gate.toml");
  }
  // With the names of the documentation's files put to ours.
  ProcessResult run(std::vector<std::string> command) const {
    for (std::string& word : command) {
      if (word == "model.onnx") word = HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt";
      if (word == "out" || word == "gate.toml") word = top.path() + "/" + word;
    }
    return start(command);
  }
};

TEST_F(Documentation, TheGithubWorkflow) {
  const auto all = commands("GitHub Actions");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(run(all[0]).code, 0);
  const ProcessResult sarif = run(all[1]);
  EXPECT_EQ(sarif.code, 0) << sarif.err;
  EXPECT_EQ(parse_json(sarif.out, "sarif").at("version").as_string(), "2.1.0");
  const ProcessResult summary = run(all[2]);
  EXPECT_EQ(summary.code, 3) << "nobody signed, nothing was asked: the step may fail and the job goes on";
  EXPECT_NE(summary.out.find("|"), std::string::npos);
}

TEST_F(Documentation, TheGitlabJob) {
  const auto all = commands("GitLab");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(run(all[0]).code, 0);
  const ProcessResult junit = run(all[1]);
  EXPECT_EQ(junit.code, 0) << junit.err;
  EXPECT_EQ(junit.out.rfind("<?xml", 0), 0u);
}

TEST_F(Documentation, ThePreCommitHook) {
  auto all = commands("pre-commit");
  ASSERT_EQ(all.size(), 1u);
  // The hook is given the changed files: one right rule, and one wrong.
  const std::string head =
      "hallmark 1\nrule r\n  size N\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i] + 0\n";
  write_file(top.path() + "/right.hm", head + "  right Y : f32[i < N] = x[i]\n");
  write_file(top.path() + "/wrong.hm", head + "  right Y : f32[i < N] = x[i] + 1\n");
  std::vector<std::string> right = all[0], wrong = all[0];
  right.push_back(top.path() + "/right.hm");
  wrong.push_back(top.path() + "/wrong.hm");
  EXPECT_EQ(start(right).code, 0);
  EXPECT_EQ(start(wrong).code, 1);
}

TEST_F(Documentation, EveryExitCode) {
  const std::string pin = testing::signing_key + ".pub", folder = top.path() + "/b";
  fs::copy(testing::proved_bundle, folder, fs::copy_options::recursive);
  EXPECT_EQ(start({"audit", folder, "--offline", "--pin", pin}).code, 0) << "the policy is met";
  EXPECT_EQ(start({"audit", testing::refuted_bundle, "--offline"}).code, 1) << "refuted";
  EXPECT_EQ(start({"audit"}).code, 2) << "wrong usage";
  EXPECT_EQ(start({"gate", folder}).code, 2) << "a gate needs a policy";
  EXPECT_EQ(start({"audit", folder, "--offline"}).code, 3) << "states that nobody established or signed";
  EXPECT_EQ(start({"audit", top.path() + "/nothing"}).code, 4) << "no such bundle";
  write_file(top.path() + "/bad.toml", "version = 1\n[limits]\nmax_unrum = 0\n");
  EXPECT_EQ(start({"gate", folder, "--policy", top.path() + "/bad.toml"}).code, 4)
      << "an unknown member of a policy";
  write_file(folder + "/4-artifact/relu_1.cu", "// changed\n");
  EXPECT_EQ(start({"audit", folder, "--offline", "--pin", pin}).code, 5) << "integrity";
  // 5 beats 1: a tampered bundle in which something is refuted.
  const std::string both = top.path() + "/both";
  fs::copy(testing::refuted_bundle, both, fs::copy_options::recursive);
  fs::remove(both + "/4-artifact/map.json");
  EXPECT_EQ(start({"audit", both, "--offline"}).code, 5);
}

// The only fault of this program that a test can bring about without breaking it: the memory ends.
TEST_F(Documentation, AFaultOfTheProgramIsSeventyAndSaysSo) {
  const std::string model = top.path() + "/huge.onnxtxt", input = top.path() + "/x.pb";
  write_file(model,
             "<ir_version: 8, opset_import: [\"\" : 13]>\nhuge (float[1] x) => (float[300000, 300000] y) {\n"
             "  shape = Constant<value = int64[2] {300000, 300000}>()\n  y = Expand(x, shape)\n}\n");
  write_file(input, std::string("\x08\x01\x10\x01\x4a\x04\x00\x00\x80\x3f", 10));
  ProcessLimits limits;
  limits.memory_bytes = std::size_t{3} << 30;
  const ProcessResult run = run_process({HALLMARK_PROGRAM, "eval", model, "--input", input}, {}, limits);
  EXPECT_EQ(run.code, 70) << run.err;
  EXPECT_NE(run.err.find("[E9001]"), std::string::npos) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST_F(Documentation, AnOldReceiptOrOneOfAnotherModelIsThree) {
  const std::string pin = testing::signing_key + ".pub";
  const auto gate = [&](const std::string& expect) {
    write_file(top.path() + "/p.toml",
               read_file(HALLMARK_SOURCE_DIR "/corpus/policies/default.toml") + "\n[expect]\n" + expect);
    return start({"gate", testing::proved_bundle, "--policy", top.path() + "/p.toml", "--offline", "--pin",
                  pin})
        .code;
  };
  EXPECT_EQ(gate("max_age_days = 3650\n"), 0);
  EXPECT_EQ(gate("max_age_days = 0\n"), 3);
  EXPECT_EQ(gate("model = \"" + std::string(64, '0') + "\"\n"), 3);
}

// Everything in the bundle is consistent and signed by a key that the auditor trusts; only the verdict is a
// lie.
TEST_F(Documentation, AFlippedAndResignedVerdictIsFoundByProvingAgain) {
  const bundle::OpenBundle honest = bundle::open_bundle(testing::refuted_bundle);
  ASSERT_TRUE(honest.receipt && honest.findings.empty());
  std::vector<Obligation> lie = honest.receipt->obligations;
  bundle::QueryTexts texts;
  for (Obligation& o : lie) {
    for (const QueryRecord& q : o.outcome.queries)
      texts[q.sha256] = honest.read(bundle::query_file(q.sha256));
    if (o.outcome.state != State::refuted) continue;
    o.outcome = {};
    o.outcome.state = State::proved;
    o.outcome.reason = Reason::none;
    o.outcome.discharged_by = {"interval"};
  }
  const std::string folder = top.path() + "/lie", key = testing::signing_key + ".key";
  {
    bundle::BundleWriter writer(folder);
    for (const auto& [path, file] : honest.listing.files)
      if (!path.starts_with(bundle::stage_evidence)) writer.add_file(path, honest.read(path));
    writer.add_queries(lie, texts);
    for (const auto& [query, text] : texts)
      if (const std::string file = bundle::certificate_file(query); honest.listing.files.contains(file))
        writer.add_certificate(query, honest.read(file));
    for (const Obligation& o : lie)
      if (const std::string file = bundle::certificate_file(sha256_hex(o.statement));
          o.outcome.queries.empty() && honest.listing.files.contains(file))
        writer.add_statement_certificate(o, honest.read(file));
    writer.publish(bundle::FixedList(lie), lie, honest.receipt->identities, *honest.observations,
                   {bundle::PrivateKey::from_pem(read_file(key), key)});
  }
  const std::string pin = testing::signing_key + ".pub";
  EXPECT_EQ(start({"audit", folder, "--offline", "--pin", pin}).code, 1)
      << "an executed witness needs no solver";
  const ProcessResult found = start({"audit", folder, "--reprove", "--pin", pin});
  EXPECT_EQ(found.code, 1) << found.out;
  EXPECT_NE(found.out.find("E5236"), std::string::npos) << found.out;
}

}  // namespace
}  // namespace hallmark
