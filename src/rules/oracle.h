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
  // The same with elements read as real numbers (rules/encode.h): sums, max, comparisons as themselves.
  virtual bool entails_over_reals(const Facts&, Term, const std::string&) { return false; }
  // The same with elements of integer formats read as their bits, modulo 2^N.
  virtual bool entails_in_bits(const Facts&, Term, const std::string&) { return false; }
  // Whether something is given about the elements of tensors, so that asking may help.
  virtual bool knows_elements() const { return false; }
  // Laws that a rule declares of its custom operators.
  virtual bool commutes(const std::string&) const { return false; }
  virtual bool associates(const std::string&) const { return false; }
  // What an argument relies on is logged; an argument that fails takes its part of the log back.
  virtual std::size_t mark() const { return 0; }
  virtual void rewind(std::size_t) {}

  // Runs an argument; when it fails, nothing of it stays in the log.
  template <typename Argument>
  bool attempt(Argument argument) {
    const std::size_t before = mark();
    if (argument()) return true;
    rewind(before);
    return false;
  }
};

}  // namespace hallmark::rules
