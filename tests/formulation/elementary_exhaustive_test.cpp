// Every one of the 2^32 arguments. Long: some minutes.
#include <gtest/gtest.h>

#include "elementary_reference.h"

namespace hallmark::testing {
namespace {

class Exhaustive : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Exhaustive, WithinTheStatedError) {
  const Checked& function = checked_functions().at(GetParam());
  constexpr long chunk = 1L << 26;
  const lowering::Artifact artifact = elementwise(function.op, chunk);
  double worst = 0;
  std::uint32_t worst_at = 0;
  for (long part = 0; part < (1L << 32) / chunk; ++part) {
    Tensors tensors;
    Values& x = tensors["X"];
    x = {calculus::Format::f32, {chunk}, {}};
    x.bits.resize(chunk);
    for (long k = 0; k < chunk; ++k)
      x.bits[static_cast<std::size_t>(k)] = static_cast<std::uint64_t>(part * chunk + k);
    run_on_cpu(artifact, {}, tensors);
    for (std::size_t k = 0; k < x.bits.size(); ++k) {
      const float argument = as_float(x.bits[k]);
      const double error = ulp_error(argument, as_float(tensors["Y"].bits[k]), function.reference(argument));
      if (error > worst) {
        worst = error;
        worst_at = static_cast<std::uint32_t>(x.bits[k]);
      }
    }
  }
  std::printf("%s: %.4f ulp at %a\n", function.name, worst, static_cast<double>(as_float(worst_at)));
  EXPECT_LE(worst, function.bound);
}

INSTANTIATE_TEST_SUITE_P(Functions, Exhaustive, ::testing::Range<std::size_t>(0, checked_functions().size()));

}  // namespace
}  // namespace hallmark::testing
