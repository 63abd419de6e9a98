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

TEST(Mutants, NoneIsProvedThatAnExecutionTellsApart) {
  std::size_t made = 0, refuted = 0, proved = 0, unrun = 0;
  std::string survivors;
  for (const auto& [file, kernel] : sample_kernels()) {
    if (kernel == "conv3x3" || kernel == "center" || kernel == "matmul_fma") continue;  // long ones
    const plan::KernelSpec spec = sample_spec(kernel);
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
        if (o.outcome.state == State::refuted) {
          ASSERT_TRUE(o.outcome.witness.has_value());
          EXPECT_EQ(o.outcome.witness->executed_by, "interpreter");
        }
      }
      std::cout << (any_refuted ? "refuted "
                    : any_unrun ? "not proved "
                                : "proved ")
                << mutant.name << std::endl;
      if (any_refuted) {
        ++refuted;
      } else if (any_unrun) {
        ++unrun;
        survivors += "  not proved, no witness: " + mutant.name + "\n";
      } else {
        ++proved;
        EXPECT_EQ(told_apart(spec, *read), "") << mutant.name << " was proved";
        survivors += "  proved (equivalent): " + mutant.name + "\n";
      }
    }
  }
  RecordProperty("made", static_cast<int>(made));
  std::cout << fmt::format("{} mutants: {} refuted by execution, {} not proved, {} proved and equal\n{}",
                           made, refuted, unrun, proved, survivors);
  EXPECT_GE(made, 60u);
  EXPECT_GE(refuted * 10, made * 6);
}

}  // namespace
}  // namespace hallmark::validator::testing
