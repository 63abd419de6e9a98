// The skeleton of a term: its index arguments replaced by holes, so that two applications of one function to
// different indices have the same skeleton.
#pragma once
#include <vector>

#include "calculus/term.h"

namespace hallmark::rules {

using calculus::Term;

// Holes stand for the maximal index subterms that mention an axis or a free variable and do not touch the
// term's own bound variables or loads, in the order of their first occurrence.
class Abstraction {
 public:
  explicit Abstraction(Term a);
  Term skeleton() const { return skeleton_; }
  const std::vector<Term>& arguments() const { return arguments_; }
  static Term hole(std::size_t i);

 private:
  Term run(Term a);
  Term closed_fold(Term a);

  Term skeleton_ = nullptr;
  std::vector<Term> arguments_;
  int depth_ = 0;
};

}  // namespace hallmark::rules
