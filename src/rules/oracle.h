// What the rule prover asks of a decision procedure: entailments between Bool terms over index arithmetic.
// Everything else (sums, products, exponentials) is reasoned about by laws, so that no real arithmetic
// reaches a solver.
#pragma once
#include <string>
#include <vector>

#include "calculus/term.h"

namespace hallmark::rules {

using calculus::Term;
using Facts = std::vector<Term>;

class Oracle {
 public:
  virtual ~Oracle() = default;
  // True only when the hypotheses entail the goal. False means "not shown", never "false".
  virtual bool entails(const Facts& hypotheses, Term goal, const std::string& purpose) = 0;
};

}  // namespace hallmark::rules
