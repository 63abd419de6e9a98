#include "formulation/round_constant.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/error.h"

namespace hallmark::formulation {
namespace {

using calculus::Format;

TEST(RoundConstant, ExactValuesRoundToThemselves) {
  std::mt19937_64 random(1);
  for (const Format format :
       {Format::f32, Format::f64, Format::f16, Format::bf16, Format::f8e4m3, Format::f8e5m2})
    for (int n = 0; n < 2000; ++n) {
      const unsigned bits = calculus::storage_bits(format);
      const std::uint64_t encoding = bits == 64 ? random() : random() & ((std::uint64_t{1} << bits) - 1);
      const auto value = exact_value(encoding, format);
      if (!value || *value == 0) continue;
      EXPECT_EQ(round_to_nearest(*value, format), encoding) << name(format) << " " << encoding;
    }
}

// Against the processor: decimal fractions and their neighbours, and ratios.
TEST(RoundConstant, AgreesWithTheProcessorOnRatios) {
  std::mt19937 random(2);
  for (int n = 0; n < 20000; ++n) {
    const int a = static_cast<int>(random() % 2000001) - 1000000,
              b = 1 + static_cast<int>(random() % 1000000);
    const Rational ratio(a, b);
    Rational value = ratio;
    value.canonicalize();
    // int / int in float is one correctly rounded division when both fit 24 bits.
    EXPECT_EQ(*round_to_nearest(value, Format::f32) & 0x7fffffffu,
              std::bit_cast<std::uint32_t>(std::fabs(static_cast<float>(a) / static_cast<float>(b))));
    EXPECT_EQ(*round_to_nearest(value, Format::f64) & 0x7fffffffffffffffu,
              std::bit_cast<std::uint64_t>(std::fabs(static_cast<double>(a) / static_cast<double>(b))));
  }
}

// Against MPFR near the subnormal range, ties included.
TEST(RoundConstant, AgreesWithMpfrBelowTheNormalRange) {
  mpfr_t x;
  mpfr_init2(x, 24);
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  for (long n = 1; n < 4000; ++n) {
    const Rational value(Integer(n), power_of_two(152));
    Rational canonical = value;
    canonical.canonicalize();
    const int ternary = mpfr_set_q(x, canonical.get_mpq_t(), MPFR_RNDN);
    mpfr_subnormalize(x, ternary, MPFR_RNDN);
    EXPECT_EQ(*round_to_nearest(canonical, Format::f32),
              std::bit_cast<std::uint32_t>(mpfr_get_flt(x, MPFR_RNDN)));
  }
  mpfr_clear(x);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
}

TEST(RoundConstant, OverflowIsNotSilent) {
  const Rational largest(Integer((power_of_two(24) - 1) * power_of_two(104)));
  EXPECT_EQ(round_to_nearest(largest, Format::f32), 0x7f7fffffu);
  EXPECT_EQ(round_to_nearest(largest + Rational(power_of_two(103)), Format::f32), std::nullopt);
  EXPECT_EQ(round_to_nearest(Rational(448), Format::f8e4m3), 0x7eu);
  EXPECT_EQ(round_to_nearest(Rational(470), Format::f8e4m3), std::nullopt);
  EXPECT_EQ(infinity_bits(-1, Format::f32), 0xff800000u);
  EXPECT_THROW(infinity_bits(1, Format::f8e4m3), InternalError);
}

}  // namespace
}  // namespace hallmark::formulation
