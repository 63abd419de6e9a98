// One operation of sort Real, in double or in rationals.
#pragma once
#include "base/integer.h"
#include "calculus/term.h"

namespace hallmark::evaluator {

// In double, with the C library's elementary functions. Division by zero, NaN and infinities follow IEEE 754,
// not the total model, because the expected outputs of ONNX's tests do. max, min, maximum and minimum give
// NaN for a NaN; maxnum and minnum the other operand. mod has the divisor's sign (as numpy.mod), rem the
// dividend's (fmod). fma is a product and a sum, each rounded.
double double_operation(calculus::Op op, const double* operands);

// A rational, or the start of a maximum (extreme = -1) or minimum (+1) over a range.
struct Exact {
  Rational value;
  int extreme = 0;
};
// In the total model: x / 0 = 0, x mod 0 = x rem 0 = 0. Throws Refusal E1001 where the result is irrational
// or fixed but unknown (roots that are not rational, elementary functions, 0 to a negative power, arithmetic
// on the maximum of an empty range), and where its numerator or denominator has more than 2^18 bits.
Exact exact_operation(calculus::Op op, const Exact* operands);
bool exact_compare(calculus::Op op, const Exact& a, const Exact& b);

}  // namespace hallmark::evaluator
