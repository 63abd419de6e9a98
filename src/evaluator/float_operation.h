// One operation of a Float sort: the exact result rounded once (IEEE 754). Elementary functions are rounded
// exactly too (MPFR).
#pragma once
#include "calculus/term.h"

namespace hallmark::evaluator {

// Operands are values of the format as doubles (scale2: the second one is any integer). With `ftz`, subnormal
// operands and a result that is subnormal after rounding become zeros of the same sign, as in PTX.
//   maximum, minimum   754-2019: a NaN propagates, -0 < +0; maxnum, minnum: a number wins over a NaN
//   max, min           as maximum, minimum
//   mod, rem           the exact remainder (divisor's sign; dividend's sign), rounded
//   scale2(x, n)       x * 2^n; exponent(x): floor(log2 |x|), 0 for x = 0, x itself for NaN, +inf for
//   infinities sign               the sign of a zero is kept
// Throws Refusal E1002 for an operation that has no meaning on floats.
double float_operation(calculus::Op op, calculus::Format format, calculus::Rounding rounding, bool ftz,
                       const double* operands);
bool float_compare(calculus::Op op, double a, double b);

}  // namespace hallmark::evaluator
