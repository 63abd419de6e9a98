#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "calculus/text/text.h"
#include "plan/spec_text.h"

namespace hallmark::calculus::text {
namespace {

std::string example(const std::string& name) {
  return read_file(std::string(HALLMARK_SOURCE_DIR) + "/tests/text/examples/" + name);
}

class Example : public testing::TestWithParam<const char*> {};

TEST_P(Example, IsReadCheckedAndWrittenTheSame) {
  const std::string name = GetParam();
  const Program program = parse_program(example(name), name);
  EXPECT_NO_THROW(check_program(program));
  const std::string written = print_program(program);
  const Program again = parse_program(written, "written");
  EXPECT_EQ(print_program(again), written);
  ASSERT_EQ(again.definitions.size(), program.definitions.size());
  for (std::size_t i = 0; i < program.definitions.size(); ++i) {
    EXPECT_EQ(again.definitions[i].body, program.definitions[i].body) << written;
    EXPECT_EQ(again.definitions[i].axis_names, program.definitions[i].axis_names);
    EXPECT_EQ(again.definitions[i].declaration.extents, program.definitions[i].declaration.extents);
  }
  EXPECT_EQ(again.preconditions, program.preconditions);
  EXPECT_EQ(again.outputs, program.outputs);
}

INSTANTIATE_TEST_SUITE_P(All, Example,
                         testing::Values("matmul.hm", "softmax.hm", "convolution.hm", "rounded_matmul.hm",
                                         "block_sum.hm", "argmax.hm", "gather.hm", "rounding_modes.hm",
                                         "reshape.hm", "online_softmax.hm"));

Term n(long value) {
  return integer(value);
}

TEST(Reading, MatmulMeansTheSumOfProducts) {
  const Program program = parse_program(example("matmul.hm"), "matmul.hm");
  const Term k = fresh_variable("k");
  const Term expected =
      sum(k, symbol("K"),
          apply(Op::mul, {load("A", {axis(0), k}, Sort::real()), load("B", {k, axis(1)}, Sort::real())}));
  EXPECT_EQ(program.definitions[0].body, expected);
  EXPECT_EQ(program.definitions[0].origin, "MatMul_0 (MatMul)");
}

TEST(Reading, RoundingsStandWhereTheyAreWritten) {
  const Program program = parse_program(example("rounding_modes.hm"), "rounding_modes.hm");
  const Sort f32 = Sort::floating(Format::f32);
  const Term x = variable("x", f32), y = variable("y", f32);
  EXPECT_EQ(program.functions[0].body, operation(Op::sub,
                                                 {operation(Op::add, {x, y}, f32, Rounding::up),
                                                  operation(Op::add, {x, y}, f32, Rounding::down)},
                                                 f32, Rounding::nearest, true));
  // `and` holds more tightly than `or`, `not` reaches over the comparison.
  const Term t = program.definitions[2].body;
  ASSERT_EQ(t->kind, Kind::disjunction);
}

TEST(Reading, IndicesAreFlooredAndElementsDivided) {
  Scope scope;
  scope.names = {{"i", symbol("i")}};
  scope.tensors = {{"X", {Format::f32, 1}}};
  EXPECT_EQ(parse_term("i / 3 + i % 3", "t", scope),
            add(floor_div(symbol("i"), n(3)), mod(symbol("i"), n(3))));
  EXPECT_EQ(parse_term("X[i] / 3", "t", scope),
            apply(Op::div, {load("X", {symbol("i")}, Sort::real()), real_constant(3)}));
  EXPECT_EQ(parse_term("2^10 - 1", "t", scope), n(1023));
  EXPECT_EQ(parse_term("0 <= i < 2^2", "t", scope),
            both(at_most(n(0), symbol("i")), less(symbol("i"), n(4))));
  EXPECT_EQ(parse_term("real(i) * 0.1", "t", scope),
            apply(Op::mul, {from_index(symbol("i"), Sort::real()), real_constant(Rational(1, 10))}));
}

TEST(Specification, IsReadAndWrittenTheSame) {
  const plan::KernelSpec spec = plan::parse_spec(example("axpby.spec.hm"), "axpby.spec.hm");
  EXPECT_EQ(spec.kernel, "axpby");
  ASSERT_EQ(spec.symbols.size(), 3U);
  EXPECT_EQ(spec.symbols[0].high, Integer(1 << 30));
  EXPECT_EQ(spec.symbols[2].low, 1);
  ASSERT_EQ(spec.requirements.size(), 1U);
  EXPECT_EQ(spec.requirements[0], equal(mod(symbol("n"), symbol("warps")), n(0)));
  EXPECT_EQ(spec.launch.grid[0], ceil_div(symbol("n"), n(128)));
  EXPECT_EQ(spec.ensures[0].target[0], multiply(axis(0), symbol("ld")));
  EXPECT_EQ(spec.parameters[1].buffer->element_high, symbol("n"));
  EXPECT_EQ(spec.barrier_rule, plan::BarrierRule::strict);
  EXPECT_TRUE(spec.flush_subnormals);
  const std::string written = plan::print_spec(spec);
  const plan::KernelSpec again = plan::parse_spec(written, "written");
  EXPECT_EQ(plan::print_spec(again), written);
  EXPECT_EQ(again.ensures[0].value, spec.ensures[0].value) << written;
  EXPECT_EQ(again.ensures[0].guard, spec.ensures[0].guard);
  EXPECT_EQ(again.ensures[0].domain, spec.ensures[0].domain);
}

TEST(Specification, ConditionsThatNeverHoldAreMistakes) {
  const std::string head = "hallmark 1\nkernel k\nparam n : i32\n";
  EXPECT_THROW(plan::parse_spec(head + "where 1 <= n <= 0", "spec"), UserError);
  EXPECT_THROW(plan::parse_spec(head + "where 1 <= n\nwhere n = 0", "spec"), UserError);
  EXPECT_THROW(plan::parse_spec(head + "ghost m", "spec"), UserError);
  EXPECT_EQ(plan::parse_spec(head + "where 1 <= n", "spec").symbols[0].high, Integer(2147483647));
}

}  // namespace
}  // namespace hallmark::calculus::text
