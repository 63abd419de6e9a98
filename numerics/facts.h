// Relations between terms that intervals cannot see, found by their shape: a maximum is at least its members,
// the shifted exponentials of a row add up to at least the exponential of 0, a member of a sum of
// non-negative terms is at most the sum; a deviation is at most the square root of the sum of the row's
// squares, and so at most sqrt(n) standard deviations (Samuelson, "How deviant can you be?", JASA 63, 1968,
// without its last term).
//
// The first three hold for exact and for rounded values alike: maxnum and its kin never round, and a rounded
// sum of non-negative values is, in every order, at least each of its terms (rounding to nearest does not
// decrease). They are looked for through the definitions that a tensor is loaded from, as long as nothing is
// stored in between that could round (a cast stops the search).
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "calculus/program.h"
#include "numerics/scope.h"

namespace hallmark::numerics {

// A reduction by one operation over one or more ranges: op over k < extent, ... where guard of body(k, ...).
// Folds that carry on from the state of the fold around them count as one reduction.
struct Family {
  calculus::Term fold = nullptr;  // the reduction itself
  std::vector<calculus::Term> variables, extents;
  calculus::Term guard = nullptr, body = nullptr;
  calculus::Term start = nullptr;  // of a maximum: a start value that may win; nothing: none does
};
// m = max(family, others...).
struct Maximum {
  Family family;
  std::vector<calculus::Term> others;
  // For a sum of shifted exponentials: where its terms are exponentials (elsewhere they are left out or 0).
  calculus::Term where = nullptr;
  calculus::Term exponential = nullptr;  // the term itself
};

// d and a divisor that is at least sqrt(q) with q = S, S / count or offset + either, S a sum of squares of
// which d d is a term: |d| <= sqrt(count) sqrt(q) but for roundings. The divisor is sqrt(q), sqrt(max(q, c)),
// max(sqrt(q), c) or sqrt(q) + c.
struct Deviation {
  calculus::Term count = nullptr;  // nothing: 1
  calculus::Term radicand = nullptr, divisor = nullptr;
  calculus::Term offset = nullptr;  // or nothing
  calculus::Term added = nullptr;   // c of sqrt(q) + c
  std::vector<calculus::Term>
      operations;  // between the terms' squares and the root or its reciprocal, with the fold
};

// Whether a sum of non-negative values, as it is computed, is at least each of its terms: no operation inside
// rounds otherwise than to nearest or flushes, no tensor core cuts bits off, and lanes are added up.
bool never_below_its_terms(calculus::Term fold);

// By definition: encoding -> exact value that it stands for, where the formulation records one.
using ConstantValues = std::map<std::pair<calculus::Format, std::uint64_t>, Rational>;

class Facts {
 public:
  Facts(const calculus::Program& program, const Scope& scope) : program_(program), scope_(scope) {}

  // a - m <= 0: m is a maximum and a one of its operands or members.
  bool difference_is_nonpositive(calculus::Term a, calculus::Term m) const;
  // The maximum m of e^(a_k - m) where the term is that exponential for the members of the maximum's family,
  // run through by the given sum; then some term is e^0 provided that no other operand of m is greater.
  std::optional<Maximum> maximum_of_shifted_exponential(const Family& sum) const;
  // Whether a is one of the terms that s adds up, so that a / s <= 1 if the terms are not negative.
  std::optional<Family> sum_with_term(calculus::Term a, calculus::Term s) const;

  // Whether b is sqrt(q) as above for d; with `reciprocal`, 1 / sqrt(q).
  std::optional<Deviation> deviation(calculus::Term d, calculus::Term b, bool reciprocal) const;

  // The family of which m is the exact mean: m is a tensor whose definition divides the unguarded sum by the
  // number of its terms, for extents that are numbers.
  std::optional<Family> mean(calculus::Term m,
                             const std::function<ConstantValues(const std::string&)>& constants_of) const;

  // A load of a definition replaced by its body, as long as nothing is rounded in between; otherwise the term
  // itself.
  calculus::Term resolve(calculus::Term a) const;
  // The same for what a term means exactly: conversions between formats are left out too.
  calculus::Term resolve_exact(calculus::Term a) const;

  // The family of a reduction by one of these operations from its neutral start.
  static std::optional<Family> family(calculus::Term fold, const std::vector<calculus::Op>& operations);

 private:
  std::optional<Maximum> maximum(calculus::Term m) const;
  bool is_member(const Family& family, calculus::Term a) const;
  // The family of the t_k whose squares s adds up.
  std::optional<Family> sum_of_squares(calculus::Term s) const;

  const calculus::Program& program_;
  const Scope& scope_;
};

}  // namespace hallmark::numerics
