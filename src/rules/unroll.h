// Folds over a literal few, written out: what the solvers' arithmetic can look into.
#pragma once
#include "calculus/term.h"

namespace hallmark::rules {

// Every fold of one state over at most four literal steps as nested choices; a maximum or minimum from
// nothing takes its first element as it is. Other folds stay.
calculus::Term unroll_small_folds(calculus::Term term);

}  // namespace hallmark::rules
