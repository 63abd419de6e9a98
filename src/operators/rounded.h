// Shape arithmetic in floats. What a runtime computes of extents is rounded, and a floor or a conversion
// makes another whole number of it: 10 * 0.7f is 6.99999988 and, as a float, 7.
#pragma once
#include <optional>
#include <vector>

#include "operators/extents.h"

namespace hallmark::operators {

// The value of the format nearest to `value`; empty where that is an infinity.
std::optional<Rational> rounded(const Rational& value, calculus::Format format);
// The term with the result of each of its real operations and constants rounded to `format`, to nearest;
// nullptr when it has an operation that is no single rounding (a fold, a function that IEEE 754 does not
// fix).
calculus::Term rounded(calculus::Term term, calculus::Format format);
// Formats in which the real operations of `term` may have been meant: f32, f64 and those that it converts to.
std::vector<calculus::Format> formats_of_reals(calculus::Term term);
// Whether the term has real operations or constants at all.
bool has_reals(calculus::Term term);
// The number of operations in the body that IEEE 754 rounds; empty when others than those round. What a body
// of one such operation gives in a format is its exact value, rounded once.
std::optional<int> roundings(calculus::Term body);

// Whether nothing in the body rounds when its real operations are carried out in `format`: every result is a
// value of the format, by the finite set of values that it can have or as an integer that is small enough.
bool is_exact_in(calculus::Term body, calculus::Format format, const SymbolRanges& ranges);

}  // namespace hallmark::operators
