#include <gtest/gtest.h>

#include <random>

#include "elementary_reference.h"
#include "formulation/functions.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

std::vector<std::uint64_t> arguments(std::size_t count) {
  std::vector<std::uint64_t> bits;
  // Ends of ranges and of formats, thresholds of the implementations, and their neighbours.
  for (const float x :
       {0.0f,           1.0f,   2.0f,     0.5f,   0.55f,    0.927734375f, 4.0f,       9.25f,
        88.72284f,      89.0f,  103.97f,  104.0f, 150.0f,   0.70710678f,  1.4142135f, 3.4028235e38f,
        1.1754944e-38f, 1e-45f, INFINITY, NAN,    0x1p-64f, 0x1p64f})
    for (int step = -3; step <= 3; ++step)
      for (const std::uint32_t sign : {0u, 0x80000000u})
        bits.push_back((std::bit_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(step)) ^ sign);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> usual(-20, 20);
  while (bits.size() < count)
    bits.push_back(bits.size() % 2 == 0 ? random() : std::bit_cast<std::uint32_t>(usual(random)));
  return bits;
}

TEST(Elementary, WithinTheStatedErrorOnAMillionArguments) {
  const std::vector<std::uint64_t> xs = arguments(1 << 20);
  for (const Checked& function : checked_functions()) {
    const lowering::Artifact artifact = elementwise(function.op, static_cast<long>(xs.size()));
    Tensors tensors;
    tensors["X"] = {Format::f32, {static_cast<long>(xs.size())}, xs};
    run_on_cpu(artifact, {}, tensors);
    double worst = 0;
    float worst_at = 0;
    for (std::size_t k = 0; k < xs.size(); ++k) {
      const float x = as_float(xs[k]);
      const double error = ulp_error(x, as_float(tensors["Y"].bits[k]), function.reference(x));
      if (error > worst) {
        worst = error;
        worst_at = x;
      }
    }
    RecordProperty(function.name, std::to_string(worst));
    std::printf("%s: %.3f ulp at %a\n", function.name, worst, static_cast<double>(worst_at));
    EXPECT_LE(worst, function.bound) << function.name << " at " << worst_at;
  }
}

// The emitted text and the calculus term are one function, bit for bit.
TEST(Elementary, TextAndTermAgree) {
  const std::vector<std::uint64_t> xs = arguments(2400);
  for (const Checked& function : checked_functions()) {
    const Function& term =
        formulation::find_elementary_function(*formulation::implementation(function.op, Format::f32))
            ->function;
    Tensors tensors;
    tensors["X"] = {Format::f32, {static_cast<long>(xs.size())}, xs};
    run_on_cpu(elementwise(function.op, static_cast<long>(xs.size())), {}, tensors);
    for (std::size_t k = 0; k < xs.size(); ++k) {
      const std::uint64_t want = evaluate_float(term.body, {{term.parameters[0], xs[k]}}),
                          got = tensors["Y"].bits[k];
      if (std::isnan(as_float(want)) && std::isnan(as_float(got))) continue;
      ASSERT_EQ(want, got) << function.name << " at " << as_float(xs[k]);
    }
  }
}

}  // namespace
}  // namespace hallmark::testing
