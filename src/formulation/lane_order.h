// Which folds may be taken apart into lanes, and whether the lanes are put together again by what the steps
// do (soundness G3). An order other than `seq` means nothing without a combination, and a formulation that
// comes from a file may state any combination at all.
#pragma once
#include "calculus/term.h"

namespace hallmark::formulation {

// op where the step of the state is op(state, x) and x has no state in it (x * y + state in one rounding
// counts as add); none for other steps.
calculus::Op step_operation(const calculus::FoldParts& parts, std::size_t which = 0);

// Whether the start value changes nothing under op: 0 for a sum, 1 for a product, the infinities for the
// extrema.
bool is_neutral_start(calculus::Op op, calculus::Term init);

// Whether the combination of this state is op(left, right) on the two sides, either way around.
bool combines_by(const calculus::FoldParts& parts, std::size_t which, calculus::Op op);

// Whether results of lanes or blocks may meet at all: every order but seq, and `any` where a combination is
// given.
bool may_combine(const calculus::FoldParts& parts);

}  // namespace hallmark::formulation
