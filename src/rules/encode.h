// Index and Bool terms of the calculus as SMT terms over Int. Loads of integer tensors become uninterpreted
// functions of their indices.
//
// Elements are seen in one of three ways:
//   opaque      comparisons of elements are uninterpreted predicates of the indices they mention, one for
//   each
//               skeleton: what is shown holds for any operations
//   arithmetic  real elements are terms over Real: sums, products, max, min, abs and choices as themselves,
//               loads and folds as uninterpreted functions of their indices, exp, log, sqrt and the like as
//               uninterpreted functions with ground axioms for the applications that occur (exp(t) > 0, and
//               so on): what is shown holds in the total model of the reals. A conversion to a narrower
//               format is an increasing, odd function that leaves the format's own numbers
//   bits        elements of integer formats are bit vectors, and their operations those of the evaluator:
//   what
//               is shown holds modulo 2^N, with signs, quotients, shifts and conversions as they are
#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "calculus/term.h"
#include "smt/term.h"

namespace hallmark::rules {

class Encoder {
 public:
  enum class Elements { opaque, arithmetic, bits };
  explicit Encoder(smt::Arena& arena, Elements elements = Elements::opaque)
      : arena_(arena), elements_(elements) {}
  // Index -> Int, Bool -> Bool; arithmetic: Real -> Real, Int -> Int; bits: Int -> BitVec. Throws Refusal
  // E2102 for an element without such a meaning.
  smt::Term encode(calculus::Term term);
  // True statements about what was encoded so far; each is to be a hypothesis.
  const std::vector<smt::Term>& axioms() const { return axioms_; }

 private:
  smt::Term index(calculus::Term term);
  smt::Term boolean(calculus::Term term);
  smt::Term element(calculus::Term term);
  smt::Term function_of(calculus::Term term);  // a unary or other function of its encoded operands
  smt::Term reciprocal(smt::Term of);
  smt::Term rounded(calculus::Term conversion);
  // Elements::bits, in encode_bits.cpp.
  smt::Term in_bits(calculus::Term term);
  smt::Term converted_bits(calculus::Term conversion);
  smt::Term operation_in_bits(calculus::Term term);
  smt::Term comparison_in_bits(calculus::Term term);
  smt::Term integer_load(calculus::Term term);
  smt::Term position(calculus::Term fold, smt::Term value);
  smt::Term known_range(calculus::Term element, smt::Term value);
  smt::Term saturated(calculus::Term conversion);
  smt::Term wrapped(smt::Term value, calculus::Format format);
  smt::Term opaque(const std::string& prefix, calculus::Term term, smt::Sort range);
  smt::Term application(const std::string& name, const std::vector<calculus::Term>& arguments,
                        smt::Sort range);
  // Free variables carry run-dependent numbers; in a query they are named by first occurrence, so that the
  // text is stable.
  std::string variable_name(calculus::Term term);
  std::string skeleton_name(calculus::Term skeleton);

  smt::Arena& arena_;
  Elements elements_;
  std::vector<smt::Term> axioms_;
  std::vector<std::pair<smt::Term, smt::Term>> exponentials_, reciprocals_;  // argument, value
  std::map<calculus::Format, std::vector<std::pair<smt::Term, smt::Term>>> roundings_;
  std::unordered_map<calculus::Term, smt::Term> known_;
  std::unordered_map<calculus::Term, std::string> names_, skeletons_;
};

}  // namespace hallmark::rules
