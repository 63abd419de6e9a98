// Mutants of the sample kernels: none is proved that an execution can tell from the specification.
// discharge() itself holds every proof against executed launches and throws when they disagree; here a longer
// look is taken at each mutant that was proved throughout.
#include "mutants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support.h"
#include "validator/checks/experiment.h"
#include "validator/ptx/reader.h"

namespace hallmark::validator::testing {
namespace {

// Whether some launch shows a fault or a difference.
std::string told_apart(const plan::KernelSpec& spec, const ir::Kernel& kernel) {
  static constexpr interpreter::Schedule schedules[] = {interpreter::Schedule::forward,
                                                        interpreter::Schedule::reverse_threads,
                                                        interpreter::Schedule::reverse_warps};
  std::uint64_t left = 20'000'000;
  std::size_t n = 0;
  for (const Sizes& sizes : small_sizes(spec, 40)) {
    const Experiment e = execute(spec, kernel, sizes, n % 2, schedules[n % 3], left);
    ++n;
    left -= std::min(left, e.result.steps);
    if (!e.result.faults.empty()) return e.result.faults.front().summary;
    if (!e.differences.empty()) return e.differences.front().place;
    if (left == 0) break;
  }
  return "";
}

class Mutants : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(Mutants, NoneIsProvedThatAnExecutionTellsApart) {
  const auto& [file, kernel] = GetParam();
  const plan::KernelSpec spec = sample_spec(kernel);
  std::size_t made = 0, refuted = 0;
  for (const Mutant& mutant : ptx_mutants(kernel_text(file + ".ptx"), kernel)) {
    ir::Module module;
    try {
      module = ptx::read_ptx(mutant.text, "mutant.ptx");
    } catch (const UserError&) {
      continue;  // no PTX any more
    }
    const ir::Kernel* read = nullptr;
    for (const ir::KernelReading& reading : module.kernels)
      if (reading.name == kernel && reading.kernel) read = &*reading.kernel;
    if (read == nullptr) continue;
    ++made;
    std::vector<Obligation> all;
    try {
      all = check(spec, *read, Level::ptx);
    } catch (const Error& error) {
      ADD_FAILURE() << mutant.name << ": " << error.render();
      continue;
    }
    bool any_refuted = false, any_unrun = false;
    for (const Obligation& o : all) {
      any_refuted = any_refuted || o.outcome.state == State::refuted;
      any_unrun = any_unrun || o.outcome.state == State::unrun;
      if (o.outcome.state != State::refuted) continue;
      ASSERT_TRUE(o.outcome.witness.has_value());
      EXPECT_EQ(o.outcome.witness->executed_by, "interpreter");
    }
    std::cout << (any_refuted ? "refuted "
                  : any_unrun ? "not proved "
                              : "proved ")
              << mutant.name << std::endl;
    if (any_refuted) ++refuted;
    if (!any_refuted && !any_unrun) {
      EXPECT_EQ(told_apart(spec, *read), "") << mutant.name << " was proved";
    }
  }
  // Most faults are found by execution; the rest is equivalent or needs sizes beyond small launches.
  EXPECT_GE(refuted * 2, made);
}

INSTANTIATE_TEST_SUITE_P(All, Mutants, ::testing::ValuesIn([] {
                           std::vector<std::pair<std::string, std::string>> out;
                           for (const auto& sample : sample_kernels())  // conv3x3 and center: long
                             if (sample.second != "conv3x3" && sample.second != "center")
                               out.push_back(sample);
                           return out;
                         }()),
                         [](const auto& info) { return info.param.second; });

TEST(MutantCount, ThereAreAtLeastSixty) {
  std::size_t count = 0;
  for (const auto& [file, kernel] : sample_kernels())
    count += ptx_mutants(kernel_text(file + ".ptx"), kernel).size();
  EXPECT_GE(count, 60u);
}

}  // namespace
}  // namespace hallmark::validator::testing
