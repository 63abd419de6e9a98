// Correct rounding of exact rationals to the binary formats, by integer arithmetic alone.
#pragma once
#include <cstdint>
#include <optional>

#include "base/integer.h"
#include "calculus/sort.h"

namespace hallmark::formulation {

// The encoding of the nearest value of the format, ties to even, with gradual underflow. Nothing when the
// rounded value is beyond the largest finite one: an overflowing constant is never silently an infinity.
std::optional<std::uint64_t> round_to_nearest(const Rational& value, calculus::Format format);
// The exact value of a finite encoding; nothing for infinities and NaNs.
std::optional<Rational> exact_value(std::uint64_t bits, calculus::Format format);
// Encoding of an infinity. Throws InternalError for f8e4m3, which has none.
std::uint64_t infinity_bits(int sign, calculus::Format format);

}  // namespace hallmark::formulation
