// Equality of terms with folds of or, and, max, min and positions of an extremum, by instances.
//
// Such a fold is replaced by a name of which is known
//   any      it holds when the body holds at one index of the range; when it holds, the body holds at some
//   index (law
//            ANY; `all` by the same law, negated)
//   max      it is at least the body at each index of the range, and it is the body at one of them (law
//   EXTREMUM; min
//            alike). The range is shown not to be empty, or the fold has a start value, which then counts as
//            one more element
//   arg      the pair (greatest element, its position) of ArgMax and ArgMin: besides, no earlier (later)
//   index has an
//            element as great (law ARG)
// "At one of them" is an index of its own; "at each" is used at the indices that occur in the claim or are
// needed for its reads to meet. Folds that are none of these stay opaque.
#pragma once
#include "rules/normal_form.h"

namespace hallmark::rules {

// Of reals, integers or truth values. `with_arithmetic`: element arithmetic is that of the reals; otherwise
// comparisons of elements are opaque, and what is shown holds for any operations.
bool equal_by_instances(Term left, Term right, const Context& context, bool with_arithmetic);

// Whether a term has a fold that this argument takes apart.
bool has_instances(Term term);

// Some value of the fold's variable is shown to be in range and to meet the guard: one of the ends, or an end
// of what an affine condition of the guard allows.
bool shown_nonempty(const calculus::FoldParts& parts, const Context& context);

}  // namespace hallmark::rules
