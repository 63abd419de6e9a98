// A refuted kernel as programs that a stranger compiles: the C++ one shows the difference here, the CUDA one
// compiles.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "pipeline/program.h"

namespace hallmark {
namespace {

using testing::start;

struct KernelReproducer : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/r";
  ProcessLimits limits;

  void SetUp() override {
    limits.memory_bytes = 0;                // the address sanitizer reserves more than any limit
    limits.wall = std::chrono::minutes(8);  // compilers on a busy machine
  }
  // Checks the kernel, which must be refuted, and compiles both programs.
  void make(const std::string& file, const std::string& kernel, const std::string& spec) {
    const ProcessResult check = start({"kernel", "check", file, "--kernel", kernel, "--spec", spec, "--level",
                                       "source", "--reproducer", folder});
    ASSERT_EQ(check.code, 1) << check.out << check.err;
    ASSERT_TRUE(std::filesystem::exists(folder + "/reproduce.cpp")) << read_file(folder + "/README.txt");
    const ProcessResult compiled = run_process({"g++", "-std=c++17", "-O0", "-g", "-w", "-ffp-contract=off",
                                                "-fsanitize=address", "reproduce.cpp", "-o", "reproduce"},
                                               "", limits, folder);
    ASSERT_TRUE(compiled.ok()) << compiled.err;
    const std::string nvcc = find_tool("nvcc") ? "nvcc" : "/usr/local/cuda/bin/nvcc";
    if (!find_tool(nvcc)) return;
    const ProcessResult device =
        run_process({nvcc, "-ptx", "-fmad=false", "reproduce.cu", "-o", "reproduce.ptx"}, "", limits, folder);
    EXPECT_TRUE(device.ok()) << device.err;
  }
  ProcessResult run(const char* schedule) const {
    return run_process({folder + "/reproduce", schedule}, "", limits, folder);
  }
  std::string written(const char* name, const std::string& text) const {
    write_file(top.path() + "/" + name, text);
    return top.path() + "/" + name;
  }
};

TEST_F(KernelReproducer, AWrongValueShowsInEveryOrderOfThreads) {
  make(
      written("k.cu",
              "__global__ void twice(const float* x, float* y, int n) {\n"
              "  const int i = blockIdx.x * 32 + threadIdx.x;\n  if (i < n) y[i] = x[i] + x[i] * x[i];\n}\n"),
      "twice",
      written("k.hm",
              "hallmark 1\nkernel twice\nparam x : f32[n] in\nparam y : f32[n] out\nparam n : i32\n"
              "where 1 <= n <= 2^20\nlaunch grid (ceil_div(n, 32)) block (32)\nensures y[i < n] = x[i] + "
              "x[i]\n"));
  if (HasFatalFailure()) return;
  for (const char* schedule : {"forward", "reverse", "warps"}) {
    const ProcessResult result = run(schedule);
    EXPECT_TRUE(result.ok()) << result.out << result.err;
    EXPECT_NE(result.out.find("the difference shows"), std::string::npos) << result.out;
  }
}

TEST_F(KernelReproducer, AStrayAccessStopsTheAddressSanitizer) {
  const std::string corpus = HALLMARK_SOURCE_DIR "/corpus/kernels/elementwise/vector_add";
  make(corpus + ".cu", "vector_add_off_by_one", corpus + ".hm");
  if (HasFatalFailure()) return;
  const ProcessResult result = run("forward");
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.err.find("heap-buffer-overflow"), std::string::npos) << result.err;
}

TEST_F(KernelReproducer, ARaceMakesTheResultDependOnTheOrderOfThreads) {
  make(written("k.cu",
               "__global__ void pick(const float* x, float* y, int n) {\n"
               "  const int i = blockIdx.x * 32 + threadIdx.x;\n  if (i < n) y[i / 2] = x[i];\n}\n"),
       "pick",
       written("k.hm",
               "hallmark 1\nkernel pick\nparam x : f32[n] in\nparam y : f32[n] out\nparam n : i32\n"
               "where 2 <= n <= 2^20\nlaunch grid (ceil_div(n, 32)) block (32)\n"));
  if (HasFatalFailure()) return;
  const ProcessResult result = run("forward");
  EXPECT_TRUE(result.ok()) << result.out << result.err;
  EXPECT_NE(result.out.find("depends on the order of threads"), std::string::npos) << result.out;
}

TEST_F(KernelReproducer, OfARightKernelThereIsNone) {
  const std::string corpus = HALLMARK_SOURCE_DIR "/corpus/kernels/elementwise/vector_add";
  const ProcessResult check = start({"kernel", "check", corpus + ".cu", "--kernel", "vector_add", "--spec",
                                     corpus + ".hm", "--level", "source", "--reproducer", folder});
  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_NE(check.err.find("nothing is refuted"), std::string::npos);
}

}  // namespace
}  // namespace hallmark
