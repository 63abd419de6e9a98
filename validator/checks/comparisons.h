// Comparisons of floats as sets of outcomes: of two floats, exactly one of "less", "equal", "greater" and
// "unordered" holds (IEEE 754-2019, section 5.11), so a condition over comparisons of one pair is the set of
// outcomes for which it is true. -0 and +0 are equal here.
#pragma once
#include <optional>

#include "validator/symbolic/context.h"

namespace hallmark::validator {

struct Outcomes {
  static constexpr unsigned less = 1, equal = 2, greater = 4, unordered = 8, all = 15;
  calculus::Term left = nullptr, right = nullptr;  // right is nullptr for is_nan(left) alone
  unsigned set = 0;
};

// The same outcomes with the operands exchanged.
unsigned mirrored(unsigned set);
// Nothing when the condition is not over the comparisons of one pair of floats.
std::optional<Outcomes> outcomes(calculus::Term condition);
// Of the outcomes of this pair those that the facts leave open.
unsigned open_outcomes(const Scope& scope, const Outcomes& pair);

// Whether the facts themselves say that a condition holds or not; no solver is asked.
std::optional<bool> stated(const Scope& scope, calculus::Term condition);
// The scope with what follows from its disjunctions of which all parts but one are stated not to hold.
Scope with_consequences(const Scope& scope);

}  // namespace hallmark::validator
