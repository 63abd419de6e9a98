// Unbounded integers and rationals (GMP) with the division that the calculus uses.
#pragma once
#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <string>

namespace hallmark {

using Integer = mpz_class;
using Rational = mpq_class;

// Floor division and its remainder; division by 0 gives 0 and remainder x (the total model, design section
// 2).
Integer floor_div(const Integer& x, const Integer& y);
Integer floor_mod(const Integer& x, const Integer& y);
Integer gcd(const Integer& x, const Integer& y);
Integer power_of_two(unsigned exponent);
Integer from_i64(std::int64_t value);
Integer from_u64(std::uint64_t value);
// Empty when the value does not fit.
std::optional<std::int64_t> to_i64(const Integer& value);
std::optional<std::uint64_t> to_u64(const Integer& value);
// The exact rational of a finite double. Throws InternalError for NaN and infinities.
Rational exact_rational(double value);

}  // namespace hallmark
