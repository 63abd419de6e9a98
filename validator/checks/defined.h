// Where a float term has a value. Over the reals x / 0 is 0 and sqrt(-1) is some number, but what a kernel
// computes there is an infinity or a NaN: of x - 1/b + 1/b nothing is left over the reals, and NaN where b
// is 0. What disappears from a sum, because its coefficient becomes 0 or because a sum does not depend on
// where it starts, has to be shown to have a value by the functions below.
//
// Floats in buffers and scalar parameters are finite (soundness A2), and roundings are erased: an overflow
// is no lack of a value here.
#pragma once
#include <map>
#include <set>
#include <utility>

#include "validator/symbolic/prover.h"

namespace hallmark::validator {

class DefinedReal {
 public:
  explicit DefinedReal(Prover& prover) : prover_(prover) {}
  // Every operation in the term is inside its domain, and every constant finite. Claims go to the prover's
  // log, where the answer is yes.
  bool holds(calculus::Term term, const Scope& scope);
  // The term is at least 0 wherever it has a value.
  bool nonnegative(calculus::Term term, const Scope& scope);
  // A variable is the running value of a fold that somebody has opened; another variable has no known value.
  void opened(calculus::Term state, calculus::Term fold) { running_[state] = fold; }

 private:
  enum class Sign { nonnegative, positive };
  bool value_holds(calculus::Term term, const Scope& scope);
  bool all(const std::vector<calculus::Term>& terms, const Scope& scope);
  bool fold_holds(calculus::Term fold, const Scope& scope);
  bool operation_holds(calculus::Term term, const Scope& scope);
  bool nonzero(calculus::Term term, const Scope& scope);
  // The term is >= 0, or > 0, wherever it has a value.
  bool has_sign(calculus::Term term, Sign sign, const Scope& scope);
  bool fold_has_sign(calculus::Term fold, Sign sign, const Scope& scope);
  bool operation_has_sign(calculus::Term term, Sign sign, const Scope& scope);

  Prover& prover_;
  std::map<calculus::Term, calculus::Term> running_;
  std::set<calculus::Term> states_;  // of folds that are being looked at: defined by induction
  // Answers for which nothing was claimed. The scopes are kept alive.
  std::map<std::pair<Scope, calculus::Term>, bool> known_;
  std::set<calculus::Term> nonnegative_, positive_;  // running values of folds, inside their steps
  int depth_ = 0;
};

}  // namespace hallmark::validator
