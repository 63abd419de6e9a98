#include "rules/index_conditions.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

// The index that the element holds, if it does.
Term index_of(Term element, const Context& context) {
  if (element->kind != Kind::from_index) return to_index(element);
  const Format format = element->sort.format;
  const Integer all = power_of_two(storage_bits(format)),
                low = is_signed(format) ? Integer(-all / 2) : Integer(0);
  const Term p = element->children[0];
  const Term inside = both(at_most(integer(low), p), less(p, integer(Integer(low + all))));
  return context.oracle.entails(context.facts, inside, "NO-WRAP") ? p : nullptr;
}

}  // namespace

Term as_index_conditions(Term condition, const Context& context) {
  bool any = false;
  for_each_node(condition, [&](Term n) { any = any || n->kind == Kind::compare; });
  if (!any) return condition;
  return rewrite(condition, [&](Term n) {
    if (n->kind != Kind::compare || !n->free_heights.empty()) return n;
    const Term a = n->children[0], b = n->children[1];
    if (a->sort.kind != Sort::Kind::integer || (a->kind != Kind::from_index && b->kind != Kind::from_index))
      return n;
    const Term p = index_of(a, context), q = index_of(b, context);
    if (p == nullptr || q == nullptr) return n;
    context.laws.insert("NO-WRAP");
    return n->op == Op::eq ? equal(p, q) : n->op == Op::lt ? less(p, q) : at_most(p, q);
  });
}

}  // namespace hallmark::rules
