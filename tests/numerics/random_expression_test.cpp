// Random expressions against random executions: formats, roundings and models drawn at random.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "numerics/expression/admitted.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"

namespace hallmark::numerics {
namespace {

Expression core(const std::string& text) {
  return read_fpcores(text, "t.fpcore").at(0);
}

std::string random_expression(std::mt19937_64& random, int depth) {
  const auto pick = [&](std::size_t n) { return random() % n; };
  if (depth == 0 || pick(6) == 0) {
    static const char* const leaves[] = {"x", "y", "z", "0.1", "3", "1.7", "0.25", "-2"};
    return leaves[pick(8)];
  }
  static const char* const two[] = {"+", "-", "*", "/", "fmin", "fmax", "hypot", "atan2"};
  static const char* const one[] = {"-",    "fabs", "sqrt", "exp",   "log",   "sin",   "cos",
                                    "tanh", "atan", "erfc", "floor", "trunc", "round", "nearbyint"};
  const std::size_t kind = pick(13);
  const auto sub = [&] { return random_expression(random, depth - 1); };
  if (kind < 8) return "(" + std::string(two[pick(kind < 5 ? 4 : 8)]) + " " + sub() + " " + sub() + ")";
  if (kind == 8) return "(fma " + sub() + " " + sub() + " " + sub() + ")";
  if (kind == 9) return "(if (< " + sub() + " " + sub() + ") " + sub() + " " + sub() + ")";
  if (kind == 10) {
    // Roots of what comes down to 0.
    static const char* const roots[] = {"(sqrt (fabs ", "(pow (fabs ", "(sqrt (* x "};
    static const char* const ends[] = {"))", ") 0.7)", "))", ") 1.4)", "))"};
    const std::size_t r = pick(3);
    return roots[r] + sub() + ends[r == 1 ? 1 + 2 * pick(2) : r];
  }
  return "(" + std::string(one[pick(14)]) + " " + sub() + ")";
}

// Also what the above leaves out: other formats inside, whole powers, functions at the ends of their domains.
std::string wild_expression(std::mt19937_64& random, int depth) {
  const auto pick = [&](std::size_t n) { return random() % n; };
  const auto sub = [&] { return wild_expression(random, depth - 1); };
  if (depth == 0 || pick(7) == 0) return random_expression(random, 0);
  static const char* const formats[] = {"binary64", "binary32", "binary16", "bfloat16", "tf32", "f8e5m2"};
  static const char* const whole[] = {"2", "3", "-1", "-2", "5", "0"};
  static const char* const one[] = {"asin", "acos",  "cbrt",  "log1p", "expm1", "exp2",
                                    "sinh", "cosh",  "atanh", "acosh", "asinh", "erf",
                                    "log2", "log10", "tan",   "ceil",  "sqrt",  "fabs"};
  switch (pick(9)) {
    case 0:
      return std::string("(! :precision ") + formats[pick(6)] + " " + sub() + ")";
    case 1:
      return std::string("(cast (! :precision ") + formats[pick(6)] + " " + sub() + "))";
    case 2:
      return "(pow " + sub() + " " + whole[pick(6)] + ")";
    case 3:
    case 4:
      return std::string("(") + one[pick(18)] + " " + sub() + ")";
    case 5:
      return "(fdim " + sub() + " " + sub() + ")";
    case 6: {
      // Cancellation, and a quotient of what is nearly 0.
      const std::string a = sub(), b = sub();
      return pick(2) == 0 ? "(- (+ " + a + " " + b + ") " + a + ")"
                          : "(/ (- " + a + " " + b + ") (+ 1 (* " + a + " " + a + ")))";
    }
    case 7:
      return "(let ((t " + sub() + ")) (if (<= t 0.5) (- t 0.25) (* t t)))";
    default:
      return random_expression(random, std::min(depth, 2));
  }
}

bool calls_a_library(const std::string& body) {
  for (const char* call : {"exp", "log", "sin", "cos", "tan", "erfc", "hypot", "pow"})
    if (body.find(call) != std::string::npos) return true;
  return false;
}

// No execution exceeds a bound, whatever the expression, the format, the rounding.
TEST(RandomExpressions, NoExecutionExceedsItsBound) {
  std::mt19937_64 random(HALLMARK_RUNS);
  static const char* const formats[] = {"binary64", "binary32", "binary16", "bfloat16", "f8e4m3"};
  std::size_t bounded = 0;
  for (int i = 0; i < 30 * HALLMARK_RUNS; ++i) {
    const std::string body = random_expression(random, 2 + static_cast<int>(random() % 4));
    const bool directed = random() % 5 == 0 && !calls_a_library(body);
    const std::string text = std::string("(FPCore (x y z) :precision ") + formats[random() % 5] +
                             (directed ? " :round toZero" : "") +
                             " :pre (and (<= -1 x 2) (<= 0.1 y 3) (<= -4 z -0.5)) " +
                             (random() % 4 == 0 ? ":spec " + body + " " : "") + body + ")";
    ExpressionModel model;
    model.inputs_rounded = random() % 2 == 0;
    if (random() % 2 == 0) model.call_ulps = Rational(1, 2);
    BoundOptions options;
    options.evaluations = 60;
    WitnessSearch search;
    search.samples = 300;
    search.seed = random();
    // bound_expression() throws an InternalError when the witness is above the bound.
    SCOPED_TRACE(text);
    ExpressionReport report;
    ASSERT_NO_THROW(report = bound_expression(core(text), model, options, search))
        << model.inputs_rounded << " " << model.call_ulps.get_str() << " " << search.seed;
    if (!report.proved) {
      EXPECT_FALSE(std::isfinite(report.search.bound)) << text << ": " << report.reason;
      continue;
    }
    ++bounded;
    if (report.witness) {
      EXPECT_LE(report.witness->error, report.bound) << text;
    }
  }
  EXPECT_GT(bounded, 5u * HALLMARK_RUNS);
}

// The same over ranges from subnormals to the end of a format.
TEST(RandomExpressions, NoExecutionExceedsItsBoundInWildPlaces) {
  std::mt19937_64 random(HALLMARK_RUNS + 1);
  static const char* const formats[] = {"binary64", "binary32", "binary16", "bfloat16", "tf32", "f8e5m2"};
  static const char* const ranges[] = {
      "-1 1",    "0 1",        "1e-320 1e-300", "-1e-44 3e-38", "1 1e30",      "1e-7 6e-5", "-65504 65504",
      "0.9 1.1", "-1e-9 1e-9", "1e-4 1e4",      "0.25 0.25",    "1e300 1e308", "-3.5 -0.5", "255 257"};
  std::size_t bounded = 0;
  for (int i = 0; i < 30 * HALLMARK_RUNS; ++i) {
    const std::string body = wild_expression(random, 2 + static_cast<int>(random() % 3));
    std::string text = std::string("(FPCore (x y z) :precision ") + formats[random() % 6] + " :pre (and";
    for (const char* input : {"x", "y", "z"}) {
      const std::string range = ranges[random() % 14];
      const std::size_t gap = range.find(' ');
      text += " (<= " + range.substr(0, gap) + " " + input + " " + range.substr(gap + 1) + ")";
    }
    text += ") " + std::string(random() % 6 == 0 ? ":spec " + body + " " : "") + body + ")";
    ExpressionModel model;
    model.inputs_rounded = random() % 2 == 0;
    if (random() % 2 == 0) model.call_ulps = Rational(1, 2);
    BoundOptions options;
    options.evaluations = 40;
    WitnessSearch search;
    search.samples = 200;
    search.seed = random();
    SCOPED_TRACE(text);
    if (!over_values(core(text), model)) continue;  // a range without a value of its format
    ExpressionReport report;
    ASSERT_NO_THROW(report = bound_expression(core(text), model, options, search))
        << model.inputs_rounded << " " << model.call_ulps.get_str() << " " << search.seed;
    bounded += report.proved ? 1 : 0;
    if (report.proved && report.witness) {
      EXPECT_EQ(report.witness->kind, ExpressionWitness::Kind::finite) << text;
      EXPECT_LE(report.witness->error, report.bound) << text;
    }
  }
  EXPECT_GT(bounded, 5u * HALLMARK_RUNS);
}

}  // namespace
}  // namespace hallmark::numerics
