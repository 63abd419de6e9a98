// Integers modulo 2^w, held sign- or zero-extended in 64 bits (u64 by its bit pattern), and booleans (0, 1).
#pragma once
#include <cstdint>
#include <string>

#include "calculus/term.h"

namespace hallmark::evaluator {

// The representative of `value` modulo 2^w in the format's range.
std::int64_t wrap(calculus::Format format, std::uint64_t value);

// The total model: x / 0 = 0, x mod 0 = x rem 0 = 0. Division truncates; mod has the divisor's sign, rem the
// dividend's. A shift amount is read as unsigned; shifting by the width or more gives 0 (shift_right of a
// negative number: -1); shift_right of a signed format is arithmetic. pow with a negative exponent is the
// truncated real power (0 for base 0). Floor, ceil, trunc and round_even are the identity. Throws Refusal
// E1002 for an operation that has no integer meaning.
std::int64_t integer_operation(calculus::Op op, calculus::Format format, const std::int64_t* operands);
// and, or, xor, not, max (or), min (and) on 0 and 1. Throws Refusal E1002 for others.
bool boolean_operation(calculus::Op op, const bool* operands);
// lt, le, eq in the format's own order.
bool integer_compare(calculus::Op op, calculus::Format format, std::int64_t a, std::int64_t b);
// A double truncated towards zero and saturated to the format's range; NaN gives 0.
std::int64_t saturate(calculus::Format format, double value);

}  // namespace hallmark::evaluator
