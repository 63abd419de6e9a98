// The float formats: encodings and correct rounding. Every value of every format is a double, so a value is
// carried as the double that equals it; all NaNs are one value.
#pragma once
#include <cstdint>

#include "base/integer.h"
#include "calculus/sort.h"
#include "calculus/term.h"

namespace hallmark::evaluator {

// The value of an encoding. tf32: the low 13 fraction bits are ignored, as tensor cores do.
double decode(calculus::Format format, std::uint64_t bits);
// The encoding of a value of the format; a NaN gives the quiet NaN with the first fraction bit alone (f8e4m3:
// its one NaN, S.1111.111). Throws InternalError when the value is not one of the format.
std::uint64_t encode(calculus::Format format, double value);
double largest_finite(calculus::Format format);

// Rounds `value` to the format, with gradual underflow. `value` is the exact result or the exact result
// rounded to odd in 53 bits (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
// algorithms using rounding to odd", 2008), which rounds to every format of at most 51 bits in every mode as
// the exact result does. Overflow follows IEEE 754; f8e4m3, which has no infinity, gives NaN where another
// format would give an infinity.
double round_to(calculus::Format format, double value, calculus::Rounding rounding);
// The value of the format nearest to a rational, ties to even.
double nearest(calculus::Format format, const Rational& value);
// +0 or -0 for a subnormal value of the format, otherwise the value.
double flush(calculus::Format format, double value);
// `value` moved to its odd neighbour in the direction of `error` (the sign of exact - value); unchanged when
// error is 0 or `value` is odd.
double to_odd(double value, double error);

}  // namespace hallmark::evaluator
