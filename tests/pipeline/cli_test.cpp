// The program as a person starts it: exit codes and where output goes.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/process.h"

namespace hallmark {
namespace {

ProcessResult hallmark(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HALLMARK_PROGRAM);
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(5);
  limits.memory_bytes = 0;
  return run_process(arguments, {}, limits);
}

const std::string models = HALLMARK_SOURCE_DIR "/corpus/models/";

TEST(Cli, WrongUsageIsTwo) {
  EXPECT_EQ(hallmark({}).code, 2);
  EXPECT_EQ(hallmark({"run"}).code, 2);
  EXPECT_EQ(hallmark({"frobnicate"}).code, 2);
  EXPECT_EQ(hallmark({"--format", "xml", "version"}).code, 2);
}

TEST(Cli, HelpAndVersionAreZero) {
  EXPECT_EQ(hallmark({"--help"}).code, 0);
  const ProcessResult version = hallmark({"version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_NE(version.out.find("hallmark 0."), std::string::npos);
}

TEST(Cli, InvalidInputIsFourAndSaysWhere) {
  const TemporaryFolder folder;
  EXPECT_EQ(hallmark({"run", folder.path() + "/missing.onnx", "-o", folder.path() + "/out"}).code, 4);
  write_file(folder.path() + "/bad.toml", "version = 1\n[inputs.x]\nlow = 3\nhigh = 2\n");
  const ProcessResult result = hallmark({"run", models + "relu.onnxtxt", "--contract",
                                         folder.path() + "/bad.toml", "-o", folder.path() + "/out"});
  EXPECT_EQ(result.code, 4);
  EXPECT_NE(result.err.find("bad.toml:"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("^"), std::string::npos) << result.err;
}

TEST(Cli, RunAuditAndReplayAFirstModel) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out";
  const ProcessResult run = hallmark({"run", models + "relu.onnxtxt", "-o", out});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("proved"), std::string::npos);
  EXPECT_EQ(hallmark({"audit", out}).code, 0);
  EXPECT_EQ(hallmark({"--format", "junit", "audit", out}).out.rfind("<?xml", 0), 0u);
  EXPECT_EQ(hallmark({"gate", out, "--policy", HALLMARK_SOURCE_DIR "/corpus/policies/default.toml"}).code, 0);
  EXPECT_EQ(hallmark({"replay", out, "order/stream/plan"}).code,
            3);  // proved by syntax: there is no query to ask
  EXPECT_EQ(hallmark({"replay", out, "no/such/id"}).code, 4);
  EXPECT_EQ(hallmark({"replay", out, "bounds/relu_1 store 1/source"}).code, 0);
}

// The contract says which rows a token may name; a token more, and a kernel reads outside the table.
TEST(Cli, IndicesAreWhatTheContractAdmits) {
  const TemporaryFolder folder;
  const std::string contract = read_file(models + "embedding.contract.toml");
  const ProcessResult right = hallmark({"run", models + "embedding.onnxtxt", "-o", folder.path() + "/right"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const std::size_t at = contract.find("high = 999");
  ASSERT_NE(at, std::string::npos);
  write_file(folder.path() + "/wide.toml", std::string(contract).replace(at, 10, "high = 1000"));
  const ProcessResult wide = hallmark({"run", models + "embedding.onnxtxt", "--contract",
                                       folder.path() + "/wide.toml", "-o", folder.path() + "/wide"});
  EXPECT_EQ(wide.code, 1) << wide.out << wide.err;
  EXPECT_EQ(wide.out.find("proved     defined/rows/model"), std::string::npos) << wide.out;
  EXPECT_NE(wide.out.find("refuted    bounds/gather_add_1"), std::string::npos) << wide.out;
}

TEST(Cli, RulesAreProvedOrRefuted) {
  EXPECT_EQ(hallmark({"rules", "prove", HALLMARK_SOURCE_DIR "/corpus/rules/movement.hm", "--only",
                      "movement/slice-of-slice"})
                .code,
            0);
  const TemporaryFolder folder;
  write_file(folder.path() + "/wrong.hm",
             "hallmark 1\nrule wrong\n  size N\n  input x : f32[N]\n  input s : f32[]\n  left  Y : f32[i < "
             "N] = max(x[i], 0) * s[]\n"
             "  right Y : f32[i < N] = max(x[i] * s[], 0)\n");
  const ProcessResult wrong = hallmark({"--format", "json", "rules", "prove", folder.path() + "/wrong.hm"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.out.find("\"refuted\": 1"), std::string::npos) << wrong.out;
  write_file(folder.path() + "/broken.hm", "hallmark 1\nrule broken\n  size N\n  left Y : f32[i < N] = x[\n");
  const ProcessResult broken = hallmark({"rules", "prove", folder.path() + "/broken.hm"});
  EXPECT_EQ(broken.code, 4);
  EXPECT_NE(broken.err.find("broken.hm:"), std::string::npos) << broken.err;
}

}  // namespace
}  // namespace hallmark
