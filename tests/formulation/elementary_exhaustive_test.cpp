// Every one of the 2^32 arguments, through a loop that is compiled with the emitted text. Long: some minutes
// a function.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/files.h"
#include "base/process.h"
#include "elementary_reference.h"

namespace hallmark::testing {
namespace {

constexpr long chunk = 1L << 16;  // small enough for the processor's cache

// Runs the kernel over the arguments whose bits start at `first`.
constexpr const char* loop = R"(
extern "C" void sweep(unsigned first, unsigned blocks, unsigned threads, float* x, float* y) {
  blockDim = {threads, 1, 1};
  gridDim = {blocks, 1, 1};
  for (unsigned k = 0; k < CHUNK; ++k) x[k] = __uint_as_float(first + k);
  for (unsigned b = 0; b < blocks; ++b)
    for (unsigned t = 0; t < threads; ++t) {
      blockIdx = {b, 0, 0};
      threadIdx = {t, 0, 0};
      KERNEL;
    }
}
)";
using Sweep = void (*)(std::uint32_t first, unsigned blocks, unsigned threads, float* x, float* y);

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

class Exhaustive : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Exhaustive, WithinTheStatedError) {
  const Checked& function = checked_functions().at(GetParam());
  const lowering::Artifact artifact = elementwise(function.op, chunk);
  ASSERT_EQ(artifact.plan.launches.size(), 1u);
  const plan::PlannedLaunch& launch = artifact.plan.launches[0];
  std::string call = launch.kernel + "(";
  for (const plan::Argument& argument : launch.arguments) {
    ASSERT_TRUE(argument.buffer == "X" || argument.buffer == "Y");
    call += (call.back() == '(' ? "" : ", ") + std::string(argument.buffer == "X" ? "x" : "y");
  }
  unsigned size[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    const Integer* number = calculus::as_integer(i == 0 ? launch.grid[0] : launch.block[0]);
    ASSERT_NE(number, nullptr);
    size[i] = static_cast<unsigned>(number->get_ui());
  }
  const TemporaryFolder folder;
  const std::string source = folder.path() + "/sweep.cpp", library = source + ".so";
  write_file(source, "#include \"" HALLMARK_SOURCE_DIR "/tests/lowering/cuda_on_cpu.h\"\n" +
                         artifact.kernels.at(0).text +
                         replaced(replaced(loop, "CHUNK", std::to_string(chunk)), "KERNEL", call + ")"));
  const ProcessResult built = run_process({"g++", "-std=c++17", "-O2", "-march=native", "-ffp-contract=off",
                                           "-w", "-shared", "-fPIC", "-o", library, source});
  ASSERT_TRUE(built.ok()) << built.err;
  const std::unique_ptr<void, int (*)(void*)> handle(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto sweep = reinterpret_cast<Sweep>(dlsym(handle.get(), "sweep"));
  ASSERT_NE(sweep, nullptr);
  std::vector<float> x(chunk), y(chunk);
  double worst = 0;
  std::uint32_t worst_at = 0;
  for (long part = 0; part < (1L << 32) / chunk; ++part) {
    // What is not written is seen: no function's values are these bits throughout.
    std::fill(y.begin(), y.end(), 12345.678f);
    const auto first = static_cast<std::uint32_t>(part * chunk);
    sweep(first, size[0], size[1], x.data(), y.data());
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double error = ulp_error(x[k], y[k], function.reference(x[k]));
      if (error > worst) {
        worst = error;
        worst_at = first + static_cast<std::uint32_t>(k);
      }
    }
  }
  std::printf("%s: %.4f ulp at %a\n", function.name, worst, static_cast<double>(as_float(worst_at)));
  EXPECT_LE(worst, function.bound);
}

INSTANTIATE_TEST_SUITE_P(Functions, Exhaustive, ::testing::Range<std::size_t>(0, checked_functions().size()));

}  // namespace
}  // namespace hallmark::testing
