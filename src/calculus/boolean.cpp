// Bool terms: comparisons in the forms p <= 0 and p = 0, and flattened, sorted connectives.
#include <algorithm>

#include "base/error.h"
#include "calculus/arena.h"

namespace hallmark::calculus {
namespace {

const Sort boolean_sort = Sort::boolean();

void require_boolean(Term a) {
  ensure(a != nullptr && a->sort == boolean_sort, "a Bool term was expected");
}

Integer content(Term p) {
  Integer g = 0;
  for (const Monomial& m : monomials(p))
    if (m.product != nullptr) g = gcd(g, m.coefficient);
  return g;
}

Term divide_exactly(Term p, const Integer& g, const Integer& constant) {
  std::vector<Term> parts{integer(constant)};
  for (const Monomial& m : monomials(p))
    if (m.product != nullptr) parts.push_back(scale(floor_div(m.coefficient, g), m.product));
  return add(parts);
}

Term one_child(Kind kind, Term child) {
  Node n = leaf(kind, boolean_sort);
  n.children = {child};
  return intern(std::move(n));
}

// p <= 0. With g the content of the variable part: g*q + c <= 0 iff q + ceil(c / g) <= 0.
Term at_most_zero(Term p) {
  if (const Integer* value = as_integer(p); value != nullptr) return truth(*value <= 0);
  const Integer g = content(p);
  return one_child(Kind::at_most_zero, divide_exactly(p, g, -floor_div(-constant_part(p), g)));
}

Term connective(Kind kind, const std::vector<Term>& parts) {
  const bool neutral = kind == Kind::conjunction;
  std::vector<Term> all;
  for (Term part : parts) {
    require_boolean(part);
    if (part->kind == Kind::truth) {
      if ((part->number != 0) != neutral) return part;
    } else if (part->kind == kind) {
      all.insert(all.end(), part->children.begin(), part->children.end());
    } else {
      all.push_back(part);
    }
  }
  std::sort(all.begin(), all.end(), TermLess());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (Term part : all)
    if (std::binary_search(all.begin(), all.end(), negation(part), TermLess())) return truth(!neutral);
  if (all.empty()) return truth(neutral);
  if (all.size() == 1) return all[0];
  Node n = leaf(kind, boolean_sort);
  n.children = std::move(all);
  return intern(std::move(n));
}

}  // namespace

Term truth(bool value) {
  Node n = leaf(Kind::truth, boolean_sort);
  n.number = value ? 1 : 0;
  return intern(std::move(n));
}

Term less(Term a, Term b) {
  return at_most_zero(add(subtract(a, b), integer(Integer(1))));
}
Term at_most(Term a, Term b) {
  return at_most_zero(subtract(a, b));
}

Term equal(Term a, Term b) {
  Term p = subtract(a, b);
  if (const Integer* value = as_integer(p); value != nullptr) return truth(*value == 0);
  const Integer g = content(p), c = constant_part(p);
  if (floor_mod(c, g) != 0) return truth(false);
  p = divide_exactly(p, g, floor_div(c, g));
  // One of p = 0 and -p = 0 is kept: the one whose first variable coefficient is positive.
  for (const Monomial& m : monomials(p)) {
    if (m.product == nullptr) continue;
    if (m.coefficient < 0) p = scale(-1, p);
    break;
  }
  return one_child(Kind::is_zero, p);
}

Term conjunction(const std::vector<Term>& parts) {
  return connective(Kind::conjunction, parts);
}
Term disjunction(const std::vector<Term>& parts) {
  return connective(Kind::disjunction, parts);
}

Term negation(Term a) {
  require_boolean(a);
  if (a->kind == Kind::truth) return truth(a->number == 0);
  if (a->kind == Kind::negation) return a->children[0];
  // not (p <= 0) iff 1 - p <= 0.
  if (a->kind == Kind::at_most_zero) return at_most_zero(subtract(integer(Integer(1)), a->children[0]));
  return one_child(Kind::negation, a);
}

Term compare(Op op, Term a, Term b) {
  ensure(op == Op::lt || op == Op::le || op == Op::eq, "an element comparison is lt, le or eq");
  ensure(a->sort == b->sort && a->sort.kind != Sort::Kind::index, "an element comparison of two sorts");
  Node n = leaf(Kind::compare, boolean_sort);
  n.op = op;
  n.children = {a, b};
  if (op == Op::eq && compare_terms(b, a) < 0) std::swap(n.children[0], n.children[1]);
  return intern(std::move(n));
}

Term is_nan(Term a) {
  if (a->sort.kind != Sort::Kind::floating) return truth(false);
  return one_child(Kind::is_nan, a);
}

Term in_range(Term index, Term extent) {
  return both(at_most(integer(Integer(0)), index), less(index, extent));
}

}  // namespace hallmark::calculus
