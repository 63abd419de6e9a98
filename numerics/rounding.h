// What one rounding does: the rounded value of an interval, and sound bounds on the error.
//
// Model (Higham, "Accuracy and Stability of Numerical Algorithms", 2.1; Jeannerod and Rump, "On relative
// errors of floating-point operations", 2018, for u / (1 + u)): for a real v whose rounding does not
// overflow,
//   |fl(v) - v| <= relative * |v| + rest,   and   |fl(v) - v| <= absolute(v)
// with u = 2^-p: relative = u / (1 + u) to nearest and 2u otherwise; rest = half (directed: one) spacing of
// the subnormals, or 0 where sums of two values of the format are exact there; with ftz another
// 2^minimum_exponent. absolute(v) is for the values in v alone: greater ones of the same binade may err by
// more, because just above a power of two that is the nearest value.
#pragma once
#include "calculus/term.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

struct RoundingModel {
  calculus::Format format = calculus::Format::f32;
  calculus::Rounding rounding = calculus::Rounding::nearest;
  bool flush_subnormals = false;

  long precision() const { return static_cast<long>(calculus::significand_bits(format)); }
  // Exponent of the least positive value, 2^exponent.
  long least_exponent() const { return calculus::minimum_exponent(format) - precision() + 1; }
};

enum class SubnormalResults { rounded, exact };  // exact: results of add and sub of the same format

// Encloses the rounded values of all reals in v. Nothing when one of them overflows.
MaybeInterval round_to_format(const Interval& v, const RoundingModel& model);
// Whether the rounding of some value of v is beyond the largest finite value.
bool may_overflow(const Interval& v, const RoundingModel& model);

// k such that every value of the format in v is a multiple of 2^k: the spacing at the least magnitude in v.
long grid_of_values(const Interval& v, const RoundingModel& model);

// Upper ends only, low end 0.
Interval relative_rounding(const RoundingModel& model);
Interval rest_of_rounding(const RoundingModel& model, SubnormalResults subnormal);
Interval absolute_rounding(const Interval& v, const RoundingModel& model, SubnormalResults subnormal);
// (1 + relative)^height - 1: the factor on the sum of the magnitudes for a tree of that height. Sound for
// every height, without a first-order approximation.
Interval accumulated_rounding(const RoundingModel& model, const Integer& height);

}  // namespace hallmark::numerics
