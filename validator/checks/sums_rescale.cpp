// Sums that are kept relative to a running value, as online softmax keeps them:
//
//   s' = s * exp(m - m') + sum of t * exp(e - m')        m' the next value of another state m
//
// S = s * exp(m) then obeys S' = S + sum of t * exp(e), whatever m does, so that after the loop, where m is
// M,
//
//   s = s_0 * exp(m_0 - M) + sum over the iterations of t * exp(e - M).
//
// Only exp(a) * exp(b) = exp(a + b) is used, of finite numbers: m' has a value in every step, and m_0 is
// finite, or it is -infinity, s_0 is 0, and the first step makes m' finite (0 * exp(-infinity - m') = 0). A
// step that leaves m' at -infinity, all its elements being masked, would make s' a NaN.
#include <algorithm>
#include <utility>

#include "validator/checks/sums_terms.h"

namespace hallmark::validator {

using calculus::Op;
using calculus::Term;

namespace {

// The fold of one state that depends on no other.
std::optional<Term> alone(const calculus::FoldParts& parts, std::size_t which) {
  for (std::size_t j = 0; j < parts.states.size(); ++j)
    if (j != which && mentions(parts.step[which], parts.states[j])) return std::nullopt;
  calculus::FoldParts one = parts;
  one.states = {parts.states[which]};
  one.init = {parts.init[which]};
  one.step = {parts.step[which]};
  one.right_states.clear();
  one.combine.clear();
  return calculus::fold(one, 0);
}

}  // namespace

// The other terms of the exponent of the one factor exp(.. - next), with that factor taken out of `factors`;
// nothing where there is no such factor or more than one.
std::optional<SumMatcher::List> SumMatcher::take_exponential(std::vector<Term>& factors, Term next,
                                                             const Scope& scope, Term& taken) {
  std::optional<List> found;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (function_name(factors[i]) != "exp" || factors[i]->children.size() != 1) continue;
    List exponent;
    flatten(factors[i]->children[0], Summand{}, scope, exponent);
    const auto minus = std::find_if(exponent.begin(), exponent.end(), [&](const Summand& s) {
      return s.ranges.empty() && s.guards.empty() && s.coefficient == -1 &&
             s.factors == std::vector<Term>{next};
    });
    if (minus == exponent.end()) continue;
    if (found) return std::nullopt;
    exponent.erase(minus);
    found = exponent;
    taken = factors[i];
    factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(i));
    --i;
  }
  return found;
}

bool SumMatcher::starts_finite(const calculus::FoldParts& parts, std::size_t m, const Scope& scope) {
  Summand around;
  around.ranges.emplace_back(parts.variable, parts.extent);
  const Scope within = inside(scope, around);
  const Term next = parts.step[m];
  const bool infinite = is_infinity(parts.init[m], true);
  if (!infinite && !defined_.holds(parts.init[m], scope)) return false;
  const Extremum which = extremum_of(next);
  if (which == Extremum::none) return !infinite && defined_.holds(next, within);
  const auto elements = [&](Term term) {
    List out;
    flatten_extremum(term, which, Summand{}, within, out);
    return out;
  };
  // Elements that are infinities of the right sign are left out: they do not matter once m is finite.
  for (const Summand& s : elements(next))
    for (Term factor : s.factors)
      if (factor != parts.states[m] && !defined_.holds(factor, inside(within, s))) return false;
  if (!infinite) return true;
  if (which != Extremum::maximum) return false;
  const Summand nothing;
  const Term first =
      calculus::substitute(next, {{parts.variable, calculus::integer(0)}, {parts.states[m], parts.init[m]}});
  const std::vector<Summand> there = elements(first);
  return std::any_of(there.begin(), there.end(),
                     [&](const Summand& s) { return always_there(s, nothing, within); });
}

bool SumMatcher::flatten_rescaled(Term fold, const Summand& context, const Scope& scope, List& out) {
  const calculus::FoldParts parts = opened(fold);
  const std::size_t which = static_cast<std::size_t>(fold->which);
  if (parts.guard != nullptr && parts.guard != calculus::truth(true)) return false;
  Summand around;
  around.ranges.emplace_back(parts.variable, parts.extent);
  const Scope within = inside(inside(scope, context), around);
  List step;
  const bool outside = std::exchange(in_step_, true);
  flatten(parts.step[which], Summand{}, within, step);
  in_step_ = outside;
  const Term mine = parts.states[which];
  const auto of_states = [&](const Summand& s) {
    return std::any_of(parts.states.begin(), parts.states.end(), [&](Term t) { return mentions(s, t); });
  };
  for (std::size_t m = 0; m < parts.states.size(); ++m) {
    if (m == which || !mentions(parts.step[which], parts.states[m])) continue;
    const std::optional<Term> last = alone(parts, m);
    if (!last) continue;
    const Term next = parts.step[m];
    // Then no exponent without states contains it, and replacing it below replaces the one that was found.
    if (!mentions(next, parts.states[m])) continue;
    if (!starts_finite(parts, m, inside(scope, context))) continue;
    List sums;
    int kept = 0;
    bool ok = true;
    for (const Summand& s : step) {
      Summand rest = s;
      Term exponential = nullptr;
      const auto exponent = take_exponential(rest.factors, next, within, exponential);
      ok = ok && exponent.has_value();
      if (!ok) break;
      if (mentions(rest, mine)) {
        // The running sum itself, times exp(m - m').
        ok = rest.ranges.empty() && rest.guards.empty() && rest.coefficient == 1 &&
             rest.factors == std::vector<Term>{mine} && exponent->size() == 1 &&
             exponent->front().ranges.empty() && exponent->front().guards.empty() &&
             exponent->front().coefficient == 1 &&
             exponent->front().factors == std::vector<Term>{parts.states[m]};
        ++kept;
        continue;
      }
      ok = !of_states(rest) &&
           std::none_of(exponent->begin(), exponent->end(), [&](const Summand& e) { return of_states(e); });
      rest.factors.push_back(
          calculus::rewrite(exponential, [&](Term node) { return node == next ? *last : node; }));
      ok = ok && !of_states(rest);
      sums.push_back(rest);
    }
    if (!ok || kept != 1) continue;
    List start;
    flatten(parts.init[which], context, scope, start);
    if (!start.empty()) {
      if (is_infinity(parts.init[m], true) || is_infinity(parts.init[m], false)) continue;
      const Term difference = calculus::apply(Op::sub, {parts.init[m], *last});
      const Term factor = calculus::custom_operation("exp", {difference}, difference->sort);
      for (Summand s : start) {
        s.factors.push_back(factor);
        out.push_back(s);
      }
    }
    for (const Summand& s : sums) {
      Summand whole = context;
      whole.ranges.insert(whole.ranges.end(), around.ranges.begin(), around.ranges.end());
      whole.ranges.insert(whole.ranges.end(), s.ranges.begin(), s.ranges.end());
      whole.guards.insert(whole.guards.end(), s.guards.begin(), s.guards.end());
      whole.factors.insert(whole.factors.end(), s.factors.begin(), s.factors.end());
      whole.coefficient *= s.coefficient;
      out.push_back(whole);
    }
    rules_.insert("rescaled sum");
    return true;
  }
  return false;
}

}  // namespace hallmark::validator
