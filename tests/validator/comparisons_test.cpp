// Sets of outcomes against what the comparisons give for every pair of special floats.
#include "validator/checks/comparisons.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace hallmark::validator {
namespace {

using calculus::Kind;
using calculus::Op;
using calculus::Term;

const calculus::Sort f32 = calculus::Sort::floating(calculus::Format::f32);
const Term x = calculus::variable("x", f32), y = calculus::variable("y", f32);

bool value(Term condition, float a, float b) {
  const auto of = [&](Term t) { return t == x ? a : b; };
  switch (condition->kind) {
    case Kind::compare: {
      const float l = of(condition->children[0]), r = of(condition->children[1]);
      return condition->op == Op::lt ? l < r : condition->op == Op::le ? l <= r : l == r;
    }
    case Kind::negation:
      return !value(condition->children[0], a, b);
    case Kind::conjunction:
    case Kind::disjunction: {
      const bool all = condition->kind == Kind::conjunction;
      for (Term child : condition->children)
        if (value(child, a, b) != all) return !all;
      return all;
    }
    case Kind::truth:
      return condition == calculus::truth(true);
    default:
      ADD_FAILURE() << "another condition";
      return false;
  }
}

unsigned outcome(float a, float b) {
  if (a < b) return Outcomes::less;
  if (a == b) return Outcomes::equal;
  return a > b ? Outcomes::greater : Outcomes::unordered;
}

const std::vector<float>& floats() {
  static const float infinity = std::numeric_limits<float>::infinity();
  static const std::vector<float> all{0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity, std::nanf("")};
  return all;
}

Term random_condition(std::mt19937& random, int depth) {
  const bool swapped = random() % 2 == 0;
  const Term a = swapped ? y : x, b = swapped ? x : y;
  switch (depth == 0 ? random() % 3 : random() % 6) {
    case 0:
      return calculus::compare(Op::lt, a, b);
    case 1:
      return calculus::compare(Op::le, a, b);
    case 2:
      return calculus::compare(Op::eq, a, b);
    case 3:
      return calculus::negation(random_condition(random, depth - 1));
    case 4:
      return calculus::both(random_condition(random, depth - 1), random_condition(random, depth - 1));
    default:
      return calculus::either(random_condition(random, depth - 1), random_condition(random, depth - 1));
  }
}

TEST(Comparisons, OutcomesAreThoseOfTheFloats) {
  std::mt19937 random(1);
  int compared = 0;
  for (int n = 0; n < 500; ++n) {
    const Term condition = random_condition(random, 3);
    const auto set = outcomes(condition);
    if (!set || set->right == nullptr) continue;  // constants true and false
    for (float a : floats())
      for (float b : floats()) {
        const bool plain = set->left == x;
        EXPECT_EQ((set->set & (plain ? outcome(a, b) : outcome(b, a))) != 0, value(condition, a, b));
        ++compared;
      }
  }
  EXPECT_GT(compared, 10000);
}

TEST(Comparisons, WhatIsStatedFollowsFromTheFacts) {
  std::mt19937 random(2);
  int decided = 0;
  for (int n = 0; n < 500; ++n) {
    const Term fact = random_condition(random, 2), other = random_condition(random, 2),
               condition = random_condition(random, 2);
    const Scope scope = with_consequences(Context::make({fact, other}));
    const auto known = stated(scope, condition);
    if (!known) continue;
    for (float a : floats())
      for (float b : floats())
        if (value(fact, a, b) && value(other, a, b)) {
          EXPECT_EQ(value(condition, a, b), *known);
          ++decided;
        }
  }
  EXPECT_GT(decided, 100);
}

TEST(Comparisons, AnUnorderedPairIsNotGreater) {
  // not (x <= y) says "greater or unordered", which x > y is not.
  const Term not_at_most = calculus::negation(calculus::compare(Op::le, x, y));
  const Scope scope = Context::make({not_at_most});
  EXPECT_FALSE(stated(scope, calculus::compare(Op::lt, y, x)).has_value());
  EXPECT_EQ(stated(scope, calculus::compare(Op::eq, x, y)), std::optional(false));
  const Scope both =
      Context::make({calculus::negation(calculus::compare(Op::lt, x, y)), calculus::compare(Op::le, x, y)});
  EXPECT_EQ(stated(both, calculus::compare(Op::eq, x, y)), std::optional(true));
}

TEST(Comparisons, ADisjunctionWithOnePartLeftIsThatPart) {
  const Term z = calculus::variable("z", f32);
  const Term first = calculus::compare(Op::lt, x, y), second = calculus::compare(Op::lt, y, z);
  const Scope scope =
      with_consequences(Context::make({calculus::either(first, second), calculus::negation(first)}));
  EXPECT_TRUE(scope->knows(second));
  const Scope open = with_consequences(Context::make({calculus::either(first, second)}));
  EXPECT_FALSE(open->knows(second));
}

}  // namespace
}  // namespace hallmark::validator
