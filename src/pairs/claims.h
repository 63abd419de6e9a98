// What has to hold of two maps for two sums to be equal (law BIJ, proofs/lemmas.md), or of one map for the
// elements of an extremum to be among those of another, as claims about indices, derived from the sums and
// the maps alone.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pairs/index_query.h"
#include "pairs/sums.h"

namespace hallmark::pairs {

// Between the index sets of a first and a second summand.
struct Maps {
  std::vector<Term> phi;             // of each binder of the second, over the binders of the first
  std::vector<Term> psi;             // of each binder of the first, over the binders of the second
  std::vector<std::size_t> factors;  // of each factor of the first, its partner in the second
};

// Two elements that have to be equal wherever the hypotheses hold, and differ in more than their indices:
// sums or extrema within factors.
struct Inner {
  std::vector<Term> hypotheses;
  Term first = nullptr, second = nullptr;
};

struct Claims {
  std::vector<Claim> indices;
  std::vector<Inner> elements;
};

// The summand with its binders renamed to LETTER1, LETTER2, ...
Summand renamed(const Summand& summand, const std::string& letter);

// Under the facts: phi leads from the first index set into the second and psi undoes it; psi leads from the
// second into the first and phi undoes it; each factor of the first, at psi of an element of the second, is
// its partner there. A claim that quotients by a term are what they should be stands before those that need
// it. `around` are variables that are free in both. Throws NotShown where the maps do not fit the summands or
// factors differ in more than is looked at.
Claims claims_of(const std::vector<Term>& facts, const std::vector<Term>& around, const Summand& first,
                 const Summand& second, const Maps& maps);
// Under the facts: phi leads from the first index set into the second, where the body is the same.
Claims claims_within(const std::vector<Term>& facts, const std::vector<Term>& around, const Summand& first,
                     const Summand& second, const std::vector<Term>& phi);
// That the index set has no element.
std::vector<Claim> claims_of_emptiness(const std::vector<Term>& facts, const Summand& summand);
// The elements of the index set for which the condition holds, or does not. Throws NotShown for what is no
// condition on the summand's binders and what is around.
Summand part_of(const Summand& summand, const std::vector<Term>& around, Term condition, bool holds);
// "k1 is an index": in range, and the guard.
std::vector<Term> membership(const Summand& summand);

}  // namespace hallmark::pairs
