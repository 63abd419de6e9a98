// Floats between constants by what they are computed from, and their conversion to integers.
#pragma once
#include <optional>

#include "calculus/term.h"

namespace hallmark::validator {

struct Clamped {
  Rational low, high;
};
// For min(c, max(d, x)) and max(d, min(c, x)) with finite constants d <= c, whatever x is: maxnum and minnum
// of a NaN and a number are the number. Nothing for other terms.
std::optional<Clamped> clamped(calculus::Term element);

// The integer that a clamped float is truncated to, where every such integer is one of `format`: the same
// term for formats of all widths. Nothing where that is not shown.
calculus::Term truncated_in_range(calculus::Term element, calculus::Format format);

}  // namespace hallmark::validator
