// Which of the specification's two operands goes with which of the kernel's, where an operation commutes.
#pragma once
#include <map>
#include <set>

#include "calculus/term.h"

namespace hallmark::validator {

// A guess from the elements that the operands read, for the order in which the two pairings are tried: it
// proves and excludes nothing. Without it a sum of 2^d lanes written the other way around costs the failure
// of every pairing that is tried before the right one.
class OperandOrder {
 public:
  // Do the operands, exchanged, read more elements in common than in the order in which they stand?
  bool exchanged(const calculus::Term& first, const calculus::Term& second, const calculus::Term& spec_first,
                 const calculus::Term& spec_second);

 private:
  const std::set<calculus::Term>& elements(const calculus::Term& term);
  std::size_t common(const calculus::Term& a, const calculus::Term& b);
  std::map<calculus::Term, std::set<calculus::Term>> known_;
};

}  // namespace hallmark::validator
