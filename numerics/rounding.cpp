#include "numerics/rounding.h"

#include <algorithm>

#include "base/error.h"
#include "contract/format_values.h"

namespace hallmark::numerics {

using calculus::Format;
using calculus::Rounding;

namespace {

// floor(log2 |v|) for v != 0.
long exponent_of(mpfr_srcptr v) {
  return static_cast<long>(mpfr_get_exp(v)) - 1;
}

// Rounds v to the format as if the exponent had no upper end. `out` has at least the precision of v.
void round_value(mpfr_ptr out, mpfr_srcptr v, const RoundingModel& model) {
  if (mpfr_zero_p(v) != 0) {
    mpfr_set(out, v, MPFR_RNDN);
    return;
  }
  const long least = calculus::minimum_exponent(model.format);
  const long quantum = std::max(exponent_of(v), least) - model.precision() + 1;
  mpfr_mul_2si(out, v, -quantum, MPFR_RNDN);  // exact
  switch (model.rounding) {
    case Rounding::nearest:
      mpfr_rint_roundeven(out, out, MPFR_RNDN);
      break;
    case Rounding::toward_zero:
      mpfr_rint_trunc(out, out, MPFR_RNDN);
      break;
    case Rounding::down:
      mpfr_rint_floor(out, out, MPFR_RNDN);
      break;
    case Rounding::up:
      mpfr_rint_ceil(out, out, MPFR_RNDN);
      break;
    case Rounding::none:
      throw InternalError("a float operation without a rounding");
  }
  mpfr_mul_2si(out, out, quantum, MPFR_RNDN);
  if (model.flush_subnormals && mpfr_zero_p(out) == 0 && exponent_of(out) < least)
    mpfr_set_zero(out, mpfr_sgn(out));
}

Interval largest(Format format) {
  return Interval(contract::largest_value(format));
}

}  // namespace

// Rounding does not decrease, so the ends of v give the ends of the result (with ftz too).
MaybeInterval round_to_format(const Interval& v, const RoundingModel& model) {
  ensure(v.precision() >= model.precision() + 2, "an interval too coarse to be rounded to the format");
  Interval out(v.precision());
  round_value(&out.raw()->left, v.low(), model);
  round_value(&out.raw()->right, v.high(), model);
  if (!high_at_most(out.magnitude(), largest(model.format))) return std::nullopt;
  return out;
}

long grid_of_values(const Interval& v, const RoundingModel& model) {
  const Interval least = v.mignitude();
  if (mpfr_zero_p(least.low()) != 0) return model.least_exponent();
  return std::max(model.least_exponent(), exponent_of(least.low()) - model.precision() + 1);
}

bool may_overflow(const Interval& v, const RoundingModel& model) {
  return !round_to_format(v, model).has_value();
}

Interval relative_rounding(const RoundingModel& model) {
  if (model.rounding != Rounding::nearest) return Interval::power_of_two(1 - model.precision()).from_zero();
  const Rational u = contract::power_of_two_rational(-model.precision());
  return Interval(Rational(u / (1 + u))).from_zero();
}

Interval rest_of_rounding(const RoundingModel& model, SubnormalResults subnormal) {
  Interval rest;
  if (subnormal == SubnormalResults::rounded)
    rest = Interval::power_of_two(model.least_exponent() - (model.rounding == Rounding::nearest ? 1 : 0));
  // A result below 2^minimum_exponent becomes 0. (The rounded result is what is flushed: its error before the
  // flush is in `rest` and `relative` already.)
  if (model.flush_subnormals) rest = rest + Interval::power_of_two(calculus::minimum_exponent(model.format));
  return rest.from_zero();
}

Interval absolute_rounding(const Interval& v, const RoundingModel& model, SubnormalResults subnormal) {
  const Interval magnitude = v.magnitude();
  if (magnitude.is_zero()) return Interval();
  // Below 2^(e+1) the spacing is 2^(e-p+1); a power of two itself is a value of the format.
  long e = exponent_of(magnitude.high());
  const bool is_power = mpfr_cmp_ui_2exp(magnitude.high(), 1, e) == 0;
  if (is_power) --e;
  const long least = calculus::minimum_exponent(model.format);
  const long half = model.rounding == Rounding::nearest ? 1 : 0;
  Interval bound;
  if (e >= least)
    bound = Interval::power_of_two(e - model.precision() + 1 - half);
  else if (subnormal == SubnormalResults::rounded)
    bound = Interval::power_of_two(model.least_exponent() - half);
  // To nearest, just above a power of two: that is a value of the format, and no farther away than the end.
  if (half == 1 && !is_power && e > least) {
    const Interval above = (magnitude.upper_end() - Interval::power_of_two(e)).from_zero();
    bound = smaller_high(bound, greater_high(scale2(bound, -1), above));
  }
  if (model.flush_subnormals) {
    const bool normal = mpfr_cmp_ui_2exp(v.mignitude().low(), 1, least) >= 0;
    if (!normal) bound = bound + Interval::power_of_two(least);
  }
  return bound.from_zero();
}

Interval accumulated_rounding(const RoundingModel& model, const Integer& height) {
  ensure(height >= 0 && height.fits_ulong_p(), "the height of a reduction");
  const Interval factor = power(relative_rounding(model) + Rational(1), height.get_ui());
  return (factor + Rational(-1)).from_zero();
}

}  // namespace hallmark::numerics
