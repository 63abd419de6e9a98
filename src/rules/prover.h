// Equality of two element terms for every index in range and every value of the symbols that meets the
// requirements.
//
// Three arguments, tried in this order, from the strongest claim to the weakest:
//   any-type: both sides perform the same operations on the same elements, shown index by index (laws EXT and
//             HOIST). Holds bit for bit for any deterministic operations whose fold order depends on the
//             extents alone.
//   ieee:     the same after identities that hold of every encoding (rules/ieee.h, law IEEE), or sums of
//             elements nowhere and maxima and minima over index sets that correspond.
//   reals:    sum normal form and guarded bijections (law BIJ): two sums are equal when maps between their
//             index sets, found by the tool from the equations between the factors' indices, are shown to be
//             inverse and to carry factors to factors. Where both sides are sums and products alone, that
//             holds in every commutative ring, so of integers that wrap around too.
// The prover answers "proved" or "not shown"; refutation is by execution, elsewhere.
#pragma once
#include <string>
#include <vector>

#include "calculus/program.h"
#include "rules/oracle.h"

namespace hallmark::rules {

struct Claim {
  std::vector<calculus::SymbolRange> symbols;
  std::vector<Term> requirements;  // Bool
  std::vector<Term> extents;       // of the axes of both sides
  Term left = nullptr, right = nullptr;
  std::vector<Term> existing;  // extents of tensors that exist: at least 0
  int powers = 0;              // of two, exact in the formats that are computed in (rules/ieee.h)
};

struct Equality {
  bool shown = false;
  // From the strongest: "any-type" (bit for bit, whatever the operations are), "ieee" (bit for bit in IEEE
  // 754 arithmetic, all NaNs being one value, max and min being maximum and minimum of the standard),
  // "wrap-around integers" (integers modulo 2^N, exactly), "ring" (wrap-around integers and reals, both sides
  // being sums and products with integer constants), "unbounded integers" (Z; used only where nothing
  // wraps, rules/whole.h), "reals" (the total model of the reals).
  std::string strength;
  std::vector<std::string> laws;  // names of the laws used, sorted
  std::string failure;            // the deepest pair that could not be matched
};

Equality prove_equal(const Claim& claim, Oracle& oracle);
// What a strength says, for a reader. Throws InternalError for an unknown word.
std::string strength_text(const std::string& strength);
// The first of the arguments alone.
Equality prove_same_operations(const Claim& claim, Oracle& oracle);

// Facts that hold throughout a claim: symbol ranges, requirements, axes in range.
Facts facts_of(const Claim& claim);

}  // namespace hallmark::rules
