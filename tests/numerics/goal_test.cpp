// Expressions against relative and mixed tolerances and against what they stand for: proved part by part,
// with the checker's word; and never where a part fails.
#include "expression_support.h"

namespace hallmark::numerics {
namespace {

using testing::absolute;
using testing::relative;
using testing::units;

State verdict(const std::string& text, const contract::Tolerance& tolerance, std::size_t evaluations = 4000) {
  const ExpressionReport report = testing::judged(text, tolerance, evaluations, 1500);
  EXPECT_TRUE(report.verdict.has_value());
  return report.verdict.value_or(State::unrun);
}

const std::string product =
    "(FPCore (x y) :precision binary32 :pre (and (<= 1 x 1000) (<= 1 y 1000)) (* x y))";

TEST(Goal, ARelativeToleranceIsProvedPartByPart) {
  EXPECT_EQ(verdict(product, relative(Rational(1, 8000000))), State::proved);
  EXPECT_EQ(verdict(product, relative(Rational(1, 30000000))), State::refuted);
}

// Inputs are exact, so that no rounding stands for the jump; few points show it. Slopes are 1 on either side.
TEST(Goal, WhatJumpsIsNotBoundedByItsSlopes) {
  const std::string head = "(FPCore (x) :precision binary32 :pre (<= 0 x 1) ";
  for (const char* body : {":spec x (if (< x 0.75) x (+ x 0.125)))",
                           ":spec x (if (and (< 0.7 x) (< x 0.7000001)) (+ x 0.125) x))",
                           ":spec (if (< x 0.7) 0 1) (* x 0))", ":spec x (+ x (* 0.125 (floor (* x 1.25)))))",
                           ":spec x (+ x (* 0.125 (fmax (floor (* x 1.25)) (fabs (- x x))))))"}) {
    SCOPED_TRACE(body);
    EXPECT_NE(verdict(head + body, absolute(Rational(1, 10))), State::proved);
    EXPECT_EQ(verdict(head + body, absolute(Rational(5, 2))), State::proved);
  }
  // Between the sides of a maximum nothing jumps.
  EXPECT_EQ(verdict(head + ":spec (fmax x (* x x)) x)", absolute(Rational(1, 1000000))), State::proved);
}

struct Claim {
  const char* name;
  const char* core;
  contract::Tolerance tolerance;
  State expected;
};

// What people write down, with the verdict that they should get.
TEST(Goal, FormulationsAgainstWhatTheyStandFor) {
  const Rational thousandth(1, 1000), hundred_thousandth(1, 100000), millionth(1, 1000000);
  const std::vector<Claim> claims{
      {"the stable root of a quadratic",
       "(FPCore (b c) :precision binary32 :pre (and (<= 1 b 1e4) (<= 1e-3 c 1e-1)) :spec (/ (+ (- b) (sqrt "
       "(- (* "
       "b b) (* 4 c)))) 2) (/ (* -2 c) (+ b (sqrt (- (* b b) (* 4 c))))))",
       relative(hundred_thousandth), State::proved},
      {"the cancelling root",
       "(FPCore (b c) :precision binary32 :pre (and (<= 1 b 1e4) (<= 1e-3 c 1e-1)) (/ (+ (- b) (sqrt (- (* b "
       "b) "
       "(* 4 c)))) 2))",
       relative(thousandth), State::refuted},
      {"log(1 + x)", "(FPCore (x) :precision binary32 :pre (<= 1e-10 x 1) :spec (log1p x) (log (+ 1 x)))",
       relative(thousandth), State::refuted},
      {"e^x - 1", "(FPCore (x) :precision binary32 :pre (<= 1e-10 x 1) :spec (expm1 x) (- (exp x) 1))",
       relative(thousandth), State::refuted},
      {"softmax of two without their maximum",
       "(FPCore (x y) :precision binary32 :pre (and (<= -100 x 100) (<= -100 y 100)) (/ (exp x) (+ (exp x) "
       "(exp "
       "y))))",
       absolute(thousandth), State::refuted},
      {"softmax of two with their maximum",
       "(FPCore (x y) :precision binary32 :pre (and (<= -100 x 100) (<= -100 y 100)) :spec (/ 1 (+ 1 (exp (- "
       "y "
       "x)))) (let ((m (fmax x y))) (/ (exp (- x m)) (+ (exp (- x m)) (exp (- y m))))))",
       absolute(thousandth), State::proved},
      {"a sum of exponentials that overflows",
       "(FPCore (x y) :precision binary32 :pre (and (<= -200 x 200) (<= -200 y 200)) (log (+ (exp x) (exp "
       "y))))",
       absolute(thousandth), State::refuted},
      {"the same with the maximum taken out",
       "(FPCore (x y) :precision binary32 :pre (and (<= -80 x 80) (<= -80 y 80)) :spec (log (+ (exp x) (exp "
       "y))) "
       "(let ((m (fmax x y))) (+ m (log (+ (exp (- x m)) (exp (- y m)))))))",
       absolute(thousandth), State::proved},
      {"a sigmoid by the sign of its argument",
       "(FPCore (x) :precision binary32 :pre (<= -80 x 80) :spec (/ 1 (+ 1 (exp (- x)))) (if (>= x 0) (/ 1 "
       "(+ 1 "
       "(exp (- x)))) (/ (exp x) (+ 1 (exp x)))))",
       absolute(millionth), State::proved},
      {"65504 is the largest half",
       "(FPCore (x y) :precision binary16 :pre (and (<= 0 x 300) (<= 0 y 300)) (* x y))",
       relative(Rational(1, 100)), State::refuted},
      {"a division by a difference that may be 0",
       "(FPCore (a b) :precision binary32 :pre (and (<= 1 a 2) (<= 1 b 2)) (/ 1 (- a b)))",
       relative(thousandth), State::refuted},
      {"1e-8 is 0 in half precision",
       "(FPCore (v) :precision binary16 :pre (<= 0 v 1) (/ 1 (sqrt (+ v 1e-8))))", relative(Rational(1, 100)),
       State::refuted},
      {"the logarithm of 0", "(FPCore (x) :precision binary32 :pre (<= 0 x 1) (log x))", absolute(thousandth),
       State::refuted},
      {"a root of negative numbers", "(FPCore (x) :precision binary32 :pre (<= -2 x 2) (pow x 0.5))",
       relative(thousandth), State::refuted},
      {"squares that overflow",
       "(FPCore (x y) :precision binary32 :pre (and (<= 1 x 1e20) (<= 1 y 1e20)) (sqrt (+ (* x x) (* y y))))",
       relative(thousandth), State::refuted},
      {"squares that underflow",
       "(FPCore (x y) :precision binary32 :pre (and (<= 1e-30 x 1) (<= 1e-30 y 1)) (sqrt (+ (* x x) (* y "
       "y))))",
       relative(thousandth), State::refuted},
      {"hypot does not",
       "(FPCore (x y) :precision binary32 :pre (and (<= 1 x 1e20) (<= 1 y 1e20)) (hypot x y))",
       relative(thousandth), State::proved},
      {"one rounding into half precision",
       "(FPCore (x) :precision binary64 :pre (<= 1 x 2) (! :precision binary16 (cast x)))",
       units(Rational(1, 2)), State::proved},
      {"two roundings",
       "(FPCore (x) :precision binary64 :pre (<= 1 x 2) (! :precision binary16 (cast (! :precision binary32 "
       "(cast "
       "x)))))",
       units(Rational(1, 2)), State::refuted},
      {"products of tf32",
       "(FPCore (a b c d) :precision binary32 :pre (and (<= -1 a 1) (<= -1 b 1) (<= -1 c 1) (<= -1 d 1)) "
       ":spec (+ "
       "(* a b) (* c d)) (+ (* (! :precision tf32 (cast a)) (! :precision tf32 (cast b))) (* (! :precision "
       "tf32 "
       "(cast c)) (! :precision tf32 (cast d)))))",
       absolute(Rational(3, 1000)), State::proved},
      {"ties to even against ties away from 0",
       "(FPCore (x) :precision binary32 :pre (<= -100 x 100) :spec (round x) (nearbyint x))",
       absolute(thousandth), State::refuted},
      {"24 is attained and allowed",
       "(FPCore (a b c) :precision binary32 :pre (and (<= -134217728 a 134217728) (<= -134217728 b "
       "134217728) (<= "
       "-134217728 c 134217728)) (+ (+ a b) c))",
       absolute(Rational(24)), State::proved},
      // Twins of the proved ones: the same with a fault.
      {"a softmax with the wrong numerator",
       "(FPCore (x y) :precision binary32 :pre (and (<= -100 x 100) (<= -100 y 100)) :spec (/ 1 (+ 1 (exp (- "
       "y "
       "x)))) (let ((m (fmax x y))) (/ (exp (- y m)) (+ (exp (- x m)) (exp (- y m))))))",
       absolute(thousandth), State::refuted},
      {"a sigmoid with the branches exchanged at a sign",
       "(FPCore (x) :precision binary32 :pre (<= -80 x 80) :spec (/ 1 (+ 1 (exp (- x)))) (if (>= x 0) (/ 1 "
       "(+ 1 "
       "(exp x))) (/ (exp x) (+ 1 (exp x)))))",
       absolute(millionth), State::refuted},
      {"|x| is not x", "(FPCore (x) :precision binary32 :pre (<= -1 x 1) :spec x (fabs x))",
       absolute(thousandth), State::refuted},
  };
  for (const Claim& c : claims) EXPECT_EQ(verdict(c.core, c.tolerance, 1500), c.expected) << c.name;
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

// What both sides have in common counts once: 180 / 3.14159265359 against 180 / pi, times one arc tangent.
// From FPBench's cartesian to polar conversion.
TEST(Goal, WhatBothSidesShareIsOneValue) {
  const std::string pre =
      "(FPCore (x y) :pre (and (<= 1 x 100) (<= 1 y 100)) :spec (* (atan2 y x) (/ 180 PI)) ";
  const auto report = [&](const std::string& body) {
    return bound_expression(read_fpcores(pre + body + ")", "t.fpcore").at(0), {});
  };
  const ExpressionReport near = report("(let ((pi 3.14159265359) (t (atan (/ y x)))) (* t (/ 180.0 pi)))");
  ASSERT_TRUE(near.proved && near.witness);
  EXPECT_LE(near.bound.get_d(), 6e-12);
  EXPECT_LE(near.ratio, 1.1);
  // Other arguments are other values.
  const ExpressionReport other = report("(* (atan (/ x y)) (/ 180.0 PI))");
  ASSERT_TRUE(other.witness);
  EXPECT_GT(other.witness->error, 80);
  EXPECT_TRUE(!other.proved || other.bound > 80);
  // On the left half plane the arc tangent of the quotient is another function.
  const ExpressionReport left = bound_expression(
      read_fpcores("(FPCore (x y) :pre (and (<= -2 x -1) (<= 1 y 2)) :spec (atan2 y x) (atan (/ y x)))",
                   "t.fpcore")
          .at(0),
      {});
  ASSERT_TRUE(left.witness);
  EXPECT_GT(left.witness->error, 3);
  EXPECT_TRUE(!left.proved || left.bound > 3);
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

// Where a box decides which operand a minimum or maximum is, it is that one and not the other: a difference
// from the other is no zero. (An execution above a bound is an exception.)
TEST(Goal, ABoxDecidesWhichOperandAnExtremumIs) {
  for (const std::string extremum : {"(fmin w z)", "(fmin z w)", "(fmax w z)", "(fmax z w)"})
    for (const std::string other : {"w", "z"}) {
      const std::string text =
          "(FPCore (z w) :precision binary32 :pre (and (<= -4 z -0.5) (<= 0.125 w 0.25)) (- " + extremum +
          " " + other + "))";
      ExpressionModel model;
      model.inputs_rounded = false;
      BoundOptions options;
      options.evaluations = 200;
      WitnessSearch search;
      search.samples = 400;
      const ExpressionReport report =
          bound_expression(read_fpcores(text, "t.fpcore").at(0), model, options, search);
      EXPECT_TRUE(report.proved) << text;
      const bool itself = (extremum.find("min") != std::string::npos) == (other == "z");
      EXPECT_EQ(report.bound == 0, itself) << text;
      if (!itself) {
        ASSERT_TRUE(report.witness) << text;
        EXPECT_GT(report.witness->error, 0) << text;
      }
    }
}

}  // namespace
}  // namespace hallmark::numerics
