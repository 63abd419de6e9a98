#include "rules/settled_fold.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

bool mentions(Term t, Term what) {
  bool found = false;
  for_each_node(t, [&](Term n) { found = found || n == what; });
  return found;
}

Term any_of(const FoldParts& parts) {
  FoldParts out;
  out.variable = parts.variable;
  out.extent = parts.extent;
  out.states = {fresh_variable("s", Sort::boolean())};
  out.init = {truth(false)};
  out.step = {either(out.states[0], parts.guard)};
  return fold(out);
}

Term one_fold(Term a) {
  if (a->kind != Kind::fold || a->size != 1 || a->order != any_order()) return a;
  FoldParts parts = calculus::open(a);
  if (!parts.combine.empty()) return a;
  const Term state = parts.states[0];
  if (mentions(parts.guard, state)) return a;
  bool changed = false;
  while (parts.step[0]->kind == Kind::select) {
    const Term choice = parts.step[0], c = choice->children[0];
    const bool first = choice->children[1] == state, second = choice->children[2] == state;
    if (first == second || mentions(c, state)) break;
    parts.guard = both(parts.guard, first ? negation(c) : c);
    parts.step = {choice->children[first ? 2 : 1]};
    changed = true;
  }
  const Term value = parts.step[0];
  if (!mentions(value, state) && !mentions(value, parts.variable) && parts.init[0]->kind != Kind::extreme)
    return select(any_of(parts), value, parts.init[0]);
  return changed ? fold(parts) : a;
}

}  // namespace

Term settled(Term term) {
  return rewrite(term, one_fold);
}

}  // namespace hallmark::rules
