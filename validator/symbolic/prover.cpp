#include "validator/symbolic/prover.h"

#include <algorithm>
#include <set>

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

bool Prover::evident(const Scope& scope, Term goal) {
  return scope->contradictory() || scope->quick(goal) == true;
}

Scope Prover::with_axioms(const Scope& scope, Term goal) const {
  if (!axioms_) return scope;
  std::vector<Term> facts;
  const auto see = [&](Term node) {
    if (node->kind != Kind::to_index) return;
    for (const auto& [condition, fact] : axioms_(node))
      facts.push_back(
          scope->quick(condition) == true ? fact : calculus::either(calculus::negation(condition), fact));
  };
  for (Term fact : scope->facts()) calculus::for_each_node(fact, see);
  calculus::for_each_node(goal, see);
  return facts.empty() ? scope : Context::extend(scope, facts);
}

bool Prover::holds(const Scope& given, Term goal) {
  const Scope scope = with_axioms(given, goal);
  if (scope->contradictory()) return true;
  if (const std::optional<bool> known = scope->quick(goal); known == true) return true;
  if (goal->kind == Kind::conjunction)
    return std::all_of(goal->children.begin(), goal->children.end(),
                       [&](Term part) { return holds(scope, part); });
  const auto key = std::make_pair(scope->facts(), goal);
  if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
  ++probes_;
  const bool answer = probe_(scope->facts(), goal);
  cache_.emplace(key, answer);
  return answer;
}

bool Prover::has_product(Term term) {
  if (const auto known = products_.find(term); known != products_.end()) return known->second;
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node->kind == Kind::product; });
  return products_.emplace(term, found).first->second;
}

// Fewer hypotheses say more. Those about products of unknowns make a query dear to one solver or the other,
// and what has no product in it rarely needs them.
Scope Prover::without_products(const Scope& scope, Term goal) {
  if (has_product(goal)) return scope;
  std::vector<Term> plain;
  for (Term fact : scope->facts())
    if (!has_product(fact)) plain.push_back(fact);
  if (plain.size() == scope->facts().size()) return scope;
  const auto known = plain_.find(plain);
  const Scope less =
      known != plain_.end() ? known->second : plain_.emplace(plain, Context::make(plain)).first->second;
  return holds(less, goal) ? less : scope;
}

bool Prover::rely(const Scope& given, Term goal) {
  const Scope scope = with_axioms(given, goal);
  if (scope->contradictory()) return true;  // a fact is literally false
  if (goal->kind == Kind::truth && goal->number != 0) return true;
  if (!holds(scope, goal)) {
    failed_ = Claim{scope, goal};
    return false;
  }
  // A goal that is literally among the facts needs no solver.
  if (!scope->knows(goal)) log_.push_back({without_products(scope, goal), goal});
  return true;
}

void Prover::keep(const std::vector<Claim>& claims) {
  std::set<std::pair<std::vector<Term>, Term>> have;
  for (const Claim& claim : log_) have.insert({claim.scope->facts(), claim.goal});
  for (const Claim& claim : claims)
    if (have.insert({claim.scope->facts(), claim.goal}).second) log_.push_back(claim);
}

std::optional<bool> Prover::decide(const Scope& scope, Term condition) {
  if (condition->kind == Kind::truth) return condition->number != 0;
  if (rely(scope, condition)) return true;
  if (rely(scope, calculus::negation(condition))) return false;
  return std::nullopt;
}

}  // namespace hallmark::validator
