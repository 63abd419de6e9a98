// What corpus/kernels expects, confirmed without any proof: the interpreter executes launches of many sizes,
// with random inputs and three schedules of the threads. A right kernel leaves what its specification says
// and shows no fault in any of them; each faulty twin shows a fault in at least one.
//   HALLMARK_LAUNCHES: launches of each kernel, or what the environment says under that name
//   HALLMARK_KERNELS 1: the first file of each family, 2: all
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>

#include "base/error.h"
#include "base/process.h"
#include "expectations.h"
#include "pipeline/kernel_file.h"
#include "pipeline/nvcc.h"
#include "pipeline/operator_meaning.h"
#include "plan/spec_text.h"
#include "validator/checks/experiment.h"

namespace hallmark {
namespace {

const std::string corpus = HALLMARK_SOURCE_DIR "/corpus/kernels";

std::vector<CorpusFile> chosen() {
  std::vector<CorpusFile> out;
  for (const CorpusFile& file : read_corpus(corpus))
    if (HALLMARK_KERNELS == 2 || out.empty() || out.back().family != file.family) out.push_back(file);
  return out;
}

int launches() {
  const char* given = std::getenv("HALLMARK_LAUNCHES");
  return given != nullptr ? std::atoi(given) : HALLMARK_LAUNCHES;
}

class CorpusLaunches : public ::testing::TestWithParam<CorpusFile> {};

TEST_P(CorpusLaunches, ShowFaultsOfTheTwinsAndNoneOfTheRightKernel) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  const CorpusFile& file = GetParam();
  const plan::KernelSpec spec =
      plan::parse_spec(read_file(file.specification), file.specification, pipeline::onnx_meaning);
  // Kernels of which nothing is expected at source level are executed as nvcc compiles them.
  const bool compiled = file.kernels[0].levels.count("source") == 0;
  if (compiled && pipeline::nvcc_version().empty()) GTEST_SKIP() << "nvcc is not installed";
  pipeline::KernelFileOptions options;
  options.source = !compiled;
  options.ptx = compiled;
  const pipeline::KernelFile text(file.cuda, options);
  // The smallest sizes, then any of many.
  const std::vector<validator::Sizes> sizes = validator::small_sizes(spec, 400);
  ASSERT_FALSE(sizes.empty());
  std::mt19937_64 random(20261129);
  static constexpr auto schedules = std::to_array({validator::interpreter::Schedule::forward,
                                                   validator::interpreter::Schedule::reverse_threads,
                                                   validator::interpreter::Schedule::reverse_warps});
  for (std::size_t k = 0; k < file.kernels.size(); ++k) {
    SCOPED_TRACE(file.kernels[k].name);
    plan::KernelSpec mine = spec;
    mine.kernel = file.kernels[k].name;
    const pipeline::KernelText found = text.find(mine.kernel, compiled ? Level::ptx : Level::source);
    ASSERT_TRUE(found.kernel) << found.detail;
    const validator::ir::Kernel& kernel = *found.kernel;
    int faults = 0, compared = 0;
    std::string first;
    // A fault may show for few inputs; the search for it ends with the first.
    const int most = k == 0 ? launches() : 10 * launches();
    for (int n = 0; n < most && (k == 0 || faults == 0); ++n) {
      const std::size_t at = n < 8 ? static_cast<std::size_t>(n) : random();
      const validator::Sizes& chosen_sizes = sizes[at % sizes.size()];
      const validator::Experiment e =
          validator::execute(mine, kernel, chosen_sizes, random() % 1000, schedules[random() % 3], 400'000);
      compared += e.skipped.empty() ? 1 : 0;
      if (e.result.faults.empty() && e.differences.empty()) continue;
      ++faults;
      if (first.empty())
        first = e.result.faults.empty() ? e.differences[0].place + ": expected " + e.differences[0].expected +
                                              ", found " + e.differences[0].actual
                                        : e.result.faults[0].summary;
    }
    if (k == 0) {
      EXPECT_EQ(faults, 0) << first;
      EXPECT_GT(compared, 0) << "no launch was compared with the specification";
    } else {
      EXPECT_GT(faults, 0) << "no launch shows the fault";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CorpusLaunches, ::testing::ValuesIn(chosen()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hallmark
