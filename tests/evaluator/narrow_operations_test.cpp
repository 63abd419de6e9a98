// Narrow formats against MPFR, bit for bit: every operand of the 8- and 16-bit formats for operations of one
// argument, every pair for the 8-bit ones, and HALLMARK_RUNS random operations (the medium and the long test
// differ in it alone).
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <random>

#include "evaluator/float_format.h"
#include "evaluator/float_operation.h"

namespace hallmark::evaluator {
namespace {

using calculus::Format;
using calculus::Op;
using calculus::Rounding;

constexpr Format formats[] = {Format::f32,  Format::tf32,   Format::f16,
                              Format::bf16, Format::f8e4m3, Format::f8e5m2};
constexpr Rounding roundings[] = {Rounding::nearest, Rounding::toward_zero, Rounding::down, Rounding::up};
constexpr Op binary[] = {Op::add, Op::sub, Op::mul, Op::div};

// MPFR with the format's own precision and exponent range. f8e4m3 has no infinity: beyond 448 it is NaN, or
// 448 where the mode rounds toward it.
class Mpfr {
 public:
  Mpfr(Format format, Rounding rounding) : format_(format) {
    mode_ = rounding == Rounding::nearest       ? MPFR_RNDN
            : rounding == Rounding::toward_zero ? MPFR_RNDZ
            : rounding == Rounding::down        ? MPFR_RNDD
                                                : MPFR_RNDU;
    precision_ = static_cast<int>(calculus::significand_bits(format));
    mpfr_init2(result_, precision_);
    mpfr_inits2(53, a_, b_, c_, static_cast<mpfr_ptr>(nullptr));
  }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  ~Mpfr() { mpfr_clears(result_, a_, b_, c_, static_cast<mpfr_ptr>(nullptr)); }

  double run(Op op, const double* x) {
    mpfr_set_d(a_, x[0], MPFR_RNDN);
    mpfr_set_d(b_, x[1], MPFR_RNDN);
    mpfr_set_d(c_, x[2], MPFR_RNDN);
    const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
    const bool without_infinity = format_ == Format::f8e4m3;
    mpfr_set_emin(calculus::minimum_exponent(format_) - precision_ + 2);
    if (!without_infinity) mpfr_set_emax(calculus::maximum_exponent(format_) + 1);
    int inexact = operate(op);
    inexact = mpfr_check_range(result_, inexact, mode_);
    mpfr_subnormalize(result_, inexact, mode_);
    double out = mpfr_get_d(result_, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
    if (without_infinity && std::fabs(out) > 448) {
      const bool inward =
          mode_ == MPFR_RNDZ || (mode_ == MPFR_RNDD && out > 0) || (mode_ == MPFR_RNDU && out < 0);
      // An operand that is beyond the format by itself: 1 / 0.
      out = inward && std::isfinite(out) ? std::copysign(448.0, out) : NAN;
    }
    return out;
  }

 private:
  int operate(Op op) {
    switch (op) {
      case Op::add:
        return mpfr_add(result_, a_, b_, mode_);
      case Op::sub:
        return mpfr_sub(result_, a_, b_, mode_);
      case Op::mul:
        return mpfr_mul(result_, a_, b_, mode_);
      case Op::div:
        return mpfr_div(result_, a_, b_, mode_);
      case Op::fma:
        return mpfr_fma(result_, a_, b_, c_, mode_);
      case Op::sqrt:
        return mpfr_sqrt(result_, a_, mode_);
      default:
        return mpfr_set(result_, a_, mode_);
    }
  }

  Format format_;
  mpfr_rnd_t mode_{};
  int precision_ = 0;
  mpfr_t result_, a_, b_, c_;
};

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string text(Op op, Format format, Rounding rounding, const double* x) {
  return std::string(calculus::name(op)) + " " + std::string(calculus::name(format)) + " mode " +
         std::to_string(static_cast<int>(rounding)) + " of " + std::to_string(x[0]) + " " +
         std::to_string(x[1]) + " " + std::to_string(x[2]);
}

TEST(NarrowOperations, EveryPairOfTheEightBitFormats) {
  for (const Format format : {Format::f8e4m3, Format::f8e5m2})
    for (const Rounding rounding : roundings) {
      Mpfr mpfr(format, rounding);
      for (std::uint64_t a = 0; a < 256; ++a)
        for (std::uint64_t b = 0; b < 256; ++b)
          for (const Op op : binary) {
            const double x[3] = {decode(format, a), decode(format, b), 0};
            ASSERT_TRUE(same(float_operation(op, format, rounding, false, x), mpfr.run(op, x)))
                << text(op, format, rounding, x);
          }
    }
}

TEST(NarrowOperations, EveryArgumentOfTheEightAndSixteenBitFormats) {
  for (const Format from : {Format::f8e4m3, Format::f8e5m2, Format::f16, Format::bf16})
    for (const Rounding rounding : roundings) {
      Mpfr root(from, rounding);
      for (std::uint64_t bits = 0; bits < std::uint64_t{1} << calculus::storage_bits(from); ++bits) {
        const double x[3] = {decode(from, bits), 0, 0};
        ASSERT_TRUE(same(float_operation(Op::sqrt, from, rounding, false, x), root.run(Op::sqrt, x)))
            << text(Op::sqrt, from, rounding, x);
      }
      // Conversions: from every format to every other.
      for (const Format to : formats) {
        Mpfr convert(to, rounding);
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << calculus::storage_bits(from); ++bits) {
          const double x[3] = {decode(from, bits), 0, 0};
          if (!std::isfinite(x[0])) continue;
          ASSERT_TRUE(same(round_to(to, x[0], rounding), convert.run(Op::none, x)))
              << text(Op::none, to, rounding, x);
        }
      }
    }
}

TEST(NarrowOperations, RandomOperations) {
  std::mt19937_64 random(5);
  constexpr long each = HALLMARK_RUNS / (6 * 4);
  for (const Format format : formats)
    for (const Rounding rounding : roundings) {
      Mpfr mpfr(format, rounding);
      const unsigned width = calculus::storage_bits(format);
      for (long trial = 0; trial < each; ++trial) {
        double x[3];
        for (double& v : x) {
          v = decode(format, random() >> (64 - width));
          // Every other operand with an exponent near 0, so that digits meet.
          if (trial % 2 == 0 && std::isfinite(v) && v != 0)
            v = round_to(format, std::ldexp(v, -std::ilogb(v) + static_cast<int>(random() % 9) - 4),
                         Rounding::nearest);
        }
        constexpr Op operations[] = {Op::add, Op::sub, Op::mul, Op::div, Op::fma, Op::sqrt};
        const Op op = operations[random() % 6];
        ASSERT_TRUE(same(float_operation(op, format, rounding, false, x), mpfr.run(op, x)))
            << text(op, format, rounding, x);
      }
    }
}

}  // namespace
}  // namespace hallmark::evaluator
