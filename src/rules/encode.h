// Index and Bool terms of the calculus as SMT terms over Int. Loads of integer tensors become uninterpreted
// functions of their indices; comparisons of elements become uninterpreted predicates of the indices they
// mention, one for each skeleton.
#pragma once
#include <string>
#include <unordered_map>

#include "calculus/term.h"
#include "smt/term.h"

namespace hallmark::rules {

class Encoder {
 public:
  explicit Encoder(smt::Arena& arena) : arena_(arena) {}
  smt::Term encode(calculus::Term term);  // Index -> Int, Bool -> Bool

 private:
  smt::Term index(calculus::Term term);
  smt::Term boolean(calculus::Term term);
  smt::Term application(const std::string& name, const std::vector<calculus::Term>& arguments,
                        smt::Sort range);
  // Free variables carry run-dependent numbers; in a query they are named by first occurrence, so that the
  // text is stable.
  std::string variable_name(calculus::Term term);
  std::string skeleton_name(calculus::Term skeleton);

  smt::Arena& arena_;
  std::unordered_map<calculus::Term, smt::Term> known_;
  std::unordered_map<calculus::Term, std::string> names_, skeletons_;
};

}  // namespace hallmark::rules
