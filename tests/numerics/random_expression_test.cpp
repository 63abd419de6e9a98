// Random expressions against random executions: formats, roundings and models drawn at random.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

}  // namespace
}  // namespace hallmark::numerics
