// What a closed form needs to know of a fold. Shared by the files of the fold analysis.
#pragma once
#include "numerics/term_analysis.h"

namespace hallmark::numerics {

// What all steps of a fold do to one state, nested folds included: `low` to `high` times op with `term`.
struct TermAnalysis::Steps {
  calculus::Op op = calculus::Op::none;
  bool fused = false;      // state + a * b rounded once
  std::vector<Term> term;  // one term, or the two factors of a fused step
  RoundingModel model;
  bool rounds = false;
  Integer low, high;
  std::vector<Term> variables, guards;
  std::vector<const calculus::Order*> orders;  // outermost first
};

bool is_operation(calculus::Term a, calculus::Op op);
// The other operand of an addition of `one`; nullptr where it is none.
calculus::Term other_operand(calculus::Term sum, calculus::Term one);

// An infinite start value: -1 or +1; 0 when the start is an ordinary value.
int infinite_start(calculus::Term init);

}  // namespace hallmark::numerics
