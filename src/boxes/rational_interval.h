// Closed intervals of rationals, and enclosures of a few functions by their series with remainders. Exact
// arithmetic throughout; `shortened` is the one place where an interval grows.
#pragma once
#include <optional>

#include "base/integer.h"
#include "calculus/sort.h"

namespace hallmark::boxes {

struct Range {
  Rational low, high;  // low <= high
  bool contains(const Range& other) const { return low <= other.low && other.high <= high; }
  bool has_zero() const { return low <= 0 && high >= 0; }
  Rational magnitude() const;
};

Range hull(const Range& a, const Range& b);
Range operator+(const Range& a, const Range& b);
Range operator-(const Range& a);
Range operator*(const Range& a, const Range& b);
// The inverse of a range without zero.
Range inverse(const Range& a);
// Outwards to 48 significant bits.
Range shortened(const Range& a);

// Of a range >= 0; > 0 for log. Nothing for operands of exp beyond 1000.
Range square_root(const Range& a);
std::optional<Range> exponential(const Range& a);
Range logarithm(const Range& a);

// What rounding to the format in any direction, with or without flushing subnormals, can make of it; nothing
// when it can overflow.
std::optional<Range> rounded(const Range& a, calculus::Format format);

}  // namespace hallmark::boxes
