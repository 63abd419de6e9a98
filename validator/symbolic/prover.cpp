#include "validator/symbolic/prover.h"

#include <algorithm>
#include <set>

#include "validator/symbolic/digits.h"
#include "validator/symbolic/shifted_sizes.h"

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

bool Prover::probed(const Scope& scope, Term goal) {
  const auto key = std::make_pair(scope->facts(), goal);
  if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
  ++probes_;
  const bool answer = probe_(scope->facts(), goal);
  cache_.emplace(key, answer);
  return answer;
}

bool Prover::show(const Scope& scope, Term goal, std::vector<Claim>& by) {
  if (scope->contradictory()) return true;
  if (scope->quick(goal) == true) {
    by.push_back({scope, goal});
    return true;
  }
  if (goal->kind == Kind::conjunction) {
    const std::size_t mark = by.size();
    bool as_given = true;
    for (Term part : goal->children) {
      const std::size_t before = by.size();
      if (!show(scope, part, by)) {
        by.resize(mark, Claim{nullptr, nullptr});
        return false;
      }
      as_given = as_given && by.size() == before + 1 && by.back().scope == scope;
    }
    if (as_given) {
      // One query for all of them.
      by.resize(mark, Claim{nullptr, nullptr});
      by.push_back({scope, goal});
    }
    return true;
  }
  const auto digits =
      in_digits(scope->facts(), goal, [&](Term premise) { return scope->quick(premise) == true; });
  if (!digits) return show_by_sizes(scope, goal, by);
  // Where the goal itself is about several digits they come first; a row and a column are as plain without.
  const bool is_about = divides_by_symbols(goal), several = digits->divisors >= 2;
  if (is_about && several && show_in_digits(scope, *digits, by)) return true;
  if (show_by_sizes(scope, goal, by)) return true;
  return is_about != several && show_in_digits(scope, *digits, by);
}

// As it is, or with sizes above their least values.
bool Prover::show_by_sizes(const Scope& scope, Term goal, std::vector<Claim>& by) {
  if (scope->quick(goal) == true || probed(scope, goal)) {
    by.push_back({scope, goal});
    return true;
  }
  const auto shifted = with_shifted_sizes(scope, goal);
  if (!shifted) return false;
  const Scope above = Context::make(shifted->facts);
  if (above->quick(shifted->goal) != true && !probed(above, shifted->goal)) return false;
  by.push_back({above, shifted->goal});
  return true;
}

bool Prover::show_in_digits(const Scope& scope, const DigitClaim& digits, std::vector<Claim>& by) {
  const std::size_t mark = by.size();
  bool shown = true;
  for (Term premise : digits.premises) shown = shown && show_by_sizes(scope, premise, by);
  if (shown && show_by_sizes(Context::make(digits.facts), digits.goal, by)) return true;
  by.resize(mark, Claim{nullptr, nullptr});
  return false;
}

bool Prover::holds(const Scope& given, Term goal) {
  const Scope scope = with_axioms(given, goal);
  std::vector<Claim> by;
  return show(scope, goal, by);
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
  const bool enough = less->contradictory() || less->quick(goal) == true || probed(less, goal);
  return enough ? less : scope;
}

bool Prover::rely(const Scope& given, Term goal) {
  const Scope scope = with_axioms(given, goal);
  if (scope->contradictory()) return true;  // a fact is literally false
  if (goal->kind == Kind::truth && goal->number != 0) return true;
  std::vector<Claim> by;
  if (!show(scope, goal, by)) {
    failed_ = Claim{scope, goal};
    return false;
  }
  // A goal that is literally among the facts needs no solver.
  for (const Claim& claim : by)
    if (!claim.scope->knows(claim.goal))
      log_.push_back({without_products(claim.scope, claim.goal), claim.goal});
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
