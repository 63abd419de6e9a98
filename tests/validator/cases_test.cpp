// The seven shared kernel cases, both kernels of each, at source level: the verdicts of their headers.
#include "cases.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "validator/llvm/source_reader.h"

namespace hallmark::validator::testing {
namespace {

class SharedCase : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (shared_folder().empty()) GTEST_SKIP() << "the shared folder ../shared is not here";
    if (!source::clang_is_there({})) GTEST_SKIP() << "clang++-14 is not installed";
    for (KernelCase& c : kernel_cases())
      if (c.prefix == GetParam()) case_ = c;
    module_ = source::read_cuda(shared_folder() + "/cases/kernels/" + case_.file).module;
  }
  std::vector<Obligation> check_kernel(const std::string& suffix) {
    plan::KernelSpec spec = case_.spec;
    spec.kernel = case_.prefix + suffix;
    return check(spec, ir::find_kernel(module_, spec.kernel), Level::source);
  }
  KernelCase case_;
  ir::Module module_;
};

TEST_P(SharedCase, TheRightKernelIsProved) {
  std::vector<Obligation> all = check_kernel("_ok");
  if (!case_.value_of_ok) {
    // Sums through shuffles and stages: not decided here, and never refuted.
    std::erase_if(all, [](const Obligation& o) {
      if (o.kind == ObligationKind::value) {
        EXPECT_NE(o.outcome.state, State::refuted);
      }
      return o.kind == ObligationKind::value;
    });
  }
  EXPECT_EQ(not_proved(all), "");
}

TEST_P(SharedCase, TheWrongKernelIsRefutedByExecution) {
  const std::vector<Obligation> all = check_kernel("_bad");
  for (ObligationKind kind : case_.refuted)
    EXPECT_EQ(state_of_kind(all, kind), State::refuted) << name(kind) << "\n" << not_proved(all);
  for (ObligationKind kind : case_.proved)
    EXPECT_EQ(state_of_kind(all, kind), State::proved) << name(kind) << "\n" << not_proved(all);
  for (const Obligation& o : all)
    if (o.outcome.state == State::refuted) {
      EXPECT_FALSE(o.outcome.witness->summary.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(All, SharedCase, ::testing::Values("k01", "k03", "k05", "k08", "k11", "k13", "k14"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hallmark::validator::testing
