#include "evaluator/float_format.h"

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace hallmark::evaluator {

using calculus::Format;
using calculus::Rounding;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Stored fraction bits; tf32 is stored as an f32 encoding.
unsigned fraction_bits(Format format) {
  return format == Format::tf32 ? 23 : significand_bits(format) - 1;
}
unsigned exponent_bits(Format format) {
  return storage_bits(format) - 1 - fraction_bits(format);
}

}  // namespace

double largest_finite(Format format) {
  if (format == Format::f8e4m3) return 448;  // OCP: S.1111.111 is the NaN
  const int p = static_cast<int>(significand_bits(format));
  return std::ldexp(std::ldexp(1.0, p) - 1, maximum_exponent(format) - p + 1);
}

double decode(Format format, std::uint64_t bits) {
  if (format == Format::f64) {
    const double value = std::bit_cast<double>(bits);
    return std::isnan(value) ? nan_value : value;
  }
  if (format == Format::f32 || format == Format::tf32) {
    const std::uint32_t kept =
        static_cast<std::uint32_t>(bits) & (format == Format::tf32 ? 0xffffe000U : 0xffffffffU);
    // A NaN keeps being one when only its low bits are set.
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::isnan(value) ? nan_value : static_cast<double>(std::bit_cast<float>(kept));
  }
  const unsigned fraction = fraction_bits(format), exponent = exponent_bits(format);
  const std::uint64_t low = bits & ((std::uint64_t{1} << fraction) - 1);
  const std::uint64_t biased = bits >> fraction & ((std::uint64_t{1} << exponent) - 1);
  const double sign = (bits >> (storage_bits(format) - 1) & 1) != 0 ? -1 : 1;
  const std::uint64_t top = (std::uint64_t{1} << exponent) - 1;
  if (format == Format::f8e4m3) {
    if (biased == top && low == 7) return nan_value;
  } else if (biased == top) {
    return low != 0 ? nan_value : sign * infinity;
  }
  const int scale = minimum_exponent(format) - static_cast<int>(fraction);
  if (biased == 0) return sign * std::ldexp(static_cast<double>(low), scale);
  const auto significand = static_cast<double>(low | std::uint64_t{1} << fraction);
  return sign * std::ldexp(significand, scale + static_cast<int>(biased) - 1);
}

std::uint64_t encode(Format format, double value) {
  const unsigned fraction = fraction_bits(format), exponent = exponent_bits(format);
  const std::uint64_t top = ((std::uint64_t{1} << exponent) - 1) << fraction;
  if (std::isnan(value)) return format == Format::f8e4m3 ? 0x7f : top | std::uint64_t{1} << (fraction - 1);
  if (format == Format::f64) return std::bit_cast<std::uint64_t>(value);
  std::uint64_t bits = 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) {
    ensure(format != Format::f8e4m3, "f8e4m3 has no infinity");
    bits = top;
  } else if (magnitude != 0) {
    ensure(magnitude <= largest_finite(format), "a value outside the range of its format");
    const int least = minimum_exponent(format);
    const int e = std::max(std::ilogb(magnitude), least);
    const double significand = std::ldexp(magnitude, static_cast<int>(fraction) - e);
    const auto whole = static_cast<std::uint64_t>(significand);
    ensure(static_cast<double>(whole) == significand, "a value with more digits than its format");
    const std::uint64_t hidden = std::uint64_t{1} << fraction;
    const bool subnormal = whole < hidden;
    bits = (subnormal ? 0 : static_cast<std::uint64_t>(e - least + 1) << fraction) | (whole & (hidden - 1));
    if (format == Format::tf32) ensure((bits & 0x1fff) == 0, "a value with more digits than its format");
  }
  return std::signbit(value) ? bits | std::uint64_t{1} << (storage_bits(format) - 1) : bits;
}

double round_to(Format format, double value, Rounding rounding) {
  if (format == Format::f64) return value;
  if (format == Format::f32 && rounding == Rounding::nearest)
    return static_cast<double>(static_cast<float>(value));
  if (std::isnan(value) || value == 0) return value;
  if (std::isinf(value)) return format == Format::f8e4m3 ? nan_value : value;
  const int precision = static_cast<int>(significand_bits(format));
  const int unit = std::max(std::ilogb(value), minimum_exponent(format)) - (precision - 1);
  const double scaled = std::ldexp(value, -unit);
  double whole = 0;
  switch (rounding) {
    case Rounding::none:
    case Rounding::nearest:
      whole = std::nearbyint(scaled);
      break;
    case Rounding::toward_zero:
      whole = std::trunc(scaled);
      break;
    case Rounding::down:
      whole = std::floor(scaled);
      break;
    case Rounding::up:
      whole = std::ceil(scaled);
      break;
  }
  const double result = std::copysign(std::ldexp(whole, unit), value);
  const double largest = largest_finite(format);
  if (std::fabs(result) <= largest) return result;
  const bool stays_finite = rounding == Rounding::toward_zero || (rounding == Rounding::down && value > 0) ||
                            (rounding == Rounding::up && value < 0);
  if (stays_finite) return std::copysign(largest, value);
  return format == Format::f8e4m3 ? nan_value : std::copysign(infinity, value);
}

double flush(Format format, double value) {
  const double least = std::ldexp(1.0, minimum_exponent(format));
  return std::fabs(value) < least ? std::copysign(0.0, value) : value;
}

double to_odd(double value, double error) {
  if (error == 0 || !std::isfinite(value) || (std::bit_cast<std::uint64_t>(value) & 1) != 0) return value;
  return std::nextafter(value, error > 0 ? infinity : -infinity);
}

double nearest(Format format, const Rational& value) {
  if (sgn(value) == 0) return 0;
  // f64: MPFR rounds once, with the subnormal range of double. Others: to odd in 53 bits first.
  mpfr_t x;
  mpfr_init2(x, 53);
  const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
  double result = 0;
  if (format == Format::f64) {
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    int inexact = mpfr_set_q(x, value.get_mpq_t(), MPFR_RNDN);
    mpfr_subnormalize(x, inexact, MPFR_RNDN);
    result = mpfr_get_d(x, MPFR_RNDN);
  } else {
    const int inexact = mpfr_set_q(x, value.get_mpq_t(), MPFR_RNDN);
    const double close =
        mpfr_get_d(x, MPFR_RNDZ);  // far outside every narrow format's range: any side will do
    result = round_to(format, to_odd(close, -inexact), Rounding::nearest);
  }
  mpfr_set_emin(least);
  mpfr_set_emax(greatest);
  mpfr_clear(x);
  return result;
}

}  // namespace hallmark::evaluator
