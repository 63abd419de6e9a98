// Folds: closing and opening binders. Bound variables are numbered by height (Sato, Pollack, Schwichtenberg,
// Sakurai: "Viewing lambda-terms through maps", 2013, use the same canonical choice of names), so closing a
// term is a plain renaming.
#include <algorithm>

#include "base/error.h"
#include "calculus/arena.h"

namespace hallmark::calculus {
namespace {

// Renames leaves. The new leaves must not be bound by any fold inside the term; heights guarantee that for
// closing (the new number is greater than every height inside) and freshness for opening.
Term rename(Term a, const Substitution& leaves, Substitution& memo) {
  if (const auto found = leaves.find(a); found != leaves.end()) return found->second;
  if (a->children.empty() || !a->open) return a;
  if (const auto found = memo.find(a); found != memo.end()) return found->second;
  std::vector<Term> children;
  children.reserve(a->children.size());
  for (Term child : a->children) children.push_back(rename(child, leaves, memo));
  Term result = a;
  if (children != a->children) {
    if (a->kind == Kind::fold) {
      Node n = *a;
      n.children = std::move(children);
      result = intern(std::move(n));
    } else {
      result = rebuild(a, children);
    }
  }
  memo.emplace(a, result);
  return result;
}

Term bound(int height) {
  Node n = leaf(Kind::bound, Sort::index());
  n.number = height;
  return intern(std::move(n));
}

Term state(int height, int which, Sort sort) {
  Node n = leaf(Kind::state, sort);
  n.number = height;
  n.which = which;
  return intern(std::move(n));
}

}  // namespace

Term fold(const FoldParts& parts, int which) {
  const std::size_t size = parts.states.size();
  ensure(size > 0 && parts.init.size() == size && parts.step.size() == size,
         "a fold with unequal numbers of states and steps");
  ensure(parts.combine.empty() || (parts.combine.size() == size && parts.right_states.size() == size),
         "a fold's combine");
  for (std::size_t j = 0; j < size; ++j)
    ensure(parts.states[j]->sort == parts.init[j]->sort && parts.init[j]->sort == parts.step[j]->sort,
           "a fold state of two sorts");
  const Term guard = parts.guard != nullptr ? parts.guard : truth(true);
  int height = 0;
  const auto see = [&](Term t) { height = std::max(height, t->height); };
  see(parts.extent);
  see(guard);
  for (const auto* list : {&parts.init, &parts.step, &parts.combine})
    for (Term t : *list) see(t);
  ++height;
  Substitution leaves;
  leaves[parts.variable] = bound(height);
  for (std::size_t j = 0; j < size; ++j)
    leaves[parts.states[j]] = state(height, static_cast<int>(j), parts.states[j]->sort);
  for (std::size_t j = 0; j < parts.right_states.size(); ++j)
    leaves[parts.right_states[j]] = state(height, static_cast<int>(size + j), parts.states[j]->sort);
  Substitution memo;
  Node n = leaf(Kind::fold, parts.init.at(static_cast<std::size_t>(which))->sort);
  n.number = height;
  n.which = which;
  n.size = static_cast<int>(size);
  n.order = parts.order != nullptr ? parts.order : any_order();
  n.children = {parts.extent, rename(guard, leaves, memo)};
  // The start values stand outside the binder.
  n.children.insert(n.children.end(), parts.init.begin(), parts.init.end());
  for (Term t : parts.step) n.children.push_back(rename(t, leaves, memo));
  for (Term t : parts.combine) n.children.push_back(rename(t, leaves, memo));
  return intern(std::move(n));
}

FoldParts open(Term a) {
  ensure(a->kind == Kind::fold, "open() of a term that is not a fold");
  const std::size_t size = static_cast<std::size_t>(a->size);
  const std::vector<Term>& c = a->children;
  FoldParts parts;
  parts.variable = fresh_variable("k");
  Substitution leaves, memo;
  leaves[bound(a->number)] = parts.variable;
  const bool has_combine = c.size() == 2 + 3 * size;
  for (std::size_t j = 0; j < size; ++j) {
    parts.states.push_back(fresh_variable("s", c[2 + j]->sort));
    leaves[state(a->number, static_cast<int>(j), c[2 + j]->sort)] = parts.states.back();
  }
  for (std::size_t j = 0; has_combine && j < size; ++j) {
    parts.right_states.push_back(fresh_variable("t", c[2 + j]->sort));
    leaves[state(a->number, static_cast<int>(size + j), c[2 + j]->sort)] = parts.right_states.back();
  }
  parts.extent = c[0];
  parts.guard = rename(c[1], leaves, memo);
  for (std::size_t j = 0; j < size; ++j) {
    parts.init.push_back(c[2 + j]);
    parts.step.push_back(rename(c[2 + size + j], leaves, memo));
    if (has_combine) parts.combine.push_back(rename(c[2 + 2 * size + j], leaves, memo));
  }
  parts.order = a->order;
  return parts;
}

Term component(Term a, int which) {
  ensure(a->kind == Kind::fold && which >= 0 && which < a->size, "a fold component out of range");
  Node n = *a;
  n.which = which;
  n.sort = a->children[2 + static_cast<std::size_t>(which)]->sort;
  return intern(std::move(n));
}

Term reduce(Op op, Term init, Term k, Term n, Term body, Term guard) {
  FoldParts parts;
  parts.variable = k;
  parts.extent = n;
  parts.guard = guard;
  parts.states = {fresh_variable("s", body->sort)};
  parts.init = {init};
  parts.step = {apply(op, {parts.states[0], body})};
  return fold(parts);
}

Term sum(Term k, Term n, Term body, Term guard) {
  const Sort sort = body->sort;
  Term zero = nullptr;
  if (sort.kind == Sort::Kind::real)
    zero = real_constant(0);
  else if (sort.kind == Sort::Kind::integer)
    zero = int_constant(sort.format, 0);
  else
    zero = float_constant(sort.format, 0);
  return reduce(Op::add, zero, k, n, body, guard);
}

}  // namespace hallmark::calculus
