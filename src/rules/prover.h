// Equality of two element terms for every index in range and every value of the symbols that meets the
// requirements.
//
// Two arguments, tried in this order:
//   any-type: both sides perform the same operations on the same elements, shown index by index (laws EXT and
//   HOIST). Holds bit
//             for bit for any deterministic operations whose fold order depends on the extents alone.
//   reals:    sum normal form and guarded bijections (law BIJ): two sums are equal when maps between their
//   index sets, found
//             by the tool from the equations between the factors' indices, are shown to be inverse and to
//             carry factors to factors.
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
};

struct Equality {
  bool shown = false;
  // "any-type": bit for bit, whatever the operations are. "ring": wrap-around integers and reals, both sides
  // being sums and products with integer constants; "wrap-around integers": the same, of an integer format.
  // "lattice": total orders, only max and min occurring. "reals": the total model of the reals.
  std::string strength;
  std::vector<std::string> laws;  // names of the laws used, sorted
  std::string failure;            // the deepest pair that could not be matched
};

Equality prove_equal(const Claim& claim, Oracle& oracle);
// The first of the two arguments alone.
Equality prove_same_operations(const Claim& claim, Oracle& oracle);

// Facts that hold throughout a claim: symbol ranges, requirements, axes in range.
Facts facts_of(const Claim& claim);

}  // namespace hallmark::rules
