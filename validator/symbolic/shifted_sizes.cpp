#include "validator/symbolic/shifted_sizes.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

// The sizes s of products c*s*P beside which the polynomial has -k*c*P, 0 < k <= L: differences s - k that
// are factors.
void find_differences(Term polynomial, const Scope& scope, calculus::Substitution& map) {
  if (polynomial->kind != Kind::polynomial) return;
  const std::vector<calculus::Monomial> monomials = calculus::monomials(polynomial);
  for (const calculus::Monomial& m : monomials) {
    if (m.product == nullptr || m.product->kind != Kind::product) continue;
    for (Term factor : m.product->children) {
      if (factor->kind != Kind::symbol || map.count(factor) != 0) continue;
      const Interval range = scope->range(factor);
      if (!range.low || *range.low < 2) continue;
      Term rest = nullptr, none = nullptr;
      if (!calculus::affine_in(m.product, factor, rest, none)) continue;
      for (const calculus::Monomial& other : monomials)
        if (other.product == rest && sgn(other.coefficient) != sgn(m.coefficient) &&
            abs(other.coefficient) <= *range.low * abs(m.coefficient))
          map[factor] =
              calculus::add(calculus::variable("over." + factor->name), calculus::integer(*range.low));
    }
  }
}

}  // namespace

std::optional<ShiftedClaim> with_shifted_sizes(const Scope& scope, Term goal) {
  calculus::Substitution map;
  const auto see = [&](Term node) { find_differences(node, scope, map); };
  calculus::for_each_node(goal, see);
  for (Term fact : scope->facts()) calculus::for_each_node(fact, see);
  if (map.empty()) return std::nullopt;
  ShiftedClaim out;
  out.goal = calculus::substitute(goal, map);
  for (Term fact : scope->facts()) out.facts.push_back(calculus::substitute(fact, map));
  return out;
}

}  // namespace hallmark::validator
