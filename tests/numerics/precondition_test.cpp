// Which inputs a precondition admits: strict bounds over values of a format and over reals, none at all; and
// that what a condition compares has to exist.
#include <gtest/gtest.h>

#include "base/error.h"
#include "numerics/expression/admitted.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"

namespace hallmark::numerics {
namespace {

const ExpressionModel of_reals{}, of_values{false, 1};

Expression one(const std::string& pre, const std::string& body, const std::string& format = "binary32") {
  return read_fpcores("(FPCore (x) :precision " + format + " :pre " + pre + " " + body + ")", "t.fpcore")
      .at(0);
}
Expression two(const std::string& pre, const std::string& body) {
  return read_fpcores("(FPCore (x y) :precision binary32 :pre " + pre + " " + body + ")", "t.fpcore").at(0);
}

// Every witness is an input that the precondition admits.
ExpressionReport judged(const Expression& e, const ExpressionModel& model) {
  ExpressionReport out = bound_expression(e, model);
  EXPECT_TRUE(!out.witness || is_admitted(e, model, out.witness->inputs)) << as_text(e, model, out);
  return out;
}

TEST(StrictBounds, OverValuesTheNextValueIsTheEnd) {
  struct Case {
    std::string pre, body, format = "binary32";
  };
  for (const Case& c :
       {Case{"(< 0 x 1)", "(log x)"}, Case{"(and (> x 0) (<= x 1))", "(log x)"},
        Case{"(and (< 0 x) (>= 1 x))", "(log x)", "bfloat16"}, Case{"(< 0.5 x 1)", "(log (- 1 x))"},
        Case{"(and (<= 0 x) (< x 1))", "(/ 1 (sqrt (- 1 (* x x))))", "binary64"},
        Case{"(> 4 x 2)", "(/ 1 (- x 2))"}, Case{"(< 1 x 0x1.000004p0)", "(/ 1 (- x 1))"},
        Case{"(and (< (/ 1 4) x 1) (< 0.25 x))", "(/ 1 (- x 0.25))"}}) {
    const Expression strict = one(c.pre, c.body, c.format);
    const ExpressionReport report = judged(strict, of_values);
    EXPECT_TRUE(report.proved) << c.pre << c.body << report.reason;
    // With the end itself there is no value.
    std::string weak = c.pre;
    for (std::size_t at = 0; (at = weak.find_first_of("<>", at)) != std::string::npos; ++at)
      if (weak[at + 1] != '=') weak.insert(at + 1, "=");
    const ExpressionReport closed = judged(one(weak, c.body, c.format), of_values);
    EXPECT_FALSE(closed.proved) << weak;
    ASSERT_TRUE(closed.witness.has_value()) << weak;
    EXPECT_EQ(closed.witness->kind, ExpressionWitness::Kind::undefined) << weak;
  }
}

TEST(StrictBounds, AnOpenEndOfRealsIsNoWitnessAndWhatRoundsOntoItIs) {
  for (const char* pre : {"(< 0 x 1)", "(and (> x 0) (<= x 1))"}) {
    const Expression e = one(pre, "(log x)");
    EXPECT_FALSE(is_admitted(e, of_reals, {Rational(0)}));
    const ExpressionReport report = judged(e, of_reals);
    // The logarithm of every real above 0 exists, and those that are rounded to 0 have none computed.
    EXPECT_FALSE(report.proved);
    ASSERT_TRUE(report.witness.has_value());
    EXPECT_EQ(report.witness->kind, ExpressionWitness::Kind::infinite);
    EXPECT_GT(report.witness->inputs.at(0), 0);
    EXPECT_EQ(report.witness->rounded.at(0), 0);
  }
  const Expression e = one("(< 1 x 2)", "(* x x)");
  const ExpressionReport report = judged(e, of_reals);
  EXPECT_TRUE(report.proved);
  EXPECT_LT(report.ratio, 1.5);
  EXPECT_EQ(report.bound, judged(one("(<= 1 x 2)", "(* x x)"), of_reals).bound);
}

TEST(StrictBounds, OfAnotherInputTakeItsOpenEnd) {
  const Expression e = two("(and (< 0 x) (<= x y) (< y 1))", "(/ x y)");
  EXPECT_TRUE(e.inputs.at(0).open_low && e.inputs.at(0).open_high && e.inputs.at(1).open_low);
  EXPECT_TRUE(judged(two("(and (< 0 x) (<= x y) (< y 1))", "(+ (log x) (log y))"), of_values).proved);
  // y = x is no input here.
  const ExpressionReport apart =
      judged(two("(and (<= 1 x 2) (<= 1 y 2) (< x y))", "(/ 1 (- y x))"), of_values);
  EXPECT_TRUE(!apart.witness || apart.witness->kind == ExpressionWitness::Kind::finite);
}

std::string code_of(const std::string& pre, const ExpressionModel& model) {
  try {
    const ExpressionReport report = bound_expression(one(pre, "(* x 3)"), model);
    return report.proved ? "proved" : report.reason;
  } catch (const UserError& error) {
    return error.code();
  }
}

TEST(Preconditions, ThatNoInputMeetsAreErrorsOrProveNothing) {
  for (const char* pre : {"(and (<= 0 x 1) (< x 0))", "(and (<= 0 x 1) (> x 1))", "(< 1 x 1)",
                          "(and (<= 0 x 1) (< (fabs x) 0))", "(and (<= 0 x 1) (< 0.5 (* x x) 0.25))",
                          "(and (<= 0 x 1) (== (* x x) 2))"})
    for (const ExpressionModel& model : {of_reals, of_values}) EXPECT_EQ(code_of(pre, model), "E8109") << pre;
  // Reals lie there, values of binary32 do not.
  for (const char* pre : {"(< 1 x 0x1.000002p0)", "(<= 0.1 x 0.1)", "(< 0x1p-150 x 0x1p-149)"}) {
    EXPECT_EQ(code_of(pre, of_values), "E8109") << pre;
    EXPECT_EQ(code_of(pre, of_reals), "proved") << pre;
  }
  for (const char* pre : {"(and (<= 0 x 1) (< x x))", "(and (<= 0 x 1) (!= x x))"})
    for (const ExpressionModel& model : {of_reals, of_values})
      EXPECT_EQ(code_of(pre, model), "no input was found that meets the precondition") << pre;
  for (const char* pre : {"(< 0 x 1)", "(and (< 0 x 1) (== x 0.5))", "(and (<= 0 x 1) (<= (* x x) 0))",
                          "(< 0x1p-149 x 0x1p-147)"})
    for (const ExpressionModel& model : {of_reals, of_values})
      EXPECT_EQ(code_of(pre, model), "proved") << pre;
}

TEST(Conditions, WhatTheyCompareHasToExist) {
  for (const char* body :
       {"(if (< (/ 1 x) 0) 1 2)", "(if (< (sqrt x) 0.5) 3 3.25)", "(if (< (log x) 0.5) x x)",
        "(if (not (== (/ 1 x) 2)) 1 1)", "(if (and (<= x 2) (< (/ 1 x) 5)) 1 2)",
        "(+ 1 (if (< x 2) (if (< (/ 1 x) 0) 1 2) 3))", "(if (or (< (/ 1 x) 5) TRUE) 1 2)",
        "(if (< (if (< (/ 1 x) 0) 1 2) 5) 1 2)"})
    for (const ExpressionModel& model : {of_reals, of_values}) {
      const ExpressionReport report = judged(one("(<= -1 x 1)", body), model);
      EXPECT_FALSE(report.proved) << body;
      ASSERT_TRUE(report.witness.has_value()) << body;
      EXPECT_EQ(report.witness->kind, ExpressionWitness::Kind::undefined) << body;
      EXPECT_EQ(report.verdict, State::refuted) << body;
    }
  // Where an earlier part decides, the later one may be without a value: not refuted, and not proved.
  for (const char* body : {"(if (and (!= x 0) (< (/ 1 x) 5)) 1 2)", "(if (or (== x 0) (< (/ 1 x) 5)) 1 2)"}) {
    const ExpressionReport report = judged(one("(<= -1 x 1)", body), of_values);
    EXPECT_FALSE(report.proved) << body;
    EXPECT_NE(report.verdict, State::refuted) << body;
  }
  for (const char* body :
       {"(if (< (/ 1 x) 0) 1 2)", "(if (< (log x) 0.5) x x)", "(if (< (sqrt x) 0.5) 3 3.25)"})
    EXPECT_TRUE(judged(one("(<= 1 x 2)", body), of_values).proved) << body;
  // The same in the distance from what it stands for.
  const Expression specified =
      read_fpcores("(FPCore (x) :precision binary32 :pre (<= -1 x 1) :spec (if (< (/ 1 x) 0) x x) x)",
                   "t.fpcore")
          .at(0);
  EXPECT_FALSE(judged(specified, of_values).proved);
}

TEST(Conditions, OnAnInputNarrowWhatItsSidesAreAskedFor) {
  for (const char* body :
       {"(if (< x 0) 1 (sqrt x))", "(if (<= 0 x) (sqrt x) 1)", "(if (>= 0.5 x) 1 (log x))",
        "(if (or (< x -0.5) (< x 0)) 1 (sqrt x))", "(if (not (<= 0 x)) (sqrt (- x)) (sqrt x))",
        "(if (< 0.5 x) (if (< x 0.75) (log x) (sqrt (- x 0.5))) 1)"}) {
    const ExpressionReport report = judged(one("(<= -1 x 1)", body), of_values);
    EXPECT_TRUE(report.proved) << body << report.reason;
    EXPECT_LT(report.bound, Rational(1, 1000000)) << body;
  }
  for (const char* body :
       {"(if (< x -0.5) 1 (sqrt x))", "(if (< x 0) (sqrt x) 1)", "(if (<= 0 x) 1 (sqrt x))",
        "(if (or (< x -0.5) (< 0.5 x)) 1 (sqrt x))", "(if (< x 0.5) 1 (sqrt (- x 0.75)))"}) {
    const ExpressionReport report = judged(one("(<= -1 x 1)", body), of_values);
    EXPECT_FALSE(report.proved) << body;
    ASSERT_TRUE(report.witness.has_value()) << body;
    EXPECT_NE(report.witness->kind, ExpressionWitness::Kind::finite) << body;
  }
}

}  // namespace
}  // namespace hallmark::numerics
