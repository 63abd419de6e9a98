#include "check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/files.h"
#include "base/process.h"
#include "emulator.h"
#include "plan/derive_spec.h"

namespace hallmark::testing {

using namespace calculus;

namespace {

bool same_value(std::uint64_t a, std::uint64_t b, Format format) {
  if (a == b) return true;
  if (format == Format::f32)
    return std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(a))) &&
           std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  if (format == Format::f64)
    return std::isnan(std::bit_cast<double>(a)) && std::isnan(std::bit_cast<double>(b));
  return false;
}

void fill_inputs(const Program& program, const std::map<std::string, long>& symbols, Tensors& tensors) {
  unsigned seed = 1;
  const auto fill = [&](const Declaration& declaration) {
    ++seed;
    if (tensors.count(declaration.name) != 0) return;
    Substitution map;
    for (const auto& [symbol, value] : symbols) map[calculus::symbol(symbol)] = integer(value);
    std::vector<long> extents;
    for (Term extent : declaration.extents) extents.push_back(as_integer(substitute(extent, map))->get_si());
    tensors[declaration.name] = random_values(declaration.format, extents, seed);
  };
  for (const Declaration& input : program.inputs) fill(input);
  for (const Constant& constant : program.constants) fill(constant.declaration);
}

}  // namespace

void expect_kernels_match(const Program& exact, const formulation::Options& options,
                          const lowering::Schedule& schedule, const std::map<std::string, long>& symbols,
                          Tensors inputs) {
  const Program formulation = formulation::formulate(exact, options).program;
  const lowering::Artifact artifact = lowering::lower(formulation, schedule);
  EXPECT_EQ(plan::derive_specs(formulation, artifact.plan).size(), artifact.kernels.size());
  EXPECT_EQ(canonical_json(plan::to_json(plan::launch_plan_from_json(plan::to_json(artifact.plan)))),
            canonical_json(plan::to_json(artifact.plan)));
  fill_inputs(exact, symbols, inputs);
  Tensors expected = inputs, actual = inputs;
  evaluate(formulation, symbols, expected);
  run_on_cpu(artifact, symbols, actual);
  for (const plan::PlannedLaunch& launch : artifact.plan.launches)
    for (const std::string& name : launch.computes) {
      const Values &want = expected.at(name), &got = actual.at(name);
      ASSERT_EQ(want.extents, got.extents);
      std::size_t different = 0;
      for (std::size_t k = 0; k < want.bits.size(); ++k)
        if (!same_value(want.bits[k], got.bits[k], want.format) && ++different == 1)
          ADD_FAILURE() << launch.kernel << " differs at " << name << "[" << k << "]: expected " << std::hex
                        << want.bits[k] << ", got " << got.bits[k];
      if (different > 0)
        for (const lowering::KernelFile& file : artifact.kernels)
          if (file.kernel == launch.kernel) ADD_FAILURE() << different << " elements differ\n" << file.text;
    }
}

void expect_texts_compile(const lowering::Artifact& artifact) {
  const TemporaryFolder folder;
  std::string nvcc = find_tool("nvcc").value_or("");
  if (nvcc.empty() && run_process({"/usr/local/cuda/bin/nvcc", "--version"}).ok())
    nvcc = "/usr/local/cuda/bin/nvcc";
  for (const lowering::KernelFile& file : artifact.kernels) {
    const std::string path = folder.path() + "/" + file.name;
    write_file(path, file.text);
    if (!nvcc.empty()) {
      const ProcessResult built = run_process(
          {nvcc, "-ptx", "-arch=sm_90", "--fmad=false", "-Werror", "all-warnings", "-o", path + ".ptx", path},
          {}, {.wall = std::chrono::milliseconds(120'000), .memory_bytes = 0});
      EXPECT_TRUE(built.ok() && (built.out + built.err).empty()) << built.out << built.err << file.text;
    }
    const ProcessResult built =
        run_process({"clang++-14",
                     "-x",
                     "cuda",
                     "-std=c++17",
                     "--cuda-device-only",
                     "--cuda-gpu-arch=sm_80",
                     "-nocudainc",
                     "-nocudalib",
                     "-include",
                     HALLMARK_SOURCE_DIR "/tests/lowering/clang_stubs.h",
                     "-ffp-contract=off",
                     "-Wall",
                     "-Wextra",
                     "-Werror",
                     "-Wno-unknown-cuda-version",
                     "-S",
                     "-emit-llvm",
                     "-o",
                     path + ".ll",
                     path},
                    {}, {.wall = std::chrono::milliseconds(60'000), .memory_bytes = 0});
    EXPECT_TRUE(built.ok()) << built.err << file.text;
  }
}

}  // namespace hallmark::testing
