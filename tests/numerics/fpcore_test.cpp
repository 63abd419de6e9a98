// What FPCore says beyond scalars: arrays, loops over indices, and the ranges that preconditions imply.
#include "numerics/expression/fpcore.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "numerics/expression/report.h"

namespace hallmark::numerics {
namespace {

std::vector<Expression> all(const std::string& text) {
  return read_fpcores(text, "t.fpcore");
}
Expression one(const std::string& text) {
  std::vector<Expression> out = all(text);
  EXPECT_EQ(out.size(), 1U) << text;
  return out.at(0);
}
Rational bound_of(const Expression& e) {
  const ExpressionReport report = bound_expression(e, {});
  EXPECT_TRUE(report.proved) << report.reason;
  return report.bound;
}
std::string code_of(const std::string& text) {
  try {
    all(text);
  } catch (const Error& error) {
    EXPECT_NE(error.render().find('^'), std::string::npos) << error.render();
    return error.code();
  }
  return "none";
}

TEST(Arrays, ASumOverAnIndexIsTheSumWrittenOut) {
  const Expression loop =
      one("(FPCore ((A 3)) :precision binary32 :pre (<= -1 A 1) "
          "(for ((i (size A 0))) ((s 0 (+ s (* (ref A i) (ref A i))))) s))");
  const Expression plain =
      one("(FPCore (a b c) :precision binary32 :pre (and (<= -1 a 1) (<= -1 b 1) (<= -1 c 1)) "
          "(+ (+ (+ 0 (* a a)) (* b b)) (* c c)))");
  EXPECT_EQ(loop.inputs.at(2).name, "A[2]");
  EXPECT_EQ(execute(loop, {0.1, 0.7, -0.3}), execute(plain, {0.1, 0.7, -0.3}));
  EXPECT_EQ(bound_of(loop), bound_of(plain));
}

TEST(Arrays, AMatrixProductIsOneExpressionForEachElement) {
  const std::vector<Expression> product =
      all("(FPCore mm ((A 2 3) (B 3 2)) :name \"mm\" :pre (and (<= -2 A 2) (<= -2 B 2)) "
          "(tensor ((m 2) (n 2)) (for ((i 3)) ((p 0 (+ p (* (ref A m i) (ref B i n))))) p)))");
  ASSERT_EQ(product.size(), 4U);
  EXPECT_EQ(product[2].name, "mm[1][0]");
  std::vector<double> x;
  for (int i = 0; i < 12; ++i) x.push_back(i - 5);
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t n = 0; n < 2; ++n) {
      double p = 0;
      for (std::size_t i = 0; i < 3; ++i) p += x[3 * m + i] * x[6 + 2 * i + n];
      EXPECT_EQ(execute(product[2 * m + n], x), p) << m << n;
    }
}

TEST(Arrays, IndicesOfSeveralDimensionsRunTheLastFastest) {
  const Expression e =
      one("(FPCore (x) :pre (<= 0 x 1) (for ((i 2) (j 3)) ((s 0 (+ (* 10 s) (+ (* 3 i) j)))) s))");
  EXPECT_EQ(execute(e, {0}), 12345);
  // In order: the second number sees the new first one.
  const auto pair = [](const std::string& loop) {
    return execute(one("(FPCore (x) :pre (<= 0 x 1) (" + loop + " ((i 3)) ((s 1 (* 2 s)) (t 0 (+ t s))) t))"),
                   {0});
  };
  EXPECT_EQ(pair("for"), 1 + 2 + 4);
  EXPECT_EQ(pair("for*"), 2 + 4 + 8);
}

TEST(Arrays, AreTakenApartByLetIfAndRef) {
  const std::string pre = "(FPCore (x y) :pre (and (<= 1 x 2) (<= 3 y 4)) ";
  EXPECT_EQ(execute(one(pre + "(let ((a (array x (array y 7)))) (+ (ref a 1 0) (ref a 1 1))))"), {1, 3}), 10);
  EXPECT_EQ(execute(one(pre + "(ref (if (< x y) (array x 5) (array y 6)) 1))"), {1, 3}), 5);
  EXPECT_EQ(execute(one(pre + "(dim (array (array x y) (array y x))))"), {1, 3}), 2);
  // A side that is known not to be taken need not exist.
  EXPECT_EQ(execute(one(pre + "(for ((i 3)) ((s 0 (if (== i 0) x (+ s (/ y i))))) s))"), {1, 3}),
            1 + 3 + 1.5);
  EXPECT_EQ(code_of(pre + "(ref (array x y) 2))"), "E8102");
  EXPECT_EQ(code_of(pre + "(+ (array x y) 1))"), "E8102");
  EXPECT_EQ(code_of(pre + "(ref x 0))"), "E8102");
  EXPECT_EQ(code_of(pre + "(ref (array x y) x))"), "E8108");
  EXPECT_EQ(code_of("(FPCore ((A n)) :pre (<= 0 A 1) (ref A 0))"), "E8108");
  EXPECT_EQ(code_of("(FPCore ((A 3)) :pre (<= 0 (ref A 0) 1) (ref A 1))"), "E8104");
}

TEST(Preconditions, HandRangesOnAlongOrders) {
  const Expression e = one("(FPCore (x y z) :pre (and (<= 0 x y) (<= y z 5)) (+ (+ x y) z))");
  for (const ExpressionInput& input : e.inputs) {
    EXPECT_EQ(input.low, 0) << input.name;
    EXPECT_EQ(input.high, 5) << input.name;
  }
  EXPECT_EQ(e.demands.size(), 2U);
  // y - x is not negative: the order counts too, not its ranges alone.
  EXPECT_TRUE(certify(e, {}, {1, 2, 3}).has_value());
  EXPECT_FALSE(certify(e, {}, {2, 1, 3}).has_value());
  const Expression f = one("(FPCore (x) :pre (<= 1 (fabs x) 10) (/ 1 x))");
  EXPECT_EQ(f.inputs[0].low, -10);
  EXPECT_EQ(f.inputs[0].high, 10);
  EXPECT_TRUE(bound_expression(f, {}).proved);
  EXPECT_EQ(code_of("(FPCore (x y) :pre (and (<= x y 1) (<= 2 x)) (+ x y))"), "E8105");
}

TEST(Preconditions, AnArgumentThatNothingLooksAtNeedsNoRange) {
  const Expression e = one("(FPCore (x y) :pre (<= 0 x 1) (+ x 1))");
  EXPECT_TRUE(bound_expression(e, {}).proved);
  EXPECT_EQ(code_of("(FPCore (x y) :pre (and (<= 0 x 1) (<= (* y y) x)) (+ x 1))"), "E8104");
  EXPECT_EQ(code_of("(FPCore (x y) :pre (<= 0 x 1) (if (< x y) x 1))"), "E8104");
  EXPECT_EQ(code_of("(FPCore (x y) :pre (<= 0 x 1) :spec (+ x y) (+ x 1))"), "E8104");
}

TEST(Preconditions, MayBindNames) {
  const Expression e =
      one("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1) (let ((t (+ x y))) (< t 1))) (+ x y))");
  EXPECT_FALSE(certify(e, {}, {1, 1}).has_value());
  EXPECT_TRUE(certify(e, {}, {Rational(1, 2), Rational(1, 4)}).has_value());
}

TEST(PositiveDifference, IsTheRoundedDifferenceOrZero) {
  const Expression e = one("(FPCore (x y) :pre (and (<= 0 x 4) (<= 0 y 4)) (fdim x y))");
  EXPECT_EQ(execute(e, {3, 1.25}), 1.75);
  EXPECT_EQ(execute(e, {1.25, 3}), 0);
  EXPECT_GT(bound_of(e), 0);
}

// A constant whose rounding 256 bits do not decide.
TEST(Constants, CloseToTheMiddleOfTwoValuesAreRoundedAllTheSame) {
  const std::string half = "1.00000000000000011102230246251565404236316680908203125";
  const auto value = [&](const std::string& digits) {
    return execute(one("(FPCore (x) :pre (<= 0 x 1) (+ x " + digits + "))"), {0}).value();
  };
  EXPECT_EQ(value(half), 1);
  EXPECT_EQ(value(half + std::string(200, '0') + "1"), 1 + 0x1p-52);
}

// Whatever the order of operations, an unrolled loop stays inside of its bound.
TEST(Loops, NoExecutionExceedsTheirBound) {
  const Expression e =
      one("(FPCore ((A 6) x) :precision binary32 :pre (and (<= -1 A 2) (<= -0.9 x 0.9)) "
          "(for ((i 6)) ((s 0 (+ (* s x) (ref A i)))) s))");
  const Rational bound = bound_of(e);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-0.9, 0.9);
  for (int run = 0; run < 500; ++run) {
    std::vector<Rational> x;
    for (int i = 0; i < 7; ++i) x.push_back(exact_rational(uniform(random)));
    const auto w = certify(e, {}, x);
    ASSERT_TRUE(w.has_value());
    EXPECT_LE(w->error, bound);
  }
}

}  // namespace
}  // namespace hallmark::numerics
