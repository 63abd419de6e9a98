// Whether a rule says something: its sides are written differently, and its requirements leave sizes at which
// no axis is degenerate. A statement about nothing is proved easily and helps nobody.
#pragma once
#include <string>

#include "rules/rule_text.h"
#include "smt/portfolio.h"

namespace hallmark::rules {

// Empty when the rule says something; otherwise what it lacks:
//   - both sides are the same text
//   - no sizes with every extent at least 2 meet the requirements, and the rule has no line `degenerate`.
//   Sizes are sought
//     by enumeration, in the instance with one axis for each class, and then by the solvers. Extents that are
//     numbers count as they are.
std::string without_substance(const RuleFamily& family, smt::Portfolio& portfolio);

// "conditions: 2 needed, redundant: require s <= e", or empty for a rule without conditions
// (rules/conditions.h).
std::string conditions_text(const RuleFamily& family, smt::Portfolio& portfolio);

}  // namespace hallmark::rules
