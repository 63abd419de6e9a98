// Bounds of index terms by interval arithmetic, to choose between 32 and 64 bits and to leave out guards that
// always hold. Only the text's shape depends on it; the validator proves what the text does on its own.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "calculus/term.h"

namespace hallmark::lowering {

struct Range {
  std::optional<Integer> low, high;  // inclusive; nothing: unbounded
  bool non_negative() const { return low && *low >= 0; }
  bool fits_32() const { return high && *high < power_of_two(32); }
};
using RangeMap = std::map<calculus::Term, Range, calculus::TermLess>;

// One summand of an index term as it is printed: coefficient * (atoms); or, with a divisor,
// coefficient * ((dividend + shift * divisor) / divisor), or the same with % when `remainder`.
struct Summand {
  Integer coefficient;
  std::vector<calculus::Term> atoms;  // empty without a divisor: the constant
  calculus::Term dividend = nullptr, divisor = nullptr;
  bool remainder = false;
  Integer shift = 0;
};
// Finds p - q * floor(p / q) inside a sum and reads it as p % q.
std::vector<Summand> summands(calculus::Term term);

Range range_of(calculus::Term term, const RangeMap& known);
Range range_of(const Summand& part, const RangeMap& known);  // without the coefficient

}  // namespace hallmark::lowering
