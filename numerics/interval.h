// Closed real intervals with outward rounding: a value type over MPFI, with erf and what else MPFI lacks by
// directed MPFR.
//
// Every Interval is non-empty with finite ends. An operation that leaves that set (a domain error, a division
// by an interval that holds 0, an end above 2^(2^22)) has no value: MPFI itself returns a NaN end without any
// error there, so each result is looked at (design notes, numerics.md section 8). Ends below 2^(-2^15) move
// outward, so that every end can be written as a fraction.
#pragma once
#include <mpfi.h>

#include <optional>
#include <string>

#include "base/integer.h"
#include "calculus/term.h"

namespace hallmark::numerics {

class Interval {
 public:
  static constexpr mpfr_prec_t default_precision = 128;

  // [0, 0]
  explicit Interval(mpfr_prec_t precision = default_precision);
  explicit Interval(const Rational& value, mpfr_prec_t precision = default_precision);
  Interval(const Rational& low, const Rational& high, mpfr_prec_t precision = default_precision);
  Interval(const Interval& other);
  Interval(Interval&& other) noexcept;
  Interval& operator=(const Interval& other);
  Interval& operator=(Interval&& other) noexcept;
  ~Interval();

  // [2^exponent, 2^exponent]
  static Interval power_of_two(long exponent, mpfr_prec_t precision = default_precision);
  static Interval point(mpfr_srcptr value);
  static Interval ends(mpfr_srcptr low, mpfr_srcptr high);

  mpfr_srcptr low() const { return &value_->left; }
  mpfr_srcptr high() const { return &value_->right; }
  mpfi_srcptr raw() const { return value_; }
  mpfi_ptr raw() { return value_; }
  mpfr_prec_t precision() const { return mpfi_get_prec(value_); }
  Rational exact_low() const;
  Rational exact_high() const;

  bool is_point() const { return mpfr_equal_p(low(), high()) != 0; }
  bool is_zero() const { return mpfr_zero_p(low()) != 0 && mpfr_zero_p(high()) != 0; }
  bool contains_zero() const { return mpfr_sgn(low()) <= 0 && mpfr_sgn(high()) >= 0; }
  bool is_nonnegative() const { return mpfr_sgn(low()) >= 0; }
  bool is_nonpositive() const { return mpfr_sgn(high()) <= 0; }
  bool is_positive() const { return mpfr_sgn(low()) > 0; }
  bool is_negative() const { return mpfr_sgn(high()) < 0; }
  bool contains(const Rational& value) const;
  bool contains(const Interval& other) const;
  // Every element of this is at most (below) every element of `other`.
  bool at_most(const Interval& other) const { return mpfr_lessequal_p(high(), other.low()) != 0; }
  bool below(const Interval& other) const { return mpfr_less_p(high(), other.low()) != 0; }

  Interval lower_end() const { return point(low()); }
  Interval upper_end() const { return point(high()); }
  // The greatest and the least |x|, as points.
  Interval magnitude() const;
  Interval mignitude() const;
  // [0, high]; for error bounds, of which only the upper end matters. Throws InternalError when high < 0.
  Interval from_zero() const;
  // [-high, high]
  Interval symmetric() const;

 private:
  mpfi_t value_;
};

using MaybeInterval = std::optional<Interval>;

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator*(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Rational& b);
Interval operator+(const Interval& a, const Rational& b);
Interval scale2(const Interval& a, long exponent);  // exact
Interval hull(const Interval& a, const Interval& b);
// Nothing when they do not meet.
MaybeInterval intersect(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);
Interval min(const Interval& a, const Interval& b);
Interval abs(const Interval& a);
Interval square(const Interval& a);
// The greater upper (lower) end, as an interval: for bounds.
const Interval& greater_high(const Interval& a, const Interval& b);
const Interval& smaller_high(const Interval& a, const Interval& b);
bool high_at_most(const Interval& a, const Interval& b);

// Nothing outside the domain.
// What MPFI made, if its ends are numbers that an interval may have; ends that are too fine move outward.
MaybeInterval with_ends(Interval a);
MaybeInterval divide(const Interval& a, const Interval& b);
// a^n for n >= 0.
Interval power(const Interval& a, unsigned long n);
Interval exp(const Interval& a);
// e^a - 1; nothing beyond the range of MPFR.
MaybeInterval expm1(const Interval& a);
// Nothing outside the domain, and for operations that are not a real function of one argument. Discontinuous
// ones (floor, sign, ...) give the hull of their values.
MaybeInterval unary(calculus::Op op, const Interval& a);
// add, sub, mul, div, max, min, pow, mod and the IEEE readings of max and min.
MaybeInterval binary(calculus::Op op, const Interval& a, const Interval& b);

// Decimal text of an upper (lower) bound with `digits` significant digits, rounded up (down): "6.20e-07".
std::string upper_text(const Interval& a, int digits = 3);
std::string lower_text(const Interval& a, int digits = 3);
// "[-1, 1]", outward.
std::string text(const Interval& a);
// Exact hexadecimal floats of both ends, for certificates.
std::string exact_text(const Interval& a);

}  // namespace hallmark::numerics
