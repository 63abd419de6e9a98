#include "formulation/formulate.h"

#include <gtest/gtest.h>

#include "../lowering/programs.h"
#include "base/error.h"
#include "formulation/erase.h"
#include "formulation/functions.h"

namespace hallmark::formulation {
namespace {

using namespace calculus;
using testing::define;
using testing::f32;
using testing::i;
using testing::n;
using testing::real;

// Everything that a formulation rewrites, in one program.
Program everything() {
  Program p;
  p.symbols = {{"N", 1, Integer(1000)}};
  const Term size = symbol("N");
  p.inputs = {f32("X", {size, n(8)}), f32("w", {n(8)}), {"idx", Format::i64, {size}}};
  const Term x = real("X", {i(0), i(1)});
  const auto unary = [&](Op op, Term a) { return operation(op, {a}, Sort::real()); };
  const Term k = fresh_variable("k"), q = fresh_variable("q");
  const Term dot = sum(k, n(8), apply(Op::mul, {real("X", {i(0), k}), real("w", {k})}));
  const Term largest = reduce(Op::max, extreme(-1), q, n(8), real("X", {i(0), q}), less(q, size));
  const Term third = real_constant(Rational(1, 3));
  p.definitions = {
      define("dots", {size}, dot),
      define("largest", {size}, largest),
      define("unaries", {size, n(8)},
             apply(Op::add, {unary(Op::exp, x),
                             apply(Op::mul, {unary(Op::log, x),
                                             apply(Op::div, {unary(Op::tanh, x), unary(Op::erf, x)})})})),
      define("roots", {size, n(8)},
             apply(Op::sub, {apply(Op::pow, {x, real_constant(2)}),
                             apply(Op::max, {unary(Op::sqrt, x),
                                             apply(Op::min, {unary(Op::rsqrt, x), unary(Op::sign, x)})})})),
      define("scaled", {size, n(8)}, apply(Op::mul, {x, third})),
      define("inverse", {size}, unary(Op::reciprocal, real("dots", {i(0)}))),
      define("gathered", {size},
             real("X", {to_index(load("idx", {i(0)}, Sort::integer(Format::i64))), n(3)})),
      define("chosen", {size, n(8)},
             calculus::select(compare(Op::lt, x, third), from_index(add(i(0), i(1)), Sort::real()),
                              real_constant(-1))),
      define("positions", {size}, from_index(i(0), Sort::integer(Format::i64)), {}, Format::i64),
  };
  p.outputs = {"unaries", "chosen"};
  return p;
}

TEST(Formulate, EraseIsItsLeftInverse) {
  const Program exact = everything();
  for (const bool fused : {false, true}) {
    Options options;
    options.fused_multiply_add = fused;
    options.orders["dots"] = block_order(256);
    options.orders["largest"] = block_order(64);
    const Formulation f = formulate(exact, options);
    EXPECT_FALSE(same_program(f.program, exact));
    EXPECT_TRUE(same_program(erase(f.program, f.constants), erase(exact)));
  }
}

TEST(Formulate, EraseIsTheIdentityOnWhatItKeeps) {
  const Program exact = everything();
  const Program erased = erase(exact);
  for (const Definition& d : exact.definitions) {
    if (d.declaration.name == "inverse") continue;  // 1/x is written as a division
    EXPECT_EQ(find_definition(erased, d.declaration.name)->body, d.body) << d.declaration.name;
  }
}

// A wrong record of a constant must show: 0.333 is not 1/3.
TEST(Formulate, ErasureSeesAnotherConstant) {
  const Program exact = everything();
  Formulation f = formulate(exact);
  ASSERT_FALSE(f.constants.empty());
  for (RoundedConstant& constant : f.constants)
    if (constant.exact == Rational(1, 3)) constant.exact = Rational(333, 1000);
  EXPECT_FALSE(same_program(erase(f.program, f.constants), erase(exact)));
  EXPECT_FALSE(same_program(erase(f.program), erase(exact)));
}

TEST(Formulate, RoundingsAndOrdersAreWritten) {
  Options options;
  options.orders["dots"] = block_order(256);
  const Formulation f = formulate(everything(), options);
  for (const Definition& d : f.program.definitions) {
    for_each_node(d.body, [&](Term node) {
      EXPECT_NE(node->sort.kind, Sort::Kind::real);
      if (node->kind == Kind::fold) {
        EXPECT_NE(node->order->kind, Order::Kind::any);
      }
      if (node->kind == Kind::operation && node->op != Op::custom &&
          node->sort.kind == Sort::Kind::floating) {
        EXPECT_EQ(node->rounding, Rounding::nearest);
      }
    });
  }
  const Term dots = find_definition(f.program, "dots")->body;
  EXPECT_EQ(to_string(*dots->order), "strided(256, blocked(32, tree(32), tree(8)))");
  const FoldParts parts = calculus::open(dots);
  EXPECT_EQ(parts.step[0]->op, Op::fma);
  ASSERT_EQ(parts.combine.size(), 1U);
  EXPECT_EQ(parts.combine[0]->op, Op::add);
  const auto third = std::find_if(f.constants.begin(), f.constants.end(),
                                  [](const RoundedConstant& c) { return c.exact == Rational(1, 3); });
  ASSERT_NE(third, f.constants.end());
  EXPECT_EQ(third->bits, 0x3eaaaaabu);
}

TEST(Formulate, FunctionsComeWithWhatTheyUse) {
  const Formulation f = formulate(everything());
  std::vector<std::string> names;
  for (const Function& function : f.program.functions) names.push_back(function.name);
  for (const char* wanted :
       {"exp_f32", "log_f32", "tanh_f32", "erf_f32", "rsqrt_f32", "sign_f32", "square_f32"})
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
  for (const Function& function : f.program.functions)
    for_each_node(expand_functions(function.body, f.program.functions),
                  [](Term node) { EXPECT_FALSE(node->kind == Kind::operation && node->op == Op::custom); });
}

std::string refusal(const Program& program, const Options& options = {}) {
  try {
    formulate(program, options);
  } catch (const Refusal& refused) {
    return refused.code();
  }
  return "none";
}

// soundness G3: blocked(2) of fold(s=5; s+x) over [1,2,3,4] would give 20 instead of 15.
TEST(Formulate, AnOrderNeedsANeutralStart) {
  Program p;
  p.inputs = {f32("x", {n(4)})};
  const Term k = fresh_variable("k");
  p.definitions = {define("s", {}, reduce(Op::add, real_constant(5), k, n(4), real("x", {k})))};
  Options options;
  options.orders["s"] = block_order(64);
  EXPECT_EQ(refusal(p, options), "E7002");
  EXPECT_EQ(refusal(p), "none");
}

TEST(Formulate, AnOrderNeedsAnAssociativeStep) {
  Program p;
  p.inputs = {f32("x", {n(4)})};
  Options options;
  options.orders["s"] = block_order(64);
  // s := x - s, s := s * s + x, s := s + (s + x): neutral start or not, no order but seq.
  const Term k = fresh_variable("k"), s = fresh_variable("s", Sort::real()), x = real("x", {k});
  for (const Term step : {apply(Op::sub, {x, s}), apply(Op::add, {apply(Op::mul, {s, s}), x}),
                          apply(Op::add, {s, apply(Op::add, {s, x})})}) {
    FoldParts parts;
    parts.variable = k;
    parts.extent = n(4);
    parts.states = {s};
    parts.init = {real_constant(0)};
    parts.step = {step};
    p.definitions = {define("s", {}, fold(parts))};
    EXPECT_EQ(refusal(p, options), "E7002");
  }
}

TEST(Formulate, WhatItCannotSayItRefuses) {
  Program p;
  p.inputs = {f32("x", {n(4)})};
  Options in_f64;
  in_f64.compute = Format::f64;
  p.definitions = {define("s", {n(4)}, operation(Op::asinh, {real("x", {i(0)})}, Sort::real()))};
  EXPECT_EQ(refusal(p, in_f64), "E7001");
  p.definitions = {define("s", {n(4)}, custom_operation("mystery", {real("x", {i(0)})}, Sort::real()))};
  EXPECT_EQ(refusal(p), "E7001");
  p.definitions = {
      define("s", {n(4)}, apply(Op::mul, {real("x", {i(0)}), real_constant(Rational(power_of_two(200)))}))};
  EXPECT_EQ(refusal(p), "E7003");
}

TEST(Formulate, StorageFormatsAreCastsThatErase) {
  const Program exact = everything();
  Options options;
  options.storage["dots"] = Format::f16;
  const Formulation f = formulate(exact, options);
  EXPECT_EQ(find_definition(f.program, "dots")->body->sort, Sort::floating(Format::f16));
  EXPECT_TRUE(same_program(erase(f.program, f.constants), erase(exact)));
}

TEST(Formulate, DoublesStayDoubles) {
  Program p;
  p.inputs = {{"x", Format::f64, {n(4)}}};
  p.definitions = {define("y", {n(4)}, apply(Op::mul, {real("x", {i(0)}), real_constant(Rational(1, 3))}), {},
                          Format::f64)};
  const Formulation f = formulate(p);
  EXPECT_EQ(f.program.definitions[0].body->sort, Sort::floating(Format::f64));
  EXPECT_EQ(f.constants.at(0).format, Format::f64);
}

}  // namespace
}  // namespace hallmark::formulation
