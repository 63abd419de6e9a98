// Whether a proved bound stays inside a tolerance, and whether a concrete error leaves it.
#pragma once
#include <string>

#include "contract/contract.h"
#include "numerics/value.h"

namespace hallmark::numerics {

// |error| <= bound for every exact value in v.exact implies |error| <= absolute + relative |x| + ulp *
// ulp(x): checked binade by binade with the better of the two error bounds on each.
bool within_tolerance(const Value& v, const contract::Tolerance& tolerance, calculus::Format format);
// An upper bound of the tolerance at an exact value.
Interval tolerance_at(const Interval& exact, const contract::Tolerance& tolerance, calculus::Format format);
// |computed - exact| is certainly above the tolerance.
bool certainly_violates(const Rational& computed, const Interval& exact, const contract::Tolerance& tolerance,
                        calculus::Format format);

// "at most 4.83e-06, and 1.2e-07 |x| + 1.5e-45".
std::string bound_text(const Value& v);
// "0.0001 + 0.001 |x| + 4 ulp".
std::string tolerance_text(const contract::Tolerance& tolerance);
// The error budget: the greatest contributions to the absolute bound, in percent.
std::string budget_text(const Value& v, std::size_t most = 6);

}  // namespace hallmark::numerics
