// Folds taken apart for comparison.
#pragma once
#include <map>

#include "calculus/term.h"

namespace hallmark::validator {

// fold over n steps = step(n - 1) of the fold over n - 1; `extent` is n >= 1.
calculus::Term last_step(calculus::Term fold, const Integer& extent);

// Greatest number of operations on a path from the term down to the state, -1 without such a path; a loop of
// constant length that goes on from the state makes as many as its steps together. A guess of how two loops
// go together, which is then checked. `memo` serves one state.
long chain(calculus::Term term, calculus::Term state, std::map<calculus::Term, long>& memo);

}  // namespace hallmark::validator
