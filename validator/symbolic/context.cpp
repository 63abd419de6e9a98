#include "validator/symbolic/context.h"

#include <algorithm>

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

// not (p or q): two facts.
bool is_neither(Term fact) {
  return fact->kind == Kind::negation && fact->children[0]->kind == Kind::disjunction;
}

}  // namespace

void Context::add(Term fact) {
  if (fact->kind == Kind::conjunction) {
    for (Term part : fact->children) add(part);
    return;
  }
  if (is_neither(fact)) {
    for (Term part : fact->children[0]->children) add(calculus::negation(part));
    return;
  }
  if (fact->kind == Kind::truth) {
    contradictory_ = contradictory_ || fact->number == 0;
    return;
  }
  if (knows(fact)) return;
  if (knows(calculus::negation(fact))) contradictory_ = true;
  facts_.push_back(fact);
}

bool Context::knows(Term fact) const {
  if (is_neither(fact))
    return std::all_of(fact->children[0]->children.begin(), fact->children[0]->children.end(),
                       [&](Term part) { return knows(calculus::negation(part)); });
  return std::find(facts_.begin(), facts_.end(), fact) != facts_.end();
}

void Context::propagate() {
  for (int round = 0; round < 4; ++round) {
    bool changed = false;
    for (Term fact : facts_) changed = ranges_.learn(fact) || changed;
    if (!changed) break;
  }
}

Scope Context::make(const std::vector<Term>& facts) {
  auto out = std::make_shared<Context>();
  for (Term fact : facts) out->add(fact);
  out->propagate();
  return out;
}

Scope Context::extend(const Scope& scope, const std::vector<Term>& facts) {
  auto out = std::make_shared<Context>(*scope);
  const std::size_t before = out->facts_.size();
  for (Term fact : facts) out->add(fact);
  if (out->facts_.size() == before && out->contradictory_ == scope->contradictory_) return scope;
  out->propagate();
  return out;
}

std::optional<bool> Context::quick(Term condition) const {
  switch (condition->kind) {
    case Kind::truth:
      return condition->number != 0;
    case Kind::at_most_zero: {
      const Interval interval = range(condition->children[0]);
      if (interval.high && *interval.high <= 0) return true;
      if (interval.low && *interval.low > 0) return false;
      break;
    }
    case Kind::is_zero: {
      const Interval interval = range(condition->children[0]);
      if (!interval.contains(0)) return false;
      if (interval.low && interval.high && *interval.low == *interval.high) return true;
      break;
    }
    case Kind::conjunction:
    case Kind::disjunction: {
      const bool neutral = condition->kind == Kind::conjunction;
      bool all = true;
      for (Term part : condition->children) {
        const std::optional<bool> known = quick(part);
        if (known == !neutral) return !neutral;
        all = all && known.has_value();
      }
      if (all) return neutral;
      break;
    }
    case Kind::negation:
      if (const auto known = quick(condition->children[0]); known) return !*known;
      break;
    default:
      break;
  }
  if (knows(condition)) return true;
  if (knows(calculus::negation(condition))) return false;
  return std::nullopt;
}

Scope substitute(const Scope& scope, const calculus::Substitution& map) {
  std::vector<Term> facts;
  facts.reserve(scope->facts().size());
  for (Term fact : scope->facts()) facts.push_back(calculus::substitute(fact, map));
  Scope out = Context::make(facts);
  if (scope->contradictory()) return Context::extend(out, calculus::truth(false));
  return out;
}

}  // namespace hallmark::validator
