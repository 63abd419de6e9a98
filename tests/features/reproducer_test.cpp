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

// Rules and programs without a kernel of their own: both sides, or the emitted kernels, on the witness.
struct RuleReproducer : KernelReproducer {
  void make_rule(const std::string& body) {
    const ProcessResult proved =
        start({"rules", "prove", written("r.hm", "hallmark 1\nrule r\n" + body), "--reproducer", folder});
    ASSERT_EQ(proved.code, 1) << proved.out << proved.err;
    ASSERT_TRUE(std::filesystem::exists(folder + "/reproduce.cpp")) << read_file(folder + "/README.txt");
    compile("reproduce.cpp", "reproduce");
  }
  void compile(const std::string& source, const std::string& to) {
    const ProcessResult compiled = run_process(
        {"g++", "-std=c++17", "-O0", "-w", "-ffp-contract=off", source, "-o", to}, "", limits, folder);
    ASSERT_TRUE(compiled.ok()) << compiled.err;
  }
  // The difference shows; and with the left side in the place of the right one it does not.
  void shows(const std::string& what) {
    const ProcessResult result = run("");
    EXPECT_EQ(result.code, 0) << result.out;
    EXPECT_NE(result.out.find("the difference shows"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find(what), std::string::npos) << result.out;
    if (what.find("element") == std::string::npos) return;
    std::string text = read_file(folder + "/reproduce.cpp");
    const std::string call = "r = right();";
    text.replace(text.find(call), call.size(), "r = left();");
    write_file(folder + "/twin.cpp", text);
    compile("twin.cpp", "twin");
    EXPECT_EQ(run_process({folder + "/twin"}, "", limits, folder).code, 1);
  }
};

TEST_F(RuleReproducer, RealsWithSums) {
  make_rule(
      "  size M\n  size N\n  input x : f32[M, N]\n  input v : f32[N]\n"
      "  left  Y : f32[i < M] = sum(j < N) x[i, j] * v[j]\n"
      "  right Y : f32[i < M] = (sum(j < N) x[i, j]) * (sum(j < N) v[j])\n");
  if (HasFatalFailure()) return;
  shows("element 0: left 0, right 1");
  EXPECT_EQ(read_file(folder + "/tensors/x.npy").substr(1, 5), "NUMPY");
  const ProcessResult numpy =
      run_process({"/usr/bin/python3", "-c", "import numpy; print(numpy.load('tensors/x.npy').shape)"}, "",
                  limits, folder);
  if (numpy.ok()) {
    EXPECT_EQ(numpy.out, "(1, 2)\n");
  }
}

TEST_F(RuleReproducer, IntegersThatWrap) {
  make_rule(
      "  size N\n  input x : i32[N]\n  left  Y : i32[i < N] = (x[i] * 2) / 2\n  right Y : i32[i < N] = "
      "x[i]\n");
  if (HasFatalFailure()) return;
  shows("element 0: left 0, right -2147483648");
}

TEST_F(RuleReproducer, FunctionsMaximaAndChoices) {
  make_rule(
      "  size N\n  require N > 2\n  input x : f32[N]\n"
      "  left  Y : f32[i < N] = if i < 2 then exp(x[i]) else max(x[i], 0)\n"
      "  right Y : f32[i < N] = if i < 1 then exp(x[i]) else max(x[i], 0)\n");
  if (HasFatalFailure()) return;
  shows("element 1: ");
}

TEST_F(RuleReproducer, AReadOutsideATensor) {
  make_rule(
      "  size N\n  require N > 0\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i] + x[i + 1] - x[i + 1]\n"
      "  right Y : f32[i < N] = x[i]\n");
  if (HasFatalFailure()) return;
  shows("reads outside x");
}

TEST_F(RuleReproducer, OfARightRuleThereIsNone) {
  const ProcessResult proved =
      start({"rules", "prove",
             written("r.hm",
                     "hallmark 1\nrule r\n  size N\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i] + 0\n"
                     "  right Y : f32[i < N] = x[i]\n"),
             "--reproducer", folder});
  EXPECT_EQ(proved.code, 0) << proved.out;
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_NE(proved.err.find("nothing is refuted"), std::string::npos) << proved.err;
}

// Numerics: an operation outside its domain, and one beyond the range of its format.
TEST_F(RuleReproducer, ValuesThatAreNotFinite) {
  const auto model = [&](const std::string& name, const std::string& body) {
    return written(
        name.c_str(),
        "<ir_version: 8, opset_import: [\"\" : 17]>\nm (float[N] x) => (float[N] y)\n{\n" + body + "}\n");
  };
  written("over.contract.toml", "version = 1\n[inputs.x]\nlow = -1e30\nhigh = 1e30\n");
  const std::vector<std::vector<std::string>> cases{
      {model("roots.onnxtxt", "  y = Sqrt(x)\n"), "defined/y/model", "defined/y/plan", "range/y/plan"},
      {model("over.onnxtxt", "  a = Mul(x, x)\n  y = Mul(a, a)\n"), "range/a/plan", "tolerance/y/model"}};
  for (const std::vector<std::string>& each : cases) {
    const std::string out = top.path() + "/out";
    std::filesystem::remove_all(out);
    ASSERT_EQ(start({"run", each[0], "-o", out}).code, 1);
    for (std::size_t i = 1; i < each.size(); ++i) {
      std::filesystem::remove_all(folder);
      const ProcessResult replayed = start({"replay", out, each[i], "--reproducer", folder});
      EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
      ASSERT_TRUE(std::filesystem::exists(folder + "/reproduce.cpp"))
          << each[i] << read_file(folder + "/README.txt");
      EXPECT_TRUE(std::filesystem::exists(folder + "/tensors/x.npy"));
      compile("reproduce.cpp", "reproduce");
      if (HasFatalFailure()) return;
      const ProcessResult result = run("forward");
      EXPECT_EQ(result.code, 0) << each[i] << result.out << result.err;
      EXPECT_NE(result.out.find("the difference shows"), std::string::npos) << each[i] << result.out;
    }
  }
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
