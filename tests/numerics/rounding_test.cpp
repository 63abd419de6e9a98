// The rounding model against the evaluator's own rounding, over formats, modes and magnitudes.
#include "numerics/rounding.h"

#include <cmath>

#include "contract/format_values.h"
#include "evaluator/float_format.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

TEST(Rounding, EnclosesWhatTheFormatsDo) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (const Format format :
       {Format::f32, Format::f16, Format::bf16, Format::tf32, Format::f8e4m3, Format::f8e5m2})
    for (const Rounding mode : {Rounding::nearest, Rounding::toward_zero, Rounding::down, Rounding::up})
      for (const bool ftz : {false, true}) {
        const RoundingModel model{format, mode, ftz};
        const int least = minimum_exponent(format) - static_cast<int>(significand_bits(format)) - 2;
        for (int i = 0; i < 400; ++i) {
          const int e =
              least + static_cast<int>(random() % static_cast<unsigned>(maximum_exponent(format) - least));
          double v = std::ldexp(uniform(random), e);
          if (i % 4 == 0) v = std::ldexp(std::round(v), 0);
          const double expected_raw = evaluator::round_to(format, v, mode);
          const double expected = ftz ? evaluator::flush(format, expected_raw) : expected_raw;
          const Interval exact(exact_rational(v));
          const MaybeInterval rounded = round_to_format(exact, model);
          if (!std::isfinite(expected)) {
            EXPECT_FALSE(rounded.has_value()) << name(format) << " " << v;
            continue;
          }
          if (!rounded) {
            // toward zero or down never overflow in IEEE arithmetic; refusing them is safe.
            EXPECT_GE(std::abs(v), contract::largest_value(format).get_d());
            continue;
          }
          ASSERT_TRUE(rounded->is_point());
          EXPECT_EQ(rounded->exact_low(), exact_rational(expected)) << name(format) << " " << v;
          const Interval error = abs(*rounded - exact);
          const Interval mixed =
              relative_rounding(model) * abs(exact) + rest_of_rounding(model, SubnormalResults::rounded);
          EXPECT_TRUE(mpfr_lessequal_p(error.low(), mixed.high()) != 0) << name(format) << " " << v;
          EXPECT_TRUE(mpfr_lessequal_p(error.low(),
                                       absolute_rounding(exact, model, SubnormalResults::rounded).high()) !=
                      0)
              << name(format) << " " << v;
        }
      }
}

TEST(Rounding, APowerOfTwoAtTheTopCountsForTheBinadeBelow) {
  const RoundingModel f32{Format::f32};
  EXPECT_EQ(exact_text(absolute_rounding(Interval(Rational(0), Rational(1)), f32, SubnormalResults::rounded)),
            exact_text(Interval::power_of_two(-25).from_zero()));
  EXPECT_EQ(
      exact_text(absolute_rounding(Interval(Rational(0), Rational(3, 2)), f32, SubnormalResults::rounded)),
      exact_text(Interval::power_of_two(-24).from_zero()));
  // Sums of subnormals are exact, unless they are flushed.
  const Interval tiny(Rational(0), contract::power_of_two_rational(-130));
  EXPECT_TRUE(absolute_rounding(tiny, f32, SubnormalResults::exact).is_zero());
  EXPECT_FALSE(
      absolute_rounding(tiny, {Format::f32, Rounding::nearest, true}, SubnormalResults::exact).is_zero());
}

TEST(Rounding, AccumulationIsNotTheFirstOrderTerm) {
  const RoundingModel bf16{Format::bf16};
  const Interval gamma = accumulated_rounding(bf16, 511);
  // 511 u is just below 2; the true factor is above 6.
  EXPECT_TRUE(mpfr_cmp_ui(gamma.high(), 6) > 0);
  EXPECT_TRUE(mpfr_cmp_ui(gamma.high(), 7) < 0);
  EXPECT_TRUE(accumulated_rounding(bf16, 0).is_zero());
}

// Every place of a narrow format against the bound of an interval that ends there: the middles between two
// values are the worst, and just above a power of two that power is near.
TEST(Rounding, JustAboveAPowerOfTwoThePowerIsNear) {
  const RoundingModel f16{Format::f16};
  const auto error = [&](double v) {
    const Interval rounded = round_to_format(Interval(exact_rational(v)), f16).value();
    return std::fabs(mpfr_get_d(rounded.low(), MPFR_RNDN) - v);
  };
  for (const double power : {0x1p-14, 0x1p-13, 0.5, 1.0, 1024.0}) {
    double worst = 0;
    for (int step = -64; step <= 64; ++step) {
      const double v = power * (1 + step * 0x1p-15);
      worst = std::max(worst, error(v));
      const double bound = mpfr_get_d(
          absolute_rounding(Interval(Rational(0), exact_rational(v)), f16, SubnormalResults::rounded).high(),
          MPFR_RNDU);
      EXPECT_GE(bound, worst) << power << " " << step;
      if (step > 0 && power > 0x1p-13) {
        EXPECT_LE(bound, std::max(power * 0x1p-12, std::min(power * 0x1p-11, v - power)))
            << power << " " << step;
      }
    }
  }
  // Directed, the next value may be a whole spacing away.
  const RoundingModel up{Format::f16, Rounding::up};
  const Interval bound =
      absolute_rounding(Interval(exact_rational(1 + 0x1p-20)), up, SubnormalResults::rounded);
  EXPECT_GE(mpfr_get_d(bound.high(), MPFR_RNDU), 0x1p-10 - 0x1p-20);
}

}  // namespace
}  // namespace hallmark::numerics
