// Small assignments that refute an entailment between index conditions, found without a solver. For search
// alone: a claim that a sample refutes is not worth a question, and nothing is ever proved here.
#pragma once
#include <vector>

#include "rules/oracle.h"

namespace hallmark::rules {

// Whether one of a fixed sequence of small assignments to symbols, axes and variables makes every hypothesis
// true and the goal false. Elements of tensors that stand in indices are some function of their places. False
// also where a term is not index arithmetic.
bool refuted_by_sample(const Facts& hypotheses, Term goal);

// Such an assignment that makes the hypotheses and the goal true: equations between each symbol, axis and
// variable and its value, and empty when none was found. With them a solver sees at once that hypotheses are
// satisfiable.
std::vector<Term> satisfying_sample(const Facts& hypotheses, Term goal);

}  // namespace hallmark::rules
