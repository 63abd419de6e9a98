#include "rules/rescaled_fold.h"

#include <algorithm>

namespace hallmark::rules {

using namespace calculus;

namespace {

bool mentions(Term a, const std::vector<Term>& leaves) {
  bool found = false;
  for_each_node(a,
                [&](Term n) { found = found || std::find(leaves.begin(), leaves.end(), n) != leaves.end(); });
  return found;
}
bool contains_infinity(Term a) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n->kind == Kind::extreme; });
  return found;
}

// 0 where `own` is 0, as written.
bool vanishes(Term a, Term own) {
  if (a == own) return true;
  if (a->kind != Kind::operation) return false;
  if (a->op == Op::mul) return vanishes(a->children[0], own) || vanishes(a->children[1], own);
  return (a->op == Op::neg || a->op == Op::div) && vanishes(a->children[0], own);
}
// The running value is read only as a factor of what vanishes with `own`.
bool reads_with(Term a, Term own, Term running) {
  if (!mentions(a, {running}) || vanishes(a, own)) return true;
  if (a->kind != Kind::operation || (a->op != Op::add && a->op != Op::sub && a->op != Op::mul)) return false;
  return std::all_of(a->children.begin(), a->children.end(),
                     [&](Term child) { return reads_with(child, own, running); });
}

// The state is a real number wherever its value matters. One that starts as the neutral element of a maximum
// is so from the first step on; the first step itself, as written, may read it only where it is multiplied by
// the sum, which is 0: exp(y - x) exp(x - m') would be no number there, and exp(y - m') is one.
bool is_real(const FoldParts& parts, std::size_t state, std::size_t sum_state) {
  const Term step = parts.step[state], running = parts.states[state];
  if (contains_infinity(step)) return false;
  if (!contains_infinity(parts.init[state])) return true;
  if (parts.init[state]->kind != Kind::extreme || step->kind != Kind::operation || step->op != Op::max ||
      (step->children[0] == running) == (step->children[1] == running))
    return false;
  const Term next = fresh_variable("m", Sort::real());
  const Term written = rewrite(parts.step[sum_state], [&](Term n) { return n == step ? next : n; });
  return reads_with(written, parts.states[sum_state], running);
}

}  // namespace

std::optional<Term> component_alone(const FoldParts& parts, std::size_t which) {
  std::vector<Term> others = parts.states;
  others.erase(others.begin() + static_cast<long>(which));
  if (parts.order != any_order() || mentions(parts.step[which], others) || mentions(parts.guard, others))
    return std::nullopt;
  FoldParts alone = parts;
  alone.states = {parts.states[which]};
  alone.init = {parts.init[which]};
  alone.step = {parts.step[which]};
  alone.right_states.clear();
  alone.combine.clear();
  return fold(alone, 0);
}

std::optional<Term> without_rescaling(const FoldParts& parts, std::size_t which,
                                      const std::function<NormalForm(Term)>& form) {
  const Sort real = Sort::real();
  if (parts.guard != truth(true) || parts.order != any_order() || parts.init[which] != real_constant(0) ||
      contains_infinity(parts.step[which]))
    return std::nullopt;
  const Term own = parts.states[which];
  for (std::size_t m = 0; m < parts.states.size(); ++m) {
    if (m == which || parts.states[m]->sort != real || !mentions(parts.step[which], {parts.states[m]}) ||
        !is_real(parts, m, which))
      continue;
    const std::optional<Term> running = component_alone(parts, m);
    if (!running) continue;
    const Term kept_scale = operation(Op::exp, {parts.states[m]}, real);
    const Term next = to_term(form(parts.step[m]), real);
    const Term scale = operation(Op::reciprocal, {operation(Op::exp, {next}, real)}, real);
    NormalForm added;
    int kept = 0;
    bool fits = true;
    for (Summand s : form(parts.step[which])) {
      const auto at = std::find(s.factors.begin(), s.factors.end(), scale);
      fits = fits && at != s.factors.end();
      if (!fits) break;
      s.factors.erase(at);
      if (!mentions(s, parts.states)) {
        added.push_back(std::move(s));
        continue;
      }
      std::vector<Term> expected{own, kept_scale};
      std::sort(expected.begin(), expected.end(), TermLess());
      fits = s.coefficient == 1 && s.binders.empty() && s.guard == truth(true) && s.factors == expected;
      ++kept;
    }
    if (!fits || kept != 1) continue;
    const Term last = operation(Op::neg, {*running}, real);
    return operation(
        Op::mul, {sum(parts.variable, parts.extent, to_term(added, real)), operation(Op::exp, {last}, real)},
        real);
  }
  return std::nullopt;
}

}  // namespace hallmark::rules
