// A step about Z is believed only where its ranges follow from the contract: whoever writes a bundle writes
// its steps.
#include <gtest/gtest.h>

#include "calculus/text/text.h"
#include "pipeline/elements.h"
#include "pipeline/evidence.h"

namespace hallmark::pipeline {
namespace {

using namespace calculus;

// x * 2 / 2 = x, said of the inner tensor x, which is a * 1000.
Evidence doubled_then_halved(const std::string& low, const std::string& high) {
  Evidence out;
  out.authored = text::parse_program(
      "hallmark 1 program exact input a : i32[3] define x : i32[i < 3] = a[i] * 1000@i32"
      " define T : i32[i < 3] = x[i] * 2@i32 define Y : i32[i < 3] = T[i] / 2@i32 output Y",
      "doubled.hm");
  out.contract =
      contract::parse("version = 1\n[inputs.a]\nlow = " + low + "\nhigh = " + high + "\n", "test.toml");
  search::Step step;
  step.rule = "integers/divide-what-was-multiplied";
  step.tensors = {find_definition(out.authored, "x")->declaration};
  step.left = {*find_definition(out.authored, "T"), *find_definition(out.authored, "Y")};
  Definition right = *find_definition(out.authored, "Y");
  right.body = load("x", {axis(0)}, Sort::integer(Format::i32));
  step.right = {right};
  step.unbounded = true;
  step.ranges = {{"x", {-1000000, 1000000}}};
  out.steps = {step};
  return out;
}

TEST(WholeStep, IsProvedWhereItsRangesFollowFromTheContract) {
  smt::Portfolio portfolio;
  const Obligation o = prove_step(doubled_then_halved("-1000", "1000"), 0, portfolio);
  EXPECT_EQ(o.outcome.state, State::proved) << o.outcome.detail;
  EXPECT_EQ(o.strength, "wrap-around integers");
  EXPECT_EQ(o.id, "rewrite-step/0:integers/divide-what-was-multiplied/plan");
}

TEST(WholeStep, IsNotWhereTheyDoNot) {
  smt::Portfolio portfolio;
  // One element of the contract's box leaves the range that the step claims.
  for (const auto& [low, high] :
       {std::pair("-1001", "1000"), std::pair("-1000", "1001"), std::pair("-3000000", "5")}) {
    const Obligation o = prove_step(doubled_then_halved(low, high), 0, portfolio);
    EXPECT_EQ(o.outcome.state, State::unrun) << low;
    EXPECT_EQ(o.outcome.reason, Reason::gap) << low;
    EXPECT_NE(o.outcome.detail.find("the elements of x are not shown to be from -1000000 to 1000000"),
              std::string::npos)
        << o.outcome.detail;
  }
}

TEST(WholeStep, IsNotForATensorOfWhichNothingIsKnown) {
  smt::Portfolio portfolio;
  Evidence e = doubled_then_halved("-1000", "1000");
  e.steps[0].ranges["no such tensor"] = {0, 1};
  EXPECT_EQ(prove_step(e, 0, portfolio).outcome.state, State::unrun);
  // Without any range the format's own is left, and 2 x wraps in it.
  e = doubled_then_halved("-1000", "1000");
  e.steps[0].ranges.clear();
  EXPECT_EQ(prove_step(e, 0, portfolio).outcome.state, State::unrun);
  // Founded, and too wide for the product.
  e = doubled_then_halved("-2000000", "2000000");
  e.steps[0].ranges = {{"x", {-2000000000, 2000000000}}};
  EXPECT_EQ(prove_step(e, 0, portfolio).outcome.state, State::unrun);
}

// The same step as one of numbers that wrap is not proved either.
TEST(WholeStep, SaysThatItIsAboutZ) {
  smt::Portfolio portfolio;
  Evidence e = doubled_then_halved("-1000", "1000");
  e.steps[0].unbounded = false;
  EXPECT_NE(prove_step(e, 0, portfolio).outcome.state, State::proved);
}

}  // namespace
}  // namespace hallmark::pipeline
