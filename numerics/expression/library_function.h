// The library functions of one argument and their derivatives on MPFI intervals.
#pragma once
#include "numerics/expression/expression.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

// Encloses the values on x. Nothing where x leaves the domain or a value is beyond the range of MPFR.
MaybeInterval library_function(Operation operation, const Interval& x);
// Of two arguments: hypot and atan2 (y, x). atan2 has no value where a point of the cut y = 0, x <= 0 is
// inside.
MaybeInterval library_function(Operation operation, const Interval& x, const Interval& y);
// floor and its kin: the hull of the values on x.
Interval step_function(Operation operation, const Interval& x);
// Encloses the derivative on x, given an enclosure of the values there.
MaybeInterval library_derivative(Operation operation, const Interval& x, const Interval& value);
// PI, E, LN2 and the other constants of FPCore. Throws InternalError for another name.
Interval named_constant(const std::string& name, mpfr_prec_t precision = Interval::default_precision);
bool is_named_constant(const std::string& name);

}  // namespace hallmark::numerics
