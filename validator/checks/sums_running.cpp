// Means and sums of squared deviations that are kept up to date, as Welford keeps them (Technometrics 4,
// 1962):
//
//   m' = m + (x - m) / (k + 1)            q' = q + (x - m) * (x - m')        k = 0, 1, ..
//
// (k + 1) m' = k m + x, so that after N >= 1 steps N m is the sum of the x, whatever number m started from.
// With n = k + 1 and (n - 1) m = n m' - x, n m'^2 - (n - 1) m^2 = m' x + m x - m m', and x^2 less that is (x
// - m) (x - m'): q less its start is the sum of the x^2 less N m^2, which is that of (x - M)^2, M the last m.
#include <algorithm>
#include <utility>

#include "validator/checks/sums_terms.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

Term plus(Term a, Term b) {
  return calculus::apply(Op::add, {a, b});
}

Term minus(Term a, Term b) {
  return calculus::apply(Op::sub, {a, b});
}

Term times(Term a, Term b) {
  return calculus::apply(Op::mul, {a, b});
}

bool same_list(const std::vector<Summand>& a, std::vector<Summand> b) {
  for (const Summand& s : a) {
    const auto found = std::find_if(b.begin(), b.end(), [&](const Summand& o) { return same_summand(s, o); });
    if (found == b.end()) return false;
    b.erase(found);
  }
  return b.empty();
}

}  // namespace

// Whether two steps are one sum of products.
bool SumMatcher::same_step(Term a, Term b, const Scope& scope) {
  List left, right;
  const bool step = std::exchange(in_step_, false), point = std::exchange(at_point_, false);
  flatten(a, Summand{}, scope, left);
  flatten(b, Summand{}, scope, right);
  in_step_ = step;
  at_point_ = point;
  add_like_terms(left, false, scope);
  add_like_terms(right, false, scope);
  return same_list(left, right);
}

// What the mean of state j is taken of; nullptr where the state is no running mean.
Term SumMatcher::averaged(const calculus::FoldParts& parts, std::size_t j, const Scope& scope) {
  const Term mean = parts.states[j];
  const auto of_states = [&](Term t) {
    return std::any_of(parts.states.begin(), parts.states.end(), [&](Term s) { return mentions(t, s); });
  };
  std::vector<Term> taken, counts;
  calculus::for_each_node(parts.step[j], [&](Term node) {
    if (node->kind == Kind::from_index &&
        node->children[0] == calculus::add(parts.variable, calculus::integer(1)))
      counts.push_back(node);
    if (node->kind != Kind::operation || node->children.size() != 2 || node->children[1] != mean) return;
    if (!of_states(node->children[0])) taken.push_back(node->children[0]);
  });
  for (Term x : taken)
    for (Term count : counts)
      if (x->sort == mean->sort && count->sort == mean->sort &&
          same_step(parts.step[j], plus(mean, calculus::apply(Op::div, {minus(x, mean), count})), scope))
        return x;
  return nullptr;
}

bool SumMatcher::flatten_running(Term fold, const Summand& context, const Scope& scope, List& out) {
  const calculus::FoldParts parts = opened(fold);
  const std::size_t which = static_cast<std::size_t>(fold->which);
  if (parts.guard != nullptr && parts.guard != calculus::truth(true)) return false;
  if (fold->order->kind != calculus::Order::Kind::seq) return false;
  Summand around;
  around.ranges.emplace_back(parts.variable, parts.extent);
  const Scope outside = inside(scope, context), within = inside(outside, around);
  const auto sum_of = [&](Term start, Term summand) {
    calculus::FoldParts one = parts;
    one.states = {parts.states[which]};
    one.init = {start};
    one.step = {plus(summand, parts.states[which])};
    one.right_states.clear();
    one.combine.clear();
    return calculus::fold(one, 0);
  };
  for (std::size_t j = 0; j < parts.states.size(); ++j) {
    if (!mentions(parts.step[which], parts.states[j]) || parts.states[j]->sort != parts.states[which]->sort)
      continue;
    const Term x = averaged(parts, j, within);
    if (x == nullptr || !prover_.rely(outside, calculus::at_most(calculus::integer(1), parts.extent)) ||
        !defined_.holds(parts.init[j], outside))
      continue;
    const Term nothing = calculus::from_index(calculus::integer(0), x->sort);
    const Term mean =
        calculus::apply(Op::div, {sum_of(nothing, x), calculus::from_index(parts.extent, x->sort)});
    if (j == which) {
      rules_.insert("running mean");
      flatten(mean, context, scope, out);
      return true;
    }
    const Term q = parts.states[which], m = parts.states[j];
    if (!same_step(parts.step[which], plus(q, times(minus(x, m), minus(x, parts.step[j]))), within)) continue;
    rules_.insert("running squares");
    flatten(sum_of(parts.init[which], times(minus(x, mean), minus(x, mean))), context, scope, out);
    return true;
  }
  return false;
}

}  // namespace hallmark::validator
