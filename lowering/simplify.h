// Index arithmetic made shorter by what is known about ranges: floor(k / 64) is 0 for k < 64; a loop of one
// step in sequence is that step. Values do not change on the definition's index space; the validator proves
// the text against the unsimplified term.
#pragma once
#include "calculus/program.h"
#include "lowering/range.h"

namespace hallmark::lowering {

// Ranges of a definition's axes and of the program's symbols.
RangeMap known_ranges(const calculus::Program& program, const calculus::Declaration& declaration);
calculus::Term simplify_indices(calculus::Term term, const RangeMap& known);

}  // namespace hallmark::lowering
