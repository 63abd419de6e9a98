// Upper bounds of index terms over launch data alone: what belongs to one thread (its index, its block,
// iterations, elements of buffers) is eliminated by adding nonnegative multiples of the facts that hold
// there (the method of Fourier and Motzkin, one monomial at a time, in a bounded search). Each bound is a
// consequence of the facts by construction; none needs to be the least one.
#pragma once
#include <vector>

#include "validator/symbolic/context.h"

namespace hallmark::validator {

// Whether the term speaks of one thread.
bool is_local(calculus::Term term);

// Bounds b with term <= b wherever the scope's facts hold, simplest first; empty where none was found.
std::vector<calculus::Term> upper_bounds(calculus::Term term, const Scope& scope);

}  // namespace hallmark::validator
