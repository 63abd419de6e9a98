#include "rules/signs.h"

#include <algorithm>

namespace hallmark::rules {

using namespace calculus;

namespace {

bool given_to_be(Term claim, const Context& context, const char* purpose) {
  return context.oracle.knows_elements() && context.oracle.entails_over_reals(context.facts, claim, purpose);
}

}  // namespace

bool shown_positive(Term f, const Context& context) {
  if (f->sort != Sort::real()) return false;
  if (f->kind == Kind::load) return given_to_be(compare(Op::lt, real_constant(0), f), context, "POSITIVE");
  if (f->kind == Kind::constant) return f->value > 0;
  if (f->kind == Kind::from_index)
    return context.oracle.entails(context.facts, less(integer(Integer(0)), f->children[0]), "POSITIVE");
  if (f->kind == Kind::operation) {
    if (f->op == Op::exp) return true;
    if (f->op == Op::sqrt || f->op == Op::rsqrt || f->op == Op::pow)
      return shown_positive(f->children[0], context);
    if (f->op == Op::mul || f->op == Op::reciprocal || f->op == Op::div || f->op == Op::min)
      return std::all_of(f->children.begin(), f->children.end(),
                         [&](Term child) { return shown_positive(child, context); });
    // One positive operand suffices, the others being at least 0 in a sum.
    if (f->op == Op::add || f->op == Op::max) {
      bool positive = false, rest = true;
      for (Term child : f->children) {
        const bool one = shown_positive(child, context);
        positive = positive || one;
        rest = rest && (one || f->op == Op::max || shown_nonnegative(child, context));
      }
      return positive && rest;
    }
    return false;
  }
  if (f->kind == Kind::fold && f->size == 1) {
    // A sum of positive terms over a range that is not empty and not guarded.
    const FoldParts parts = calculus::open(f);
    const Term init = parts.init[0], step = parts.step[0];
    if (init != real_constant(0) || parts.guard != truth(true) || step->kind != Kind::operation ||
        step->op != Op::add)
      return false;
    const Term body = step->children[0] == parts.states[0] ? step->children[1] : step->children[0];
    if (step->children[0] != parts.states[0] && step->children[1] != parts.states[0]) return false;
    return context.oracle.entails(context.facts, less(integer(Integer(0)), parts.extent), "NONEMPTY") &&
           shown_positive(body, context.with({in_range(parts.variable, parts.extent)}));
  }
  return false;
}

bool shown_nonnegative(Term f, const Context& context) {
  if (f->sort != Sort::real()) return false;
  if (f->kind == Kind::constant) return f->value >= 0;
  if (f->kind == Kind::load && given_to_be(compare(Op::le, real_constant(0), f), context, "NONNEGATIVE"))
    return true;
  if (f->kind == Kind::operation) {
    if (f->op == Op::abs) return true;
    if (f->op == Op::sqrt || f->op == Op::reciprocal) return shown_nonnegative(f->children[0], context);
    if (f->op == Op::mul && f->children[0] == f->children[1]) return true;
    if (f->op == Op::mul || f->op == Op::add || f->op == Op::div || f->op == Op::min)
      return std::all_of(f->children.begin(), f->children.end(),
                         [&](Term child) { return shown_nonnegative(child, context); });
    if (f->op == Op::max)
      return std::any_of(f->children.begin(), f->children.end(),
                         [&](Term child) { return shown_nonnegative(child, context); });
  }
  if (f->kind == Kind::from_index)
    return context.oracle.entails(context.facts, at_most(integer(Integer(0)), f->children[0]), "NONNEGATIVE");
  if (f->kind == Kind::fold && f->size == 1) {
    // A sum of terms that are at least 0.
    const FoldParts parts = calculus::open(f);
    const Term init = parts.init[0], step = parts.step[0], state = parts.states[0];
    if (init == real_constant(0) && step->kind == Kind::operation && step->op == Op::add &&
        (step->children[0] == state) != (step->children[1] == state)) {
      const Term body = step->children[0] == state ? step->children[1] : step->children[0];
      bool mentions = false;
      for_each_node(body, [&](Term n) { mentions = mentions || n == state; });
      if (!mentions &&
          shown_nonnegative(body, context.with({in_range(parts.variable, parts.extent), parts.guard})))
        return true;
    }
  }
  return shown_positive(f, context);
}

bool shown_nonzero(Term f, const Context& context) {
  if (shown_positive(f, context)) return true;
  if (f->kind == Kind::from_index)
    return context.oracle.entails(context.facts, negation(equal(f->children[0], integer(Integer(0)))),
                                  "NONZERO");
  if (f->kind == Kind::operation && f->op == Op::reciprocal) return shown_nonzero(f->children[0], context);
  if (f->kind == Kind::load &&
      given_to_be(negation(compare(Op::eq, f, real_constant(0))), context, "NONZERO"))
    return true;
  // A requirement of the claim that says so in these words.
  const Term stated = negation(compare(Op::eq, f, real_constant(0)));
  return std::find(context.facts.begin(), context.facts.end(), stated) != context.facts.end();
}

}  // namespace hallmark::rules
