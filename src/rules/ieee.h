// Identities of IEEE 754 arithmetic, for every format, all NaNs being one value and 0 written without a sign
// being +0. Written terms are brought to one side of each identity, so that what remains is to show the same
// operations.
#pragma once
#include "rules/rule.h"

namespace hallmark::rules {

//   x * 1 = x / 1 = x              x - 0 = x + (-0) = x    x * (-1) = x / (-1) = -x        -(-x) = x
//   x - y = x + (-y)               (-x) * y = -(x * y)     (-x) / y = x / (-y) = -(x / y)  |-x| = ||x|| = |x|
//   x * 2 = x + x                  x / 2^k = x * 2^-k where the formats have both powers exactly
//   (exact_powers) max(x, x) = x, max associative, commutative; min likewise      max(-x, -y) = -min(x, y),
//   min(-x, -y) = -max(x, y)
// where max and min are maximum and minimum of the standard: a NaN wins, and -0 is below +0.
// Not x + 0 = x (at -0) nor x - x = 0 (at infinity). Sources: IEEE 754-2019, sections 5.4, 6.3, 9.6.
calculus::Term ieee_normal(calculus::Term term, int powers);

// The greatest k for which 2^k and 2^-k are values of every float format that the rule computes in: 8 of
// f8e4m3 (2^-9 to 2^8), otherwise 14 (of f16, and enough).
int exact_powers(const Rule& rule);

// Whether all that happens to an element of a float format is done in that format or said by a conversion: a
// tensor of another format than what it is computed from would round without saying so, and equal reals would
// not be equal bits. So would numbers and indices that a tensor holds and something of another format, a
// conversion or a comparison reads: with definitions put in, 0.1 in f16 looks like 0.1.
bool rounds_as_written(const Rule& rule);

}  // namespace hallmark::rules
