#include "rules/narrowing.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

// The same past a sum or product over a range.
Term narrowed_fold(Term a) {
  const Term x = a->children[0];
  FoldParts parts = open(x);
  const Term step = parts.step[0], state = parts.states[0];
  if (x->size != 1 || x->order != any_order() || !parts.combine.empty() || step->kind != Kind::operation ||
      (step->op != Op::add && step->op != Op::mul) ||
      (step->children[0] == state) == (step->children[1] == state))
    return a;
  const Term body = step->children[0] == state ? step->children[1] : step->children[0];
  bool used = false;
  for (Term t : {body, parts.guard}) for_each_node(t, [&](Term n) { used = used || n == state; });
  if (used) return a;
  const auto convert = [&](Term t) { return cast(t, a->sort, a->format); };
  parts.init = {convert(parts.init[0])};
  parts.states = {fresh_variable("s", a->sort)};
  parts.step = {operation(step->op, {parts.states[0], convert(body)}, a->sort)};
  return fold(parts);
}

}  // namespace

Term narrowed(Term a) {
  const Term x = a->children[0];
  const auto whole = [](Term t) { return t->sort.kind == Sort::Kind::integer; };
  if (!whole(a) || !whole(x) || a->format != a->sort.format) return a;
  if (x->sort == a->sort) return x;
  if (x->kind == Kind::constant) return int_constant(a->format, x->value.get_num());
  if (storage_bits(x->sort.format) < storage_bits(a->format)) return a;
  const auto convert = [&](Term t) { return cast(t, a->sort, a->format); };
  if (x->kind == Kind::cast && whole(x->children[0]) && x->format == x->sort.format)
    return convert(x->children[0]);
  if (x->kind == Kind::from_index) return from_index(x->children[0], a->sort);
  if (x->kind == Kind::fold) return narrowed_fold(a);
  if (x->kind != Kind::operation ||
      (x->op != Op::add && x->op != Op::sub && x->op != Op::mul && x->op != Op::neg))
    return a;
  std::vector<Term> operands;
  for (Term c : x->children) operands.push_back(convert(c));
  return operation(x->op, operands, a->sort);
}

}  // namespace hallmark::rules
