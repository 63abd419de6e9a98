// Whether two nodes have the same value over the reals, by a normal form.
//
// Both become quotients of polynomials over atoms: variables, named constants, e^m for a product m of atoms,
// roots (with their squares known), logarithms and what else has no rules. Rules: e^(a + b) = e^a e^b,
// hyperbolic functions through e^x, log(e^a b) = a + log b, erfc = 1 - erf, odd and even functions. Absolute
// values, extrema and choices are looked at for every combination of the signs that they depend on. Equal
// forms mean equal values wherever both sides exist; unequal ones mean nothing.
#pragma once
#include "numerics/expression/expression.h"

namespace hallmark::numerics {

// Roundings are left out of account.
bool same_over_the_reals(const Expression& e, int a, int b);

}  // namespace hallmark::numerics
