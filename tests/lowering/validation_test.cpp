// The whole chain on emitted kernels: formulate, lower, derive the statements, read the text back (and nvcc's
// PTX of it where nvcc is), prove. Nothing may be refuted; what is proved is printed, and the kernels below
// stay proved.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "base/files.h"
#include "base/process.h"
#include "formulation/formulate.h"
#include "formulation/suggest_orders.h"
#include "lowering/lower.h"
#include "plan/derive_spec.h"
#include "programs_models.h"
#include "validator/checks/discharge.h"
#include "validator/llvm/source_reader.h"
#include "validator/ptx/reader.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

struct Counts {
  std::size_t proved = 0, refuted = 0, unrun = 0, values = 0, values_proved = 0;
};

std::string nvcc() {
  const std::string path = find_tool("nvcc").value_or("/usr/local/cuda/bin/nvcc");
  return run_process({path, "--version"}, {}, {.memory_bytes = 0}).ok() ? path : "";
}

Counts validate(const Program& exact, Level level, const lowering::Schedule& schedule = {}) {
  formulation::Options options;
  options.orders = formulation::suggest_orders(exact);
  const Program formulation = formulation::formulate(exact, options).program;
  const lowering::Artifact artifact = lowering::lower(formulation, schedule);
  const std::vector<plan::KernelSpec> specs = plan::derive_specs(formulation, artifact.plan);
  smt::Portfolio portfolio;
  const TemporaryFolder folder;
  Counts counts;
  for (std::size_t k = 0; k < artifact.kernels.size(); ++k) {
    const lowering::KernelFile& file = artifact.kernels[k];
    const std::string path = folder.path() + "/" + file.name;
    write_file(path, file.text);
    const auto start = std::chrono::steady_clock::now();
    validator::ir::Module module;
    if (level == Level::source) {
      module = validator::source::read_cuda(path).module;
    } else {
      const ProcessResult built =
          run_process({nvcc(), "-ptx", "-arch=sm_90", "--fmad=false", "-o", path + ".ptx", path}, {},
                      {.memory_bytes = 0});
      EXPECT_TRUE(built.ok()) << built.err;
      module = validator::ptx::read_ptx(read_file(path + ".ptx"), file.name + ".ptx");
    }
    const validator::ir::KernelReading* reading = nullptr;
    for (const auto& candidate : module.kernels)
      if (candidate.name == file.kernel || candidate.source_name == file.kernel) reading = &candidate;
    if (reading == nullptr || !reading->kernel) {
      ADD_FAILURE() << file.kernel
                    << " cannot be read: " << (reading != nullptr ? reading->refusal->render() : "");
      ++counts.unrun;
      continue;
    }
    std::vector<Obligation> obligations = validator::list_obligations(specs[k], *reading->kernel, level);
    validator::discharge(obligations, specs[k], *reading->kernel, level, portfolio);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::size_t proved = 0;
    for (const Obligation& o : obligations) {
      const bool is_value = o.kind == ObligationKind::value;
      counts.values += is_value ? 1 : 0;
      if (o.outcome.state == State::proved) {
        ++proved;
        ++counts.proved;
        counts.values_proved += is_value ? 1 : 0;
        continue;
      }
      ++(o.outcome.state == State::refuted ? counts.refuted : counts.unrun);
      std::cout << "  " << name(o.outcome.state) << " " << o.id << " " << name(o.outcome.reason) << ": "
                << o.outcome.detail << (o.outcome.witness ? " | " + o.outcome.witness->summary : "") << "\n";
    }
    std::cout << file.kernel << ": " << proved << " of " << obligations.size() << " proved in " << seconds
              << " s\n";
    if (proved != obligations.size() && std::getenv("HALLMARK_SHOW_KERNELS") != nullptr)
      std::cout << file.text;
  }
  return counts;
}

struct Case {
  const char* name;
  Program (*program)();
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class Validation : public ::testing::TestWithParam<Case> {};

TEST_P(Validation, SourceLevel) {
  const Counts counts = validate(GetParam().program(), Level::source);
  EXPECT_EQ(counts.refuted, 0U);
  EXPECT_EQ(counts.unrun, 0U);
}

TEST_P(Validation, PtxLevel) {
  if (nvcc().empty()) GTEST_SKIP() << "no nvcc: obligations at level ptx are not discharged";
  const Counts counts = validate(GetParam().program(), Level::ptx);
  EXPECT_EQ(counts.refuted, 0U);
  EXPECT_EQ(counts.unrun, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Validation,
    ::testing::Values(Case{"Relu", [] { return relu(1000); }}, Case{"Add", [] { return addition(7, 33); }},
                      Case{"MatMul", [] { return matmul(n(5), n(9), n(17)); }},
                      Case{"TiledMatMul", [] { return matmul(n(64), n(48), n(32)); }},
                      Case{"TiledMatMulRagged", [] { return matmul(n(70), n(50), n(37)); }},
                      // More tiles than a loop is ever written out for.
                      Case{"TiledMatMulOfManyTiles", [] { return matmul(n(32), n(3072), n(32)); }},
                      Case{"Softmax", [] { return softmax(n(12), n(300)); }},
                      Case{"LayerNorm", [] { return layer_norm(n(128), n(768)); }},
                      Case{"DenseGelu", [] { return dense_gelu(128, 768, 3072); }},
                      Case{"Attention", [] { return attention(128, 12, 64); }}),
    [](const ::testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hallmark::testing
