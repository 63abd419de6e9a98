// Division of polynomials that leaves nothing.
#pragma once
#include "calculus/term.h"

namespace hallmark::validator {

// q with b = a * q, a polynomial with integer coefficients; nullptr where there is none, or a is 0. The
// leading monomials in lexicographic order are divided one after the other (Cox, Little, O'Shea, "Ideals,
// Varieties, and Algorithms", section 2.3), and the product is compared in the end.
calculus::Term exact_quotient(calculus::Term b, calculus::Term a);

}  // namespace hallmark::validator
