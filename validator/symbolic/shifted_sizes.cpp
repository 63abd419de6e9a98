#include "validator/symbolic/shifted_sizes.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

std::optional<ShiftedClaim> with_shifted_sizes(const Scope& scope, Term goal) {
  calculus::Substitution map;
  const auto see = [&](Term node) {
    if (node->kind != Kind::product) return;
    for (Term factor : node->children) {
      if (factor->kind != Kind::symbol || map.count(factor) != 0) continue;
      const Interval range = scope->range(factor);
      if (range.low && *range.low >= 2)
        map[factor] =
            calculus::add(calculus::variable("over." + factor->name), calculus::integer(*range.low));
    }
  };
  calculus::for_each_node(goal, see);
  for (Term fact : scope->facts()) calculus::for_each_node(fact, see);
  if (map.empty()) return std::nullopt;
  ShiftedClaim out;
  out.goal = calculus::substitute(goal, map);
  for (Term fact : scope->facts()) out.facts.push_back(calculus::substitute(fact, map));
  return out;
}

}  // namespace hallmark::validator
