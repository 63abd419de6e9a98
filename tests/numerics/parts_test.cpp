// Where a domain is left by the box of an operand, and not by its values: inputs are cut into parts.
#include <gtest/gtest.h>

#include "calculus/text/text.h"
#include "numerics/pointwise.h"
#include "numerics/program_analysis.h"

namespace hallmark::numerics {
namespace {

using calculus::Program;

Program program(const std::string& t, const std::string& y, const std::string& meaning) {
  return calculus::text::parse_program(
      "hallmark 1\nprogram " + meaning +
          "\nsymbol N : 2 .. 100\ninput x : f32[N]\ninput w : f32[N]\ndefine q : f32[i < N] = x[i] * x[i]\n"
          "define t : f32[i < N] = " +
          t + "\ndefine y : f32[i < N] = " + y + "\noutput y\n",
      "p.hm");
}

bool shown(const std::string& t, const std::string& y = "sqrt(t[i])") {
  contract::Contract box;
  for (const char* input : {"x", "w"}) {
    box.inputs[input].low = -1;
    box.inputs[input].high = 1;
  }
  const Program exact = program(t, y, "exact"), formulation = program(t, y, "rounded");
  const ProgramResult real = analyse({exact, box, nullptr, nullptr, nullptr, nullptr}, Pass::exact),
                      local = analyse({formulation, box, nullptr, nullptr, nullptr, nullptr}, Pass::local);
  const ProgramResult composed = analyse({formulation, box, nullptr, nullptr, &local, &real}, Pass::composed);
  const bool in_reals = real.at("y").value.has_value();
  EXPECT_EQ(in_reals, local.at("y").value.has_value()) << t;
  EXPECT_EQ(in_reals, composed.at("y").value.has_value()) << t;
  return in_reals;
}

TEST(BoxesInParts, ShowWhatOneBoxDoesNot) {
  EXPECT_TRUE(shown("q[i] - x[i] + 0.5"));
  EXPECT_TRUE(shown("q[i] - x[i] + 0.28125"));
  EXPECT_TRUE(shown("x[i] * (1 - x[i]) + 2.125", "log(t[i])"));
  EXPECT_TRUE(shown("q[i] - 2 * (x[i] * w[i]) + w[i] * w[i] + 1.5", "1 / t[i]"));
}

TEST(BoxesInParts, ShowNothingThatIsFalse) {
  EXPECT_FALSE(shown("q[i] - x[i] + 0.1875"));
  EXPECT_FALSE(shown("q[i] - x[i] + 0.2421875"));
  EXPECT_FALSE(shown("x[i] * (1 - x[i]) + 1.875", "log(t[i])"));
  EXPECT_FALSE(shown("q[i] - 2 * (x[i] * w[i]) + w[i] * w[i]", "1 / t[i]"));
}

// What two elements are has nothing to do with each other.
TEST(BoxesInParts, AreOfOneElement) {
  for (const char* other : {"x[N - 1 - i]", "x[0]", "(max(k < N) x[k])", "w[i]"})
    EXPECT_FALSE(shown("q[i] - " + std::string(other) + " + 0.5")) << other;
  const Program p = program("q[i] - x[0] + 0.5", "sqrt(t[i])", "exact");
  EXPECT_FALSE(pointwise(p, p.definitions[1]));
  const Program one = program("q[i] - x[i] + w[i]", "sqrt(t[i])", "exact");
  ASSERT_TRUE(pointwise(one, one.definitions[1]));
  EXPECT_EQ(pointwise(one, one.definitions[1])->inputs, std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace hallmark::numerics
