// Sample kernels in the style of lowering, from nvcc's PTX: everything is proved by both solvers.
#include <gtest/gtest.h>

#include "support.h"

namespace hallmark::validator::testing {
namespace {

class SampleKernel : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(SampleKernel, IsProvedFromPtx) {
  const auto& [file, kernel] = GetParam();
  const ir::Module module = read_fixture(file);
  const std::vector<Obligation> all = check(sample_spec(kernel), ir::find_kernel(module, kernel), Level::ptx);
  EXPECT_EQ(not_proved(all), "");
  // The list has at least one obligation of each kind that every kernel has.
  for (ObligationKind kind :
       {ObligationKind::bounds, ObligationKind::race, ObligationKind::coverage, ObligationKind::frame,
        ObligationKind::value, ObligationKind::init, ObligationKind::termination, ObligationKind::launch})
    EXPECT_EQ(state_of_kind(all, kind), State::proved) << name(kind);
}

INSTANTIATE_TEST_SUITE_P(All, SampleKernel, ::testing::ValuesIn(sample_kernels()),
                         [](const auto& info) { return info.param.second; });

}  // namespace
}  // namespace hallmark::validator::testing
