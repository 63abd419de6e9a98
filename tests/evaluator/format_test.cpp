#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/error.h"
#include "evaluator/float_format.h"
#include "evaluator/float_operation.h"

namespace hallmark::evaluator {
namespace {

using calculus::Format;
using calculus::Op;
using calculus::Rounding;

constexpr Format narrow[] = {Format::f32,  Format::tf32,   Format::f16,
                             Format::bf16, Format::f8e4m3, Format::f8e5m2};

TEST(FloatFormat, EveryEncodingOfTheSmallFormatsComesBack) {
  for (const Format format : {Format::f16, Format::bf16, Format::f8e4m3, Format::f8e5m2})
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << storage_bits(format); ++bits) {
      const double value = decode(format, bits);
      if (std::isnan(value)) continue;
      ASSERT_EQ(encode(format, value), bits) << name(format);
      ASSERT_EQ(round_to(format, value, Rounding::up), value);
    }
}

TEST(FloatFormat, KnownValues) {
  EXPECT_EQ(decode(Format::f16, 0x3c00), 1);
  EXPECT_EQ(decode(Format::f16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(decode(Format::f16, 0x7bff), 65504);
  EXPECT_EQ(decode(Format::bf16, 0x4049), 3.140625);
  EXPECT_EQ(decode(Format::f8e4m3, 0x7e), 448);
  EXPECT_TRUE(std::isnan(decode(Format::f8e4m3, 0x7f)));
  EXPECT_EQ(decode(Format::f8e5m2, 0x7b), 57344);
  EXPECT_TRUE(std::isinf(decode(Format::f8e5m2, 0x7c)));
  EXPECT_EQ(round_to(Format::f8e4m3, 464, Rounding::nearest), 448);
  EXPECT_TRUE(std::isnan(round_to(Format::f8e4m3, 465, Rounding::nearest)));
  EXPECT_EQ(round_to(Format::f16, 65520, Rounding::toward_zero), 65504);
  EXPECT_TRUE(std::isinf(round_to(Format::f16, 65520, Rounding::nearest)));
  EXPECT_THROW(encode(Format::f16, 1e6), InternalError);
  EXPECT_THROW(encode(Format::tf32, 1 + std::ldexp(1.0, -11)), InternalError);
}

// An independent path: MPFR with the format's own precision and exponent range.
double by_mpfr_alone(Op op, Format format, Rounding rounding, const double* x) {
  const int p = static_cast<int>(significand_bits(format));
  const mpfr_rnd_t mode = rounding == Rounding::nearest       ? MPFR_RNDN
                          : rounding == Rounding::toward_zero ? MPFR_RNDZ
                          : rounding == Rounding::down        ? MPFR_RNDD
                                                              : MPFR_RNDU;
  mpfr_t r, a, b, c;
  mpfr_init2(r, p);
  mpfr_inits2(53, a, b, c, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(a, x[0], MPFR_RNDN);
  mpfr_set_d(b, x[1], MPFR_RNDN);
  mpfr_set_d(c, x[2], MPFR_RNDN);
  const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
  mpfr_set_emin(minimum_exponent(format) - p + 2);
  mpfr_set_emax(maximum_exponent(format) + 1);
  int inexact = 0;
  switch (op) {
    case Op::add:
      inexact = mpfr_add(r, a, b, mode);
      break;
    case Op::sub:
      inexact = mpfr_sub(r, a, b, mode);
      break;
    case Op::mul:
      inexact = mpfr_mul(r, a, b, mode);
      break;
    case Op::div:
      inexact = mpfr_div(r, a, b, mode);
      break;
    case Op::fma:
      inexact = mpfr_fma(r, a, b, c, mode);
      break;
    case Op::sqrt:
      inexact = mpfr_sqrt(r, a, mode);
      break;
    default:
      inexact = mpfr_exp(r, a, mode);
      break;
  }
  inexact = mpfr_check_range(r, inexact, mode);
  mpfr_subnormalize(r, inexact, mode);
  const double result = mpfr_get_d(r, MPFR_RNDN);
  mpfr_set_emin(least);
  mpfr_set_emax(greatest);
  mpfr_clears(r, a, b, c, static_cast<mpfr_ptr>(nullptr));
  return result;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(FloatOperation, AgreesWithMpfrInEveryFormatAndMode) {
  std::mt19937_64 random(1);
  for (const Format format :
       {Format::f64, Format::f32, Format::tf32, Format::f16, Format::bf16, Format::f8e5m2})
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::fma, Op::sqrt, Op::exp})
      for (const Rounding rounding : {Rounding::nearest, Rounding::toward_zero, Rounding::down, Rounding::up})
        for (int trial = 0; trial < 400; ++trial) {
          double x[3];
          for (double& v : x) {
            const unsigned width = storage_bits(format);
            std::uint64_t bits = random() >> (64 - width);
            // Half of the trials with exponents close together, so that digits meet.
            v = decode(format, bits);
            if (trial % 2 == 0 && std::isfinite(v) && v != 0)
              v = round_to(format, std::ldexp(v, -std::ilogb(v) + static_cast<int>(random() % 9) - 4),
                           Rounding::nearest);
          }
          const double ours = float_operation(op, format, rounding, false, x);
          const double theirs = by_mpfr_alone(op, format, rounding, x);
          ASSERT_TRUE(same(ours, theirs))
              << name(format) << " " << name(op) << " " << static_cast<int>(rounding) << " " << x[0] << " "
              << x[1] << " " << x[2] << ": " << ours << " " << theirs;
        }
}

TEST(FloatOperation, AllPairsOfAnEightBitFormat) {
  for (std::uint64_t a = 0; a < 256; ++a)
    for (std::uint64_t b = 0; b < 256; ++b)
      for (const Op op : {Op::add, Op::mul, Op::div}) {
        const double x[3] = {decode(Format::f8e5m2, a), decode(Format::f8e5m2, b), 0};
        const double ours = float_operation(op, Format::f8e5m2, Rounding::nearest, false, x);
        ASSERT_TRUE(same(ours, by_mpfr_alone(op, Format::f8e5m2, Rounding::nearest, x))) << a << " " << b;
      }
}

TEST(FloatOperation, ZerosNansAndFlushing) {
  const auto f32 = [](Op op, double a, double b, Rounding r = Rounding::nearest, bool ftz = false) {
    const double x[3] = {a, b, 0};
    return float_operation(op, Format::f32, r, ftz, x);
  };
  EXPECT_FALSE(std::signbit(f32(Op::add, 1, -1)));
  EXPECT_TRUE(std::signbit(f32(Op::add, 1, -1, Rounding::down)));
  EXPECT_TRUE(std::signbit(f32(Op::add, -0.0, -0.0)));
  EXPECT_TRUE(std::isnan(f32(Op::maximum, NAN, 1)));
  EXPECT_EQ(f32(Op::maxnum, NAN, 1), 1);
  EXPECT_FALSE(std::signbit(f32(Op::maxnum, -0.0, 0.0)));
  EXPECT_TRUE(std::signbit(f32(Op::minnum, -0.0, 0.0)));
  const double least = std::ldexp(1.0, -126);
  EXPECT_EQ(f32(Op::mul, least, 0.5), least / 2);
  EXPECT_EQ(f32(Op::mul, least, 0.5, Rounding::nearest, true), 0);
  EXPECT_TRUE(std::signbit(f32(Op::mul, -least, 0.5, Rounding::nearest, true)));
  EXPECT_EQ(f32(Op::mul, least / 2, 4, Rounding::nearest, true), 0);
  EXPECT_EQ(f32(Op::scale2, 3, -150), std::ldexp(1.0, -148));  // 1.5 units: ties to even
  EXPECT_EQ(f32(Op::exponent, 0.75, 0), -1);
}

TEST(FloatFormat, RationalsRoundOnce) {
  for (const Format format : narrow) {
    // Just above a tie: 1 + half a unit + 2^-200.
    const int p = static_cast<int>(significand_bits(format));
    const Rational half(1, power_of_two(static_cast<unsigned>(p)));
    const Rational tiny(1, power_of_two(200));
    EXPECT_EQ(nearest(format, 1 + half), 1);
    EXPECT_EQ(nearest(format, 1 + half + tiny), 1 + std::ldexp(1.0, 1 - p));
  }
  EXPECT_EQ(nearest(Format::f64, Rational(1, 3)), 1.0 / 3);
}

}  // namespace
}  // namespace hallmark::evaluator
