#include "rules/unroll.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

constexpr long most_steps = 4;

Term written_out(Term a) {
  if (a->kind != Kind::fold || a->size != 1) return a;
  const FoldParts parts = calculus::open(a);
  const Integer* extent = as_integer(parts.extent);
  if (extent == nullptr || *extent > most_steps) return a;
  const bool from_nothing = parts.init[0]->kind == Kind::extreme;
  Term value = parts.init[0], seen = truth(!from_nothing);
  for (long k = 0; k < *extent; ++k) {
    const Substitution at{{parts.variable, integer(k)}};
    const Term guard = substitute(parts.guard, at);
    const Term step = substitute(parts.step[0], {{parts.variable, integer(k)}, {parts.states[0], value}});
    Term next = step;
    if (from_nothing) {
      // step = op(state, element): the element alone where nothing was seen.
      if (parts.step[0]->kind != Kind::operation || parts.step[0]->children.size() != 2) return a;
      const bool first = parts.step[0]->children[0] == parts.states[0];
      if (!first && parts.step[0]->children[1] != parts.states[0]) return a;
      const Term element = substitute(parts.step[0]->children[first ? 1 : 0], at);
      next = select(seen, step, element);
    }
    value = select(guard, next, value);
    seen = either(seen, guard);
  }
  return value;
}

}  // namespace

Term unroll_small_folds(Term term) {
  return rewrite(term, written_out);
}

}  // namespace hallmark::rules
