// What has to hold of two maps for two sums to be equal (law BIJ, proofs/lemmas.md), as claims about indices,
// derived from the sums and the maps alone.
#pragma once
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

// The summand with its binders renamed to LETTER1, LETTER2, ...
Summand renamed(const Summand& summand, const std::string& letter);

// Under the facts: phi leads from the first index set into the second and psi undoes it; psi leads from the
// second into the first and phi undoes it; each factor of the first, at psi of an element of the second, is
// its partner there. A claim that quotients by a term are what they should be stands before those that need
// it. Throws NotShown where the maps do not fit the summands or factors differ in more than their indices.
std::vector<Claim> claims_of(const std::vector<Term>& facts, const Summand& first, const Summand& second,
                             const Maps& maps);
// That the index set has no element.
std::vector<Claim> claims_of_emptiness(const std::vector<Term>& facts, const Summand& summand);

}  // namespace hallmark::pairs
