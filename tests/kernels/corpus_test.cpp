// The kernels of corpus/kernels have the verdicts that their texts expect, at source level and from nvcc's
// PTX. A verdict that an executed launch contradicts ends a run with 70. Which part is looked at:
//   HALLMARK_KERNELS 0   two files, source (quick)      1   a sample of the families (medium)
//                    2   all (long)                     3   tests/kernels/adversary: kernels by which a
//                                                           wrong proof could once be had (medium)
#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "base/process.h"
#include "expectations.h"

namespace hallmark {
namespace {

const std::string corpus =
    HALLMARK_SOURCE_DIR + std::string(HALLMARK_KERNELS == 3 ? "/tests/kernels/adversary" : "/corpus/kernels");

std::vector<CorpusFile> chosen() {
  static const std::vector<std::string> quick{"leaky_relu", "transpose_plain"};
  static const std::vector<std::string> sample{
      "attention_values", "batch_norm_inference", "bias_gelu_2d", "column_mean", "conv1d",
      "flip_rows",        "relu_gradient",        "sgd"};
  const std::vector<std::string>& wanted = HALLMARK_KERNELS == 0 ? quick : sample;
  std::vector<CorpusFile> out;
  for (const CorpusFile& file : read_corpus(corpus))
    if (HALLMARK_KERNELS >= 2 || std::find(wanted.begin(), wanted.end(), file.name) != wanted.end())
      out.push_back(file);
  return out;
}

bool has_nvcc() {
  return find_tool("nvcc").has_value() || find_tool("/usr/local/cuda/bin/nvcc").has_value();
}

class CorpusVerdicts : public ::testing::TestWithParam<CorpusFile> {};

void look(const CorpusFile& file, const CorpusKernel& kernel, const std::string& level) {
  const Expectation& expected = kernel.levels.at(level);
  SCOPED_TRACE(kernel.name + " at level " + level);
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(10);
  limits.memory_bytes = 0;
  const ProcessResult result =
      run_process({HALLMARK_PROGRAM, "--format", "json", "kernel", "check", file.cuda, "--kernel",
                   kernel.name, "--spec", file.specification, "--level", level},
                  {}, limits);
  ASSERT_FALSE(result.out.empty()) << result.err;
  const json::value report = parse_json(result.out, kernel.name);
  std::map<std::string, std::set<std::string>> states;
  std::set<std::string> unrun, refuted;
  for (const json::value& o : report.at("obligations").as_array()) {
    const std::string state(o.at("state").as_string()), kind(o.at("kind").as_string());
    states[kind].insert(state);
    if (state == "unrun") unrun.insert(kind);
    if (state != "refuted") continue;
    refuted.insert(kind);
    EXPECT_FALSE(o.at("witness").is_null()) << kind;
  }
  const std::set<std::string> kinds(expected.kinds.begin(), expected.kinds.end());
  if (expected.verdict == "proved") {
    EXPECT_EQ(result.code, 0) << result.out;
  } else if (expected.verdict == "unrun") {
    EXPECT_EQ(unrun, kinds) << result.out;
    EXPECT_TRUE(refuted.empty()) << result.out;
  } else if (expected.verdict == "open") {
    EXPECT_NE(result.code, 0) << result.out;
    EXPECT_NE(result.code, 70) << result.err;
    for (const std::string& kind : kinds) EXPECT_EQ(states[kind].count("proved"), 0u) << kind;
  } else {
    ASSERT_EQ(expected.verdict, "refuted");
    EXPECT_EQ(result.code, 1);
    for (const std::string& kind : kinds) EXPECT_EQ(refuted.count(kind), 1u) << kind;
  }
}

TEST_P(CorpusVerdicts, AreThoseThatTheTextExpects) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  for (const CorpusKernel& kernel : GetParam().kernels)
    if (kernel.levels.count("source") != 0) look(GetParam(), kernel, "source");
}

TEST_P(CorpusVerdicts, AreThoseThatTheTextExpectsOfThePtx) {
  if (!GetParam().cuda.ends_with(".ptx") && !has_nvcc()) GTEST_SKIP() << "nvcc is not installed";
  if (HALLMARK_KERNELS == 0) GTEST_SKIP() << "PTX is looked at by the longer tests";
  for (const CorpusKernel& kernel : GetParam().kernels)
    if (kernel.levels.count("ptx") != 0) look(GetParam(), kernel, "ptx");
}

INSTANTIATE_TEST_SUITE_P(Kernels, CorpusVerdicts, ::testing::ValuesIn(chosen()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hallmark
