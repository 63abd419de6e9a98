// Law BIJ: two summands are equal when their index sets correspond. The maps are guessed here from the
// equations between factor indices and then shown by the oracle; a wrong guess loses a proof and never makes
// one.
#pragma once
#include <functional>
#include <optional>

#include "rules/normal_form.h"
#include "rules/oracle.h"

namespace hallmark::rules {

// One index set with what is summed over it: factors are matched by head; `indices` are the equations' sides.
struct IndexedFactor {
  std::string head;  // "A", or the registered name of an opaque factor
  std::vector<Term> indices;
};

struct IndexSet {
  std::vector<Binder> binders;
  Term guard = nullptr;
  std::vector<IndexedFactor> factors;  // sorted by head
};

// Shows sum over `left` = sum over `right` under the facts. Returns false when no guess could be shown. Where
// guards compare elements and correspond by the arithmetic of the reals alone, the laws get SCALAR.
bool equal_by_bijection(const IndexSet& left, const IndexSet& right, const Context& context);

// Law SPLIT: where the elements of `part` are elements of `whole` under an injection, the guard of the
// elements of `whole` that are none of them. Empty when no guess could be shown.
std::optional<Term> guard_of_rest(const IndexSet& whole, const IndexSet& part, const Context& context);

// Maps between the index sets as they are guessed, none of them shown: phi gives the right binders in terms
// of the left ones, psi the left in terms of the right, and the pairing each left factor's partner. Factors
// are sorted by head. Calls `use` until it returns true.
void guess_maps(const IndexSet& left, const IndexSet& right,
                const std::function<bool(const calculus::Substitution& phi, const calculus::Substitution& psi,
                                         const std::vector<std::size_t>& pairing)>& use);

// The facts of being in the index set: binders in range and the guard.
Facts membership(const IndexSet& set);
// True when the index set is shown to be empty.
bool shown_empty(const IndexSet& set, const Facts& facts, Oracle& oracle);

}  // namespace hallmark::rules
