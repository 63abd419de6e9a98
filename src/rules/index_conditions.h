// Comparisons of integer elements with indices as comparisons of indices, which the search for bijections
// reads: what `Equal(i, Range(n))` says is i = n.
#pragma once
#include "rules/normal_form.h"

namespace hallmark::rules {

// The condition with each comparison of an integer element and an index taken as an element replaced, where
// the index is shown to be in the element's format. Comparisons under a fold's own variable stay.
Term as_index_conditions(Term condition, const Context& context);

}  // namespace hallmark::rules
