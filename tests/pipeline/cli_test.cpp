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

// Tensors without elements: nothing is computed, and the end-to-end sentence says so.
TEST(Cli, AModelOfEmptyTensorsIsProvedToItsEnd) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out";
  write_file(
      folder.path() + "/empty.onnxtxt",
      "<ir_version: 8, opset_import: [\"\" : 17]>\nrelu (float[0] x) => (float[0] y)\n{\n  y = Relu(x)\n}\n");
  const ProcessResult run = hallmark({"run", folder.path() + "/empty.onnxtxt", "-o", out});
  if (run.out.find("tool-missing") != std::string::npos) GTEST_SKIP() << "no nvcc here";
  EXPECT_NE(run.out.find("For every input inside the contract"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("The PTX of no kernel has an access to memory"), std::string::npos) << run.out;
  const ProcessResult audit = hallmark({"audit", out});
  EXPECT_EQ(audit.code, 0) << audit.out;
}

// What an engineer asks who has a program and no contract yet: the answer says what it assumes, in numbers.
TEST(Cli, NumericsSayWhatTheyAssumeAndWhatToTake) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/dot.hm", contract = folder.path() + "/c.toml";
  write_file(file,
             "hallmark 1\nprogram exact\nsymbol N : 1 .. 4096\ninput x : f32[N]\ninput w : f32[N]\n"
             "define p : f32[i < N] =\n    x[i] * w[i]\ndefine y : f32[] =\n    sum(k < N) p[k]\noutput y\n");
  write_file(contract, "version = 1\n[tolerance]\nabsolute = 1e-2\n[inputs.x]\nlow = -1\nhigh = 1\n");
  const ProcessResult suggest = hallmark({"numerics", "suggest", file, "--contract", contract});
  EXPECT_EQ(suggest.code, 0) << suggest.out << suggest.err;
  for (const char* line : {"f32, 64 lanes, f16 between", "suggested: f32, ",
                           "assumed: default-box:w: w in [-1, 1], which nobody declared"})
    EXPECT_NE(suggest.out.find(line), std::string::npos) << line << "\n" << suggest.out;
  EXPECT_EQ(suggest.out.find("suggested: f32, 64 lanes, f16"), std::string::npos)
      << "products that are stored in f16 are too far off";
  const ProcessResult explain = hallmark({"numerics", "explain", file, "--contract", contract});
  EXPECT_NE(explain.out.find("assumed: default-box:w: w in [-1, 1]"), std::string::npos) << explain.out;
  EXPECT_NE(explain.out.find(", N = "), std::string::npos)
      << "the worst input is one of many elements: " << explain.out;
  write_file(contract, "version = 1\n[tolerance]\nabsolute = 1e-12\n");
  const ProcessResult none = hallmark({"numerics", "suggest", file, "--contract", contract});
  EXPECT_EQ(none.code, 3) << none.out;
  EXPECT_NE(none.out.find("none of these is proved"), std::string::npos) << none.out;
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
  // Proved by syntax: there is no query to ask, so it is derived and discharged again.
  EXPECT_EQ(hallmark({"replay", out, "order/stream/plan"}).code, 0);
  EXPECT_EQ(hallmark({"replay", out, "no/such/id"}).code, 4);
  EXPECT_EQ(hallmark({"replay", out, "bounds/relu_1 store 1/source"}).code, 0);
}

// A report that a gate reads from a file is the verdict: without it there is none. News that nobody can read
// change nothing.
TEST(Cli, AResultThatCouldNotBeWrittenIsNoSuccess) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out", program = HALLMARK_PROGRAM;
  ASSERT_EQ(hallmark({"keygen", folder.path() + "/key"}).code, 0);
  ASSERT_EQ(hallmark({"run", models + "relu.onnxtxt", "-o", out, "--key", folder.path() + "/key.key"}).code,
            0);
  const auto shell = [](const std::string& command) { return run_process({"/bin/bash", "-c", command}); };
  const std::string audit =
      program + " --format sarif audit --offline --pin " + folder.path() + "/key.pub " + out;
  EXPECT_EQ(shell(audit + " > " + folder.path() + "/report").code, 0);
  const ProcessResult lost = shell(audit + " > /dev/full");
  EXPECT_EQ(lost.code, 4);
  EXPECT_NE(lost.err.find("E0002"), std::string::npos) << lost.err;
  EXPECT_EQ(shell(audit + " 2> /dev/full").code, 0);
  EXPECT_EQ(shell("set -o pipefail; " + audit + " | head -c 10").code, 0) << "the reader had enough";
  EXPECT_EQ(shell(program + " keygen " + folder.path() + "/k > /dev/full").code, 4);
  EXPECT_EQ(shell(program + " --format sarif audit " + folder.path() + " > /dev/full").code, 5)
      << "what is worse stays";
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

TEST(Cli, ComparesTwoModels) {
  const TemporaryFolder folder;
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 17]>\nm ";
  const auto put = [&](const std::string& name, const std::string& text) {
    write_file(folder.path() + "/" + name, head + text);
    return folder.path() + "/" + name;
  };
  const std::string a =
      put("a.onnxtxt",
          "(float[M, N] x, float[N, K] w, float[K] b) => (float[M, K] y) { t = MatMul(x, w)\n y = "
          "Add(t, b) }");
  const std::string b =
      put("b.onnxtxt", "(float[M, N] x, float[N, K] w, float[K] b) => (float[M, K] y) { y = Gemm(x, w, b) }");
  const std::string wrong =
      put("wrong.onnxtxt",
          "(float[M, N] x, float[N, K] w, float[K] b) => (float[M, K] y) { y = Gemm <alpha = "
          "2.0> (x, w, b) }");
  const ProcessResult same = hallmark({"--format", "json", "compare", a, b, "--strength", "bits"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find("bit for bit"), std::string::npos) << same.out;
  EXPECT_EQ(same.out, hallmark({"--format", "json", "compare", a, b, "--strength", "bits"}).out);
  const ProcessResult other = hallmark({"compare", a, wrong});
  EXPECT_EQ(other.code, 1) << other.out << other.err;
  EXPECT_NE(other.out.find("the models differ"), std::string::npos) << other.out;
  EXPECT_NE(other.out.find("expected"), std::string::npos) << other.out;
  EXPECT_EQ(hallmark({"compare", a, models + "relu.onnxtxt"}).code, 4);
  EXPECT_EQ(hallmark({"compare", a}).code, 2);
}

TEST(Cli, SaysWhereARuleMatchesAndWhyNotElsewhere) {
  const TemporaryFolder folder;
  const std::string model = folder.path() + "/m.onnxtxt";
  write_file(
      model,
      "<ir_version: 8, opset_import: [\"\" : 17]>\nm (float[4, 5] x) => (float[4, 5] y) { a = Relu(x)\n b = "
      "Relu(a)\n c = Exp(b)\n y = Relu(c) }");
  const ProcessResult result = hallmark({"rules", "try", "elementwise/relu-twice", model});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("matches   b"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("no match  y"), std::string::npos) << result.out;
  EXPECT_EQ(hallmark({"rules", "try", "no/such-rule", model}).code, 4);
  EXPECT_EQ(hallmark({"rules", "try", "matmul/transpose-of-product", model}).code, 3);
}

// Hostile rule files end in an answer within 2 s of processor time and 1 GiB, and none is proved.
TEST(Cli, HostileRuleFilesEndSoon) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/hostile.hm";
  const std::string head = "hallmark 1\nrule r\n  size N\n  input x : f32[N]\n";
  const std::string right = "  right Y : f32[i < N] = x[i]\n";
  std::string chain = "  left T0 : f32[i < N] = x[i]\n";
  for (int k = 1; k < 40; ++k)
    chain += "  left T" + std::to_string(k) + " : f32[i < N] = T" + std::to_string(k - 1) + "[i] + T" +
             std::to_string(k - 1) + "[i]\n";
  const std::vector<std::string> texts{
      // A tensor, a sum and a shift that nobody can hold or count.
      head + "  left T : f32[i < 1000000000000] = 0\n  left Y : f32[i < N] = x[i]\n" + right + "",
      head + "  left Y : f32[i < N] = sum(k < 1000000000000) x[i]\n" + right,
      head + "  left Y : f32[i < N] = x[i + " + std::string(5000, '9') + "]\n" + right,
      // Nested and doubled.
      head + "  left Y : f32[i < N] = " + std::string(50000, '(') + "x[i]" + std::string(50000, ')') + "\n" +
          right,
      head + chain + "  left Y : f32[i < N] = T39[i] * 0 + x[i] + 1\n" + right,
      // A cycle.
      head + "  left A : f32[i < N] = B[i]\n  left B : f32[i < N] = A[i]\n  left Y : f32[i < N] = B[i]\n" +
          right,
      head + "  left Y : f32[i < N ^ 4000] = 0\n" + right,
  };
  for (const std::string& text : texts) {
    write_file(file, text);
    ProcessLimits limits;
    limits.wall = std::chrono::seconds(30);  // the machine may be shared
    limits.memory_bytes = std::size_t{1} << 30;
    const ProcessResult result =
        run_process({HALLMARK_PROGRAM, "rules", "prove", file, "--jobs", "1"}, {}, limits);
    EXPECT_NE(result.end, ProcessResult::End::timed_out) << text.substr(0, 200);
    EXPECT_TRUE(result.code == 1 || result.code == 3 || result.code == 4)
        << result.code << " " << text.substr(0, 200) << result.err.substr(0, 400);
  }
}

}  // namespace
}  // namespace hallmark
