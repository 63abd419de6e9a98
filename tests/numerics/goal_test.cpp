// Expressions against relative and mixed tolerances and against what they stand for: proved part by part,
// with the checker's word; and never where a part fails.
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

State verdict(const std::string& text, const contract::Tolerance& tolerance, std::size_t evaluations = 4000) {
  ExpressionModel model;
  model.inputs_rounded = false;
  WitnessSearch search;
  search.samples = 1500;
  search.tolerance = tolerance;
  BoundOptions options;
  options.evaluations = evaluations;
  const ExpressionReport report =
      bound_expression(read_fpcores(text, "t.fpcore").at(0), model, options, search);
  EXPECT_TRUE(report.verdict.has_value());
  return report.verdict.value_or(State::unrun);
}
contract::Tolerance relative(const Rational& r) {
  contract::Tolerance t;
  t.relative = r;
  return t;
}
contract::Tolerance absolute(const Rational& r) {
  contract::Tolerance t;
  t.absolute = r;
  return t;
}
contract::Tolerance units(const Rational& r) {
  contract::Tolerance t;
  t.ulp = r;
  return t;
}

const std::string product =
    "(FPCore (x y) :precision binary32 :pre (and (<= 1 x 1000) (<= 1 y 1000)) (* x y))";

TEST(Goal, ARelativeToleranceIsProvedPartByPart) {
  EXPECT_EQ(verdict(product, relative(Rational(1, 8000000))), State::proved);
  EXPECT_EQ(verdict(product, relative(Rational(1, 30000000))), State::refuted);
}

TEST(Goal, UnitsInTheLastPlace) {
  const std::string quotient = "(FPCore (x y) :precision binary32 :pre (and (<= 1 x 2) (<= 1 y 2)) (/ x y))";
  EXPECT_EQ(verdict(quotient, units(Rational(5, 4))), State::proved);
  EXPECT_EQ(verdict(quotient, units(Rational(1, 4))), State::refuted);
}

// Near x = y nothing relative can hold once there is a rounding before the difference.
TEST(Goal, CancellationIsNeverProvedRelatively) {
  const std::string difference =
      "(FPCore (x y) :precision binary32 :pre (and (<= 1 x 2) (<= 1 y 2)) (- (* x x) (* y y)))";
  EXPECT_NE(verdict(difference, relative(Rational(1, 1000))), State::proved);
  EXPECT_EQ(verdict(difference, absolute(Rational(1, 1000000))), State::proved);
}

TEST(Goal, TheDistanceFromASpecificationIsBounded) {
  const std::string polynomial =
      "(FPCore (x) :precision binary32 :pre (<= -1/4 x 1/4) :spec (exp x) (+ 1 (* x (+ 1 (* x 1/2)))))";
  // x^3 / 6 at 1/4 is 0.0026, and the next term adds 0.00016.
  EXPECT_EQ(verdict(polynomial, absolute(Rational(29, 10000))), State::proved);
  EXPECT_EQ(verdict(polynomial, absolute(Rational(27, 10000))), State::refuted);
  EXPECT_EQ(verdict(polynomial, relative(Rational(35, 10000))), State::proved);
}

TEST(Goal, AnotherFunctionIsRefuted) {
  const std::string wrong = "(FPCore (x) :precision binary32 :pre (<= 0 x 1) :spec (+ x 1) (+ x 2))";
  EXPECT_EQ(verdict(wrong, absolute(Rational(999, 1000))), State::refuted);
  EXPECT_EQ(verdict(wrong, absolute(Rational(1001, 1000))), State::proved);
}

// A choice that the rounding may flip counts with both values, also against a specification.
TEST(Goal, AChoiceAgainstItsSpecification) {
  const std::string step =
      "(FPCore (x) :precision binary32 :pre (<= -1 x 1) :spec (if (< x 0) 0 1) (if (< (* x 3) 0) 0 2))";
  EXPECT_NE(verdict(step, absolute(Rational(99, 100))), State::proved);
}

TEST(Goal, TheTangentFormOfGeluIsWithinItsDistance) {
  const std::string gelu =
      "(FPCore (x) :precision binary32 :pre (<= -4 x 4) :spec (* (* 0.5 x) (+ 1 (erf (* x SQRT1_2)))) "
      "(* (* 0.5 x) (+ 1 (tanh (* 0.7978845608 (+ x (* 0.044715 (* x (* x x)))))))))";
  EXPECT_EQ(verdict(gelu, absolute(Rational(50, 100000)), 8000), State::proved);
  EXPECT_EQ(verdict(gelu, absolute(Rational(46, 100000)), 200), State::refuted);
}

}  // namespace
}  // namespace hallmark::numerics
