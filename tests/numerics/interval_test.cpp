#include "numerics/interval.h"

#include <arb.h>
#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"

namespace hallmark::numerics {
namespace {

using calculus::Op;

Interval box(const Rational& low, const Rational& high) {
  return Interval(low, high);
}

TEST(Interval, KeepsOutsideOfWhatItRounds) {
  const Interval tenth(Rational(1, 10));
  EXPECT_TRUE(tenth.contains(Rational(1, 10)));
  EXPECT_FALSE(tenth.is_point());
  EXPECT_TRUE((tenth * Rational(10)).contains(Rational(1)));
  EXPECT_EQ(upper_text(tenth), "1.01e-01");
  EXPECT_EQ(lower_text(tenth), "9.99e-02");
}

// MPFI gives a NaN end, or all reals, without any error in each of these.
TEST(Interval, OutsideTheDomainThereIsNoValue) {
  EXPECT_FALSE(unary(Op::sqrt, box(-1, 4)).has_value());
  EXPECT_FALSE(unary(Op::log, box(0, 4)).has_value());
  EXPECT_FALSE(unary(Op::log, box(-1, 4)).has_value());
  EXPECT_FALSE(unary(Op::asin, box(0, Rational(3, 2))).has_value());
  EXPECT_FALSE(unary(Op::acosh, box(0, 2)).has_value());
  EXPECT_FALSE(unary(Op::atanh, box(-1, 0)).has_value());
  EXPECT_FALSE(unary(Op::reciprocal, box(-1, 1)).has_value());
  EXPECT_FALSE(unary(Op::rsqrt, box(0, 1)).has_value());
  EXPECT_FALSE(unary(Op::tan, box(1, 2)).has_value());
  EXPECT_FALSE(divide(box(1, 1), box(0, 1)).has_value());
  EXPECT_FALSE(binary(Op::pow, box(-1, 1), Interval(Rational(1, 2))).has_value());
  EXPECT_FALSE(unary(Op::fma, box(1, 2)).has_value());
}

TEST(Interval, ASquareIsNotNegative) {
  EXPECT_TRUE(square(box(-10, 10)).is_nonnegative());
  EXPECT_TRUE(power(box(-10, 10), 4).is_nonnegative());
  EXPECT_TRUE(power(box(-10, 10), 3).contains(Rational(-1000)));
  EXPECT_FALSE((box(-10, 10) * box(-10, 10)).is_nonnegative());
}

TEST(Interval, DiscontinuousFunctionsGiveTheHullOfTheirValues) {
  EXPECT_EQ(text(*unary(Op::floor, box(Rational(-1, 2), Rational(5, 2)))), "[-1, 2]");
  EXPECT_EQ(text(*unary(Op::round_even, box(Rational(1, 2), Rational(5, 2)))), "[0, 2]");
  EXPECT_EQ(text(*unary(Op::sign, box(-3, 0))), "[-1, 0]");
  EXPECT_EQ(text(*binary(Op::mod, box(0, 10), box(3, 3))), "[0, 3]");
  EXPECT_EQ(text(*binary(Op::mod, box(7, 7), box(3, 3))), "[1, 1]");
  EXPECT_EQ(text(*binary(Op::rem, box(-7, -7), box(3, 3))), "[-1, -1]");
}

TEST(Interval, RefusesExchangedEnds) {
  EXPECT_THROW(Interval(Rational(1), Rational(0)), InternalError);
  EXPECT_THROW(Interval(Rational(-2), Rational(-1)).from_zero(), InternalError);
}

// Arb is another implementation: at points both must enclose the same number, so they must meet.
TEST(Interval, MeetsArbAtPoints) {
  using Function = void (*)(arb_t, const arb_t, slong);
  const std::vector<std::pair<Op, Function>> functions{
      {Op::exp, arb_exp},   {Op::log, arb_log},     {Op::sqrt, arb_sqrt},      {Op::rsqrt, arb_rsqrt},
      {Op::sin, arb_sin},   {Op::cos, arb_cos},     {Op::tanh, arb_tanh},      {Op::atan, arb_atan},
      {Op::sinh, arb_sinh}, {Op::asinh, arb_asinh}, {Op::erf, arb_hypgeom_erf}};
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> spread(-6, 6);
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  mpfr_t low, high;
  mpfr_init2(low, 160);
  mpfr_init2(high, 160);
  for (int i = 0; i < 400; ++i) {
    double v = spread(random);
    for (const auto& [op, f] : functions) {
      if (op == Op::log || op == Op::sqrt || op == Op::rsqrt) v = std::abs(v) + 1e-3;
      const MaybeInterval ours = unary(op, Interval(exact_rational(v)));
      ASSERT_TRUE(ours.has_value());
      arb_set_d(x, v);
      f(y, x, 128);
      arb_get_interval_mpfr(low, high, y);
      const Interval theirs = Interval::ends(low, high);
      const MaybeInterval both = intersect(*ours, theirs);
      ASSERT_TRUE(both.has_value()) << calculus::name(op) << " at " << v;
      // Both narrow: neither is right by being wide.
      EXPECT_TRUE(mpfr_cmp_d((theirs - *ours).magnitude().high(), 1e-30) < 0)
          << calculus::name(op) << " at " << v;
    }
  }
  mpfr_clears(low, high, static_cast<mpfr_ptr>(nullptr));
  arb_clear(x);
  arb_clear(y);
}

// Interval results contain the result at every point inside.
TEST(Interval, ContainsThePointsInside) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> spread(-4, 4), part(0, 1);
  const std::vector<Op> unaries{Op::abs,  Op::exp,   Op::sin,   Op::cos,        Op::tanh, Op::erf,
                                Op::sign, Op::floor, Op::trunc, Op::round_even, Op::atan, Op::ceil};
  const std::vector<Op> binaries{Op::add, Op::sub, Op::mul, Op::div, Op::max,
                                 Op::min, Op::mod, Op::rem, Op::pow};
  for (int i = 0; i < 2000; ++i) {
    double a = spread(random), b = spread(random), c = spread(random), d = spread(random);
    if (a > b) std::swap(a, b);
    if (c > d) std::swap(c, d);
    const double p = a + (b - a) * part(random), q = c + (d - c) * part(random);
    if (p < a || p > b || q < c || q > d) continue;
    const Interval x = box(exact_rational(a), exact_rational(b)),
                   y = box(exact_rational(c), exact_rational(d));
    const Interval xp(exact_rational(p)), yq(exact_rational(q));
    for (const Op op : unaries) {
      const MaybeInterval whole = unary(op, x), one = unary(op, xp);
      ASSERT_TRUE(whole && one);
      EXPECT_TRUE(intersect(*whole, *one).has_value()) << calculus::name(op);
    }
    for (const Op op : binaries) {
      const MaybeInterval whole = binary(op, x, y), one = binary(op, xp, yq);
      if (!whole) continue;
      ASSERT_TRUE(one.has_value()) << calculus::name(op);
      EXPECT_TRUE(intersect(*whole, *one).has_value())
          << calculus::name(op) << a << " " << b << " " << c << " " << d;
    }
  }
}

}  // namespace
}  // namespace hallmark::numerics
