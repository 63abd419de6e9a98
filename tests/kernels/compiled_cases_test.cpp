// The shared kernels as nvcc compiles them, with and without leave to contract, for two architectures: the
// verdicts are those of each PTX text. nvcc removes the stray load of K-08, so its bounds are proved there;
// no text of these files has a bare addition of a product, so leave to contract changes nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string file, kernel;
  std::set<std::string> refuted;  // kinds; empty: all is proved
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"K-01-init-race", "k01_ok", {}},
                                     {"K-01-init-race", "k01_bad", {"race", "value"}},
                                     {"K-03-partial-warp-dropped", "k03_ok", {}},
                                     {"K-03-partial-warp-dropped", "k03_bad", {"value"}},
                                     {"K-05-int32-row-offset", "k05_ok", {}},
                                     {"K-05-int32-row-offset", "k05_bad", {"bounds", "value"}},
                                     {"K-08-unmasked-tail-load", "k08_ok", {}},
                                     {"K-08-unmasked-tail-load", "k08_bad", {}},
                                     {"K-11-uninitialised-slots", "k11_ok", {}},
                                     {"K-11-uninitialised-slots", "k11_bad", {"init", "value"}},
                                     {"K-13-strided-destination", "k13_ok", {}},
                                     {"K-13-strided-destination", "k13_bad", {"coverage", "frame", "value"}},
                                     {"K-14-wrong-builtin", "k14_ok", {}},
                                     {"K-14-wrong-builtin", "k14_bad", {"race", "coverage", "value"}}};
  return all;
}

using Setting = std::pair<std::string, std::string>;  // architecture, whether to contract

class CompiledKernels : public ::testing::TestWithParam<Setting> {};

TEST_P(CompiledKernels, HaveTheVerdictsOfTheirText) {
  const char* given = std::getenv("HALLMARK_SHARED");
  const std::string shared = given != nullptr ? given : HALLMARK_SOURCE_DIR "/../shared";
  if (!fs::exists(shared + "/cases/kernels")) GTEST_SKIP() << "no shared kernels at " << shared;
  std::string nvcc = find_tool("nvcc").value_or("");
  if (nvcc.empty()) nvcc = find_tool("/usr/local/cuda/bin/nvcc").value_or("");
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is not installed";
  const auto& [architecture, contract] = GetParam();
  const TemporaryFolder folder;
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(5);
  limits.memory_bytes = 0;
  for (const Case& c : cases()) {
    const std::string ptx = folder.path() + "/" + c.file + ".ptx";
    if (!fs::exists(ptx)) {
      const ProcessResult compiled = run_process({nvcc, "-ptx", "-arch=" + architecture, "--fmad=" + contract,
                                                  shared + "/cases/kernels/" + c.file + ".cu", "-o", ptx},
                                                 {}, limits);
      ASSERT_TRUE(compiled.ok()) << compiled.err;
    }
    const ProcessResult checked = run_process(
        {HALLMARK_PROGRAM, "--format", "json", "kernel", "check", ptx, "--kernel", c.kernel, "--spec",
         HALLMARK_SOURCE_DIR "/tests/kernels/specs/" + c.file.substr(0, 4) + ".hm", "--level", "ptx"},
        {}, limits);
    EXPECT_EQ(checked.code, c.refuted.empty() ? 0 : 1) << c.kernel << checked.out << checked.err;
    const json::value report = parse_json(checked.out, c.kernel);
    std::set<std::string> refuted;
    std::size_t proved = 0;
    for (const json::value& o : report.at("obligations").as_array()) {
      if (o.at("state").as_string() == "refuted") refuted.insert(std::string(o.at("kind").as_string()));
      proved += o.at("state").as_string() == "proved";
    }
    EXPECT_EQ(refuted, c.refuted) << c.kernel;
    if (c.refuted.empty()) {
      EXPECT_EQ(proved, report.at("obligations").as_array().size()) << c.kernel;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, CompiledKernels,
                         ::testing::Values(Setting{"sm_80", "false"}, Setting{"sm_80", "true"},
                                           Setting{"sm_90", "false"}, Setting{"sm_90", "true"}));

}  // namespace
}  // namespace hallmark
