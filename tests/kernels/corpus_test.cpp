// The kernels of corpus/kernels at source level: each file names its kernels and what is expected of them,
//   // expect KERNEL: proved               every obligation is proved
//   // expect KERNEL: refuted KIND ...     these kinds have a refutation, executed by the interpreter
// and its specification stands beside it. A verdict that an executed launch contradicts ends the run with 70.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;

const std::string corpus = HALLMARK_SOURCE_DIR "/corpus/kernels/";

std::vector<std::string> names() {
  std::vector<std::string> out;
#ifdef HALLMARK_ALL_KERNELS
  for (const auto& entry : fs::directory_iterator(corpus))
    if (entry.path().extension() == ".cu") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
#else
  out = {"adam", "reduce_warp_shuffle", "rms_norm_warp", "softmax_row"};
#endif
  return out;
}

class CorpusKernel : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusKernel, HasTheVerdictsThatItsTextExpects) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const std::string file = corpus + GetParam() + ".cu";
  std::istringstream text(read_file(file));
  int expectations = 0;
  for (std::string line; std::getline(text, line);) {
    const std::string start = "// expect ";
    if (line.rfind(start, 0) != 0) continue;
    ++expectations;
    std::istringstream words(line.substr(start.size()));
    std::string kernel, verdict;
    words >> kernel >> verdict;
    kernel.pop_back();  // the colon
    SCOPED_TRACE(kernel);
    ProcessLimits limits;
    limits.wall = std::chrono::minutes(10);
    limits.memory_bytes = 0;
    const ProcessResult result =
        run_process({HALLMARK_PROGRAM, "--format", "json", "kernel", "check", file, "--kernel", kernel,
                     "--spec", corpus + GetParam() + ".hm", "--level", "source"},
                    {}, limits);
    ASSERT_FALSE(result.out.empty()) << result.err;
    const json::value report = parse_json(result.out, kernel);
    std::map<std::string, std::set<std::string>> states;
    for (const json::value& o : report.at("obligations").as_array()) {
      const std::string state(o.at("state").as_string());
      states[std::string(o.at("kind").as_string())].insert(state);
      if (state == "refuted") {
        EXPECT_FALSE(o.at("witness").is_null()) << kernel;
      }
    }
    if (verdict == "proved") {
      EXPECT_EQ(result.code, 0) << result.out;
      continue;
    }
    ASSERT_EQ(verdict, "refuted");
    EXPECT_EQ(result.code, 1);
    for (std::string kind; words >> kind;) EXPECT_EQ(states[kind].count("refuted"), 1u) << kind;
  }
  EXPECT_GE(expectations, 3) << "a right kernel and two faulty twins";
}

INSTANTIATE_TEST_SUITE_P(All, CorpusKernel, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hallmark
