#include "rules/ranked.h"

#include <optional>

namespace hallmark::rules {

using namespace calculus;

namespace {

bool mentions(Term t, Term what) {
  bool found = false;
  for_each_node(t, [&](Term n) { found = found || n == what; });
  return found;
}

// What a fold ranks: `element` over the index `i`.
struct Order {
  Term element = nullptr;
  bool greatest = false;  // stands first
};

// x[i] < x[j] or (x[i] = x[j] and j < i), or with x[j] < x[i].
std::optional<Order> order_of(Term guard, Term i, Term j) {
  if (guard->kind != Kind::disjunction || guard->children.size() != 2) return std::nullopt;
  const bool first = guard->children[0]->kind == Kind::compare;
  const Term better = guard->children[first ? 0 : 1], tie = guard->children[first ? 1 : 0];
  if (better->kind != Kind::compare || better->op != Op::lt || tie->kind != Kind::conjunction ||
      tie->children.size() != 2)
    return std::nullopt;
  const bool equality = tie->children[0]->kind == Kind::compare;
  const Term same = tie->children[equality ? 0 : 1], earlier = tie->children[equality ? 1 : 0];
  if (same->kind != Kind::compare || same->op != Op::eq || earlier != less(j, i)) return std::nullopt;
  for (const bool greatest : {true, false}) {
    const Term mine = better->children[greatest ? 0 : 1], theirs = better->children[greatest ? 1 : 0];
    if (mentions(mine, j) || !mentions(mine, i) || theirs != substitute(mine, {{i, j}})) continue;
    const bool both = (same->children[0] == mine && same->children[1] == theirs) ||
                      (same->children[0] == theirs && same->children[1] == mine);
    const bool ordered = mine->sort == Sort::real() || mine->sort.kind == Sort::Kind::integer;
    if (both && ordered) return Order{mine, greatest};
  }
  return std::nullopt;
}

// The fold counts, over all of `extent`, what stands before i.
std::optional<Order> ranking(Term count, Term i, Term extent) {
  if (count->kind != Kind::fold || count->size != 1 || count->order != any_order() ||
      count->sort.kind != Sort::Kind::integer)
    return std::nullopt;
  const FoldParts parts = open(count);
  const Term one = int_constant(count->sort.format, 1);
  if (!parts.combine.empty() || parts.extent != extent ||
      parts.init[0] != int_constant(count->sort.format, 0) ||
      parts.step[0] != operation(Op::add, {parts.states[0], one}, count->sort))
    return std::nullopt;
  return order_of(parts.guard, i, parts.variable);
}

class Rewriter {
 public:
  Rewriter(const Facts& facts, Oracle& oracle) : facts_(facts), oracle_(oracle) {}

  Term visit(Term node) {
    if (node->kind != Kind::fold || node->size != 1 || !node->free_heights.empty() || node->has_variables ||
        node->order != any_order())
      return node;
    const FoldParts parts = open(node);
    const Term i = parts.variable, step = parts.step[0];
    if (!parts.combine.empty() || parts.guard->kind != Kind::is_zero || mentions(step, parts.states[0]))
      return node;
    for (const Monomial& m : monomials(parts.guard->children[0])) {
      if (m.product == nullptr || m.product->kind != Kind::to_index || abs(m.coefficient) != 1) continue;
      const Term count = m.product->children[0];
      const Term rank =
          scale(-m.coefficient, subtract(parts.guard->children[0], scale(m.coefficient, m.product)));
      const std::optional<Order> order = mentions(rank, i) ? std::nullopt : ranking(count, i, parts.extent);
      if (!order || !is_rank(rank, parts.extent, count->sort.format)) continue;
      return chosen(parts, node, rank, *order);
    }
    return node;
  }

 private:
  bool is_rank(Term rank, Term extent, Format format) {
    const Integer most = power_of_two(storage_bits(format) - (is_signed(format) ? 1 : 0)) - 1;
    return oracle_.entails(facts_, both(in_range(rank, extent), at_most(extent, integer(most))), "RANK");
  }

  static Term chosen(const FoldParts& parts, Term node, Term rank, const Order& order) {
    const Sort position = Sort::integer(Format::i64);
    const Term i = parts.variable, step = parts.step[0], here = from_index(i, position);
    const bool first = rank == integer(Integer(0)) && order.element->sort == Sort::real();
    if (first && step == order.element)
      return reduce(order.greatest ? Op::max : Op::min, extreme(order.greatest ? -1 : 1), i, parts.extent,
                    step);
    FoldParts found;
    found.variable = i;
    found.extent = parts.extent;
    if (first) {
      const Term best = fresh_variable("m", order.element->sort), at = fresh_variable("j", position);
      const Term better =
          order.greatest ? compare(Op::lt, best, order.element) : compare(Op::lt, order.element, best);
      found.states = {best, at};
      found.init = {extreme(order.greatest ? -1 : 1), int_constant(Format::i64, 0)};
      found.step = {select(better, order.element, best), select(better, here, at)};
    } else {
      found.guard = parts.guard;
      found.states = {fresh_variable("s", position)};
      found.init = {int_constant(Format::i64, 0)};
      found.step = {here};
    }
    const Term place = fold(found, first ? 1 : 0);
    if (step == here) return place;
    // An index as an element of another format stays as it is.
    if (step->kind == Kind::from_index) return node;
    return substitute(step, {{i, to_index(place)}});
  }

  const Facts& facts_;
  Oracle& oracle_;
};

}  // namespace

Term ranked(Term term, const Facts& facts, Oracle& oracle) {
  Rewriter rewriter(facts, oracle);
  return rewrite(term, [&](Term node) { return rewriter.visit(node); });
}

}  // namespace hallmark::rules
