// The finite values of the formats as exact rationals.
#pragma once
#include "base/integer.h"
#include "calculus/sort.h"

namespace hallmark::contract {

// 2^exponent.
Rational power_of_two_rational(long exponent);
// The greatest e with 2^e <= |value|. Throws InternalError for 0.
long binary_exponent(const Rational& value);
// The largest finite value: f32 (2 - 2^-23) * 2^127, f8e4m3 448. Integers: the largest value; boolean: 1.
Rational largest_value(calculus::Format format);
// The smallest value: -largest_value of floats, 0 of unsigned integers and boolean.
Rational least_value(calculus::Format format);
// The spacing of a float format's values at `value`: that of the binade of value, or of the subnormals.
Rational spacing_at(const Rational& value, calculus::Format format);
// The greatest value of the format that is not above `value`; values beyond the finite range as if the
// exponent had no upper end.
Rational round_down(const Rational& value, calculus::Format format);

}  // namespace hallmark::contract
