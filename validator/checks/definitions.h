// A requirement such as N = 4 * n says what the parameter N is. Products with N are then products with n,
// which the solvers could not see from the equation beside them: the checks work on a specification in which
// every such N has been replaced. Nothing is assumed by it: the ranges of N stay, as requirements on 4 * n.
#pragma once
#include "plan/kernel_spec.h"

namespace hallmark::validator {

// For each integer scalar parameter that a conjunct of the requirements equates with a term over other
// symbols: the term, over symbols that are not defined themselves.
calculus::Substitution definitions(const plan::KernelSpec& spec);
// The specification with them replaced.
plan::KernelSpec with_definitions(const plan::KernelSpec& spec);

}  // namespace hallmark::validator
