// How errors of operands pass through one exact real operation: f(rounded operands) against f(exact
// operands), before the operation's own rounding. In each result `rounded` is the range of f on the rounded
// operands.
//
// Rules (a', b' rounded; |a' - a| <= A, |a' - a| <= r_a |a| + s_a):
//   add    A + B; relative max(r_a, r_b) where a and b have one sign, so that |a| + |b| = |a + b|
//   mul    |a| B + |b| A + A B; r_a + r_b + r_a r_b
//   div    needs r_b |b| + s_b < |b|: with q = r_b + s_b / min |b| < 1, (r_a + q) / (1 - q), rest
//          s_a / (min |b| (1 - q)); absolute (A + |a / b| B) / min |b'| or
//          (A / min |b| + |a / b| q) / (1 - q)
//   exp    e^a (e^|a' - a| - 1), the greatest over pieces of the range, so that e^t |t| <= 1/e for t <= 0 is
//   used others mean value theorem over the hull of both ranges
#pragma once
#include "numerics/value.h"

namespace hallmark::numerics {

Value transfer_add(const Value& a, const Value& b);
Value transfer_negate(const Value& a);
Value transfer_subtract(const Value& a, const Value& b);
// `same_term`: both operands are one term, so the product is a square.
Value transfer_multiply(const Value& a, const Value& b, bool same_term);
Value transfer_max(const Value& a, const Value& b);
Value transfer_min(const Value& a, const Value& b);
Value transfer_abs(const Value& a);
// Nothing when a rounded operand can be outside the domain. When only the exact operand can, the result is
// not bounded.
std::optional<Value> transfer_divide(const Value& a, const Value& b);
std::optional<Value> transfer_unary(calculus::Op op, const Value& a);
std::optional<Value> transfer_power(const Value& a, const Value& b);
// Either value, chosen by a condition that is the same for rounded and exact operands (`same`), or not.
Value transfer_select(const Value& a, const Value& b, bool same);
// Multiplies errors and ranges by n in [low, high] equal terms added up: the sum of n values, each within
// `term`.
Value transfer_repeat(const Value& term, const Integer& low, const Integer& high);

}  // namespace hallmark::numerics
