#include "calculus/term.h"

#include <gtest/gtest.h>

namespace hallmark::calculus {
namespace {

Term n(long value) {
  return integer(Integer(value));
}

TEST(Index, PolynomialsHaveOneForm) {
  const Term i = symbol("i"), k = symbol("k");
  EXPECT_EQ(add(multiply(i, n(3)), k), add(k, scale(3, i)));
  EXPECT_EQ(multiply(add(i, k), subtract(i, k)), subtract(multiply(i, i), multiply(k, k)));
  EXPECT_EQ(subtract(i, i), n(0));
  EXPECT_NE(i, k);
}

TEST(Index, FloorDivisionTakesOutWholeMultiples) {
  const Term i = symbol("i"), k = symbol("k");
  EXPECT_EQ(floor_div(add(scale(8, i), n(3)), n(8)), i);
  EXPECT_EQ(floor_div(add(scale(4, i), n(9)), n(8)), add(floor_div(add(i, n(0)), n(2)), n(1)));
  EXPECT_EQ(floor_div(floor_div(i, n(4)), n(8)), floor_div(i, n(32)));
  EXPECT_EQ(floor_div(add(k, floor_div(i, n(4))), n(8)), floor_div(add(scale(4, k), i), n(32)));
  EXPECT_EQ(floor_div(n(-7), n(2)), n(-4));
  EXPECT_EQ(floor_div(i, n(0)), n(0));
  EXPECT_EQ(add(scale(8, floor_div(i, n(8))), mod(i, n(8))), i);
}

// Every rewriting of a floor division is compared with plain integer arithmetic.
TEST(Index, FloorDivisionAgreesWithIntegersOnSmallValues) {
  const Term i = symbol("i"), k = symbol("k");
  for (long a = -5; a <= 5; ++a)
    for (long b = -3; b <= 9; ++b)
      for (long c : {2L, 3L, 6L, -4L}) {
        const Term whole = floor_div(add({scale(a, i), scale(b, floor_div(k, n(3))), n(b)}), n(c));
        for (long x = -4; x <= 4; ++x)
          for (long y = -4; y <= 4; ++y) {
            const Term value = substitute(whole, {{i, n(x)}, {k, n(y)}});
            ASSERT_NE(as_integer(value), nullptr);
            EXPECT_EQ(*as_integer(value),
                      floor_div(Integer(a * x + b * floor_div(Integer(y), Integer(3)) + b), Integer(c)))
                << a << " " << b << " " << c << " " << x << " " << y;
          }
      }
}

TEST(Bool, ComparisonsAreNormalised) {
  const Term i = symbol("i"), k = symbol("k");
  EXPECT_EQ(less(i, k), negation(at_most(k, i)));
  EXPECT_EQ(at_most(scale(2, i), n(5)), at_most(i, n(2)));
  EXPECT_EQ(equal(scale(2, i), n(5)), truth(false));
  EXPECT_EQ(equal(i, k), equal(k, i));
  EXPECT_EQ(both(less(i, k), at_most(k, i)), truth(false));
  EXPECT_EQ(either(less(i, k), at_most(k, i)), truth(true));
}

Term row_sum(const char* variable_name, Term row) {
  const Term k = fresh_variable(variable_name);
  return sum(k, symbol("K"), load("A", {row, k}, Sort::real()));
}

TEST(Fold, BoundNamesDoNotMatter) {
  EXPECT_EQ(row_sum("k", axis(0)), row_sum("q", axis(0)));
  EXPECT_NE(row_sum("k", axis(0)), row_sum("k", axis(1)));
  EXPECT_FALSE(row_sum("k", axis(0))->open);
}

TEST(Fold, OpenAndCloseIsTheIdentity) {
  const Term a = row_sum("k", axis(0));
  EXPECT_EQ(fold(open(a)), a);
}

// Substituting a fold below a binder must not capture: sum(k) (x + B[k]) with x := sum(k) A[0, k].
TEST(Fold, SubstitutionDoesNotCapture) {
  const Term x = variable("x", Sort::real());
  const Term k = fresh_variable("k"), q = fresh_variable("q");
  const Term inner = sum(q, symbol("K"), apply(Op::mul, {x, load("C", {k, q}, Sort::real())}));
  const Term outer = sum(k, symbol("N"), apply(Op::add, {inner, load("B", {k}, Sort::real())}));
  const Term replaced = substitute(outer, {{x, row_sum("r", n(0))}});
  const FoldParts first = open(replaced);
  const Term body = first.step[0];
  bool found = false;
  for_each_node(body, [&](Term node) {
    if (node->kind != Kind::load || node->name != "C") return;
    found = true;
    EXPECT_EQ(node->children[0], first.variable);
  });
  EXPECT_TRUE(found);
  EXPECT_EQ(replaced->height, 3);
  EXPECT_FALSE(replaced->open);
  // The same term built directly.
  const Term k2 = fresh_variable("k"), q2 = fresh_variable("q");
  const Term direct_inner =
      sum(q2, symbol("K"), apply(Op::mul, {row_sum("z", n(0)), load("C", {k2, q2}, Sort::real())}));
  EXPECT_EQ(replaced, sum(k2, symbol("N"), apply(Op::add, {direct_inner, load("B", {k2}, Sort::real())})));
}

TEST(Fold, InitStandsOutsideTheBinder) {
  const Term k = fresh_variable("k"), s = fresh_variable("s", Sort::real());
  FoldParts parts;
  parts.variable = k;
  parts.extent = symbol("N");
  parts.states = {s};
  parts.init = {load("Z", {axis(0)}, Sort::real())};
  parts.step = {apply(Op::add, {s, load("B", {k}, Sort::real())})};
  const Term chained = fold(parts);
  EXPECT_EQ(instantiate(chained, {n(7)}), substitute(chained, {{axis(0), n(7)}}));
  EXPECT_EQ(open(chained).init[0], parts.init[0]);
}

TEST(Element, OnlyCommutativeOperationsAreReordered) {
  const Sort f32 = Sort::floating(Format::f32);
  const Term a = load("A", {}, f32), b = load("B", {}, f32);
  EXPECT_EQ(apply(Op::mul, {a, b}), apply(Op::mul, {b, a}));
  EXPECT_NE(apply(Op::sub, {a, b}), apply(Op::sub, {b, a}));
  EXPECT_NE(apply(Op::mul, {a, b}), operation(Op::mul, {a, b}, f32, Rounding::toward_zero));
  EXPECT_NE(apply(Op::mul, {a, b}), operation(Op::mul, {a, b}, f32, Rounding::nearest, true));
}

}  // namespace
}  // namespace hallmark::calculus
