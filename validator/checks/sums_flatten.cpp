// Sums and extrema taken apart into summands.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "validator/checks/sums_terms.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

constexpr std::size_t list_limit = 5000;
constexpr long step_limit = 20000;
constexpr long few_steps = 8;

// A sum with a sum or extremum inside that is the same at every point.
bool is_long_sum(Term term) {
  bool closed = false;
  calculus::for_each_node(term,
                          [&](Term node) { closed = closed || (node->kind == Kind::fold && !node->open); });
  if (!closed) return false;
  if (term->kind == Kind::fold) return !term->open;
  return term->kind == Kind::operation &&
         (term->op == Op::add || term->op == Op::sub || term->op == Op::fma ||
          (term->op == Op::custom &&
           (term->name == "contractible.float_add" || term->name == "contractible.float_sub")));
}

}  // namespace

// 1 / (c * a * b) = 1/c * 1/a * 1/b, also where one of them is 0 (1/0 = 0).
void SumMatcher::divide(Summand& s, Term below, const Scope& scope) {
  List divisor;
  flatten(below, Summand{}, scope, divisor);
  if (divisor.size() != 1 || divisor[0].coefficient == 0 || !divisor[0].ranges.empty() ||
      !divisor[0].guards.empty()) {
    s.factors.push_back(calculus::custom_operation("1/", {below}, below->sort));
    return;
  }
  s.coefficient /= divisor[0].coefficient;
  for (Term factor : divisor[0].factors) {
    if (factor->kind == Kind::operation && factor->op == Op::custom && factor->name == "1/")
      s.factors.push_back(factor->children[0]);
    else
      s.factors.push_back(calculus::custom_operation("1/", {factor}, factor->sort));
  }
}

// What the product has above its divisors.
void SumMatcher::take_factors(Term term, Summand& context, const Scope& scope, std::vector<Term>& above) {
  const bool product =
      term->kind == Kind::operation &&
      (term->op == Op::mul || (term->op == Op::custom && term->name == "contractible.float_mul"));
  if (integers_ || stays_closed(term)) {
    above.push_back(term);
  } else if (product) {
    for (Term child : term->children) take_factors(child, context, scope, above);
  } else if (term->kind == Kind::cast && term->sort.kind == Sort::Kind::floating &&
             term->children[0]->sort.kind == Sort::Kind::floating) {
    take_factors(term->children[0], context, scope, above);
  } else if (term->kind == Kind::operation && term->op == Op::div) {
    divide(context, term->children[1], scope);
    take_factors(term->children[0], context, scope, above);
  } else {
    above.push_back(term);
  }
}

void SumMatcher::flatten_product(const std::vector<Term>& factors, const Summand& context, const Scope& scope,
                                 List& out) {
  Summand base = context;
  std::vector<Term> parts;
  for (Term factor : factors) take_factors(factor, base, scope, parts);
  // One sum among the factors is linear in what it adds up; of two, each has to stay whole.
  const bool keep = !integers_ && keep_ == Keep::products;
  const bool two = keep && std::count_if(parts.begin(), parts.end(), is_long_sum) > 1;
  List now{base};
  for (Term part : parts) {
    if (keep && (two || part->open) && is_long_sum(part)) {
      kept_ = true;
      for (Summand& s : now) s.factors.push_back(part);
      continue;
    }
    List next;
    for (const Summand& s : now) flatten(part, s, scope, next);
    now = std::move(next);
  }
  // A product with a sum of nothing, or with 0, is 0 only where the other factors have values.
  if (!integers_ && std::none_of(now.begin(), now.end(),
                                 [&](const Summand& s) { return always_there(s, context, scope); })) {
    Summand nothing = context;
    nothing.coefficient = 0;
    nothing.factors.assign(base.factors.begin() + static_cast<std::ptrdiff_t>(context.factors.size()),
                           base.factors.end());
    nothing.factors.insert(nothing.factors.end(), parts.begin(), parts.end());
    if (!may_vanish(nothing, scope)) now.push_back(nothing);
  }
  out.insert(out.end(), now.begin(), now.end());
}

void SumMatcher::flatten_integer(Term term, const Summand& context, const Scope& scope, List& out) {
  for (const calculus::Monomial& m : calculus::monomials(term)) {
    Summand base = context;
    base.coefficient *= Rational(m.coefficient);
    if (m.product == nullptr) {
      out.push_back(base);
      continue;
    }
    const std::vector<Term> factors = factors_of(m.product);
    if (factors.size() > 1) {
      flatten_product(factors, base, scope, out);
      continue;
    }
    const Term atom = factors[0];
    if (atom->kind == Kind::to_index && atom->children[0]->kind == Kind::from_index && width_ != 0 &&
        atom->children[0]->sort.kind == Sort::Kind::integer &&
        calculus::storage_bits(atom->children[0]->sort.format) >= width_) {
      flatten(atom->children[0]->children[0], base, scope, out);
    } else if (atom->kind == Kind::index_select && !compares_floats(atom->children[0])) {
      for (int arm = 0; arm < 2; ++arm) {
        Summand s = base;
        s.guards.push_back(arm == 0 ? atom->children[0] : calculus::negation(atom->children[0]));
        flatten(atom->children[static_cast<std::size_t>(arm) + 1], s, scope, out);
      }
    } else if (atom->kind != Kind::fold || !flatten_fold(atom, base, scope, out)) {
      base.factors.push_back(atom);
      out.push_back(base);
    }
  }
}

bool SumMatcher::stays_closed(Term term) const {
  return !integers_ && keep_ != Keep::nothing && (in_step_ || at_point_) && !term->open && has_fold(term);
}

void SumMatcher::flatten(Term term, const Summand& context, const Scope& scope, List& out) {
  if (out.size() > list_limit || ++steps_ > step_limit)
    throw Refusal("E4011", "a sum with too many summands to be compared");
  if (integers_) return flatten_integer(term, context, scope, out);
  Summand s = context;
  if (stays_closed(term)) {
    kept_ = true;
    s.factors.push_back(term);
    out.push_back(s);
    return;
  }
  switch (term->kind) {
    case Kind::constant:
      if (const auto value = real_value(term)) {
        s.coefficient *= *value;
        if (s.coefficient != 0) out.push_back(s);
        return;
      }
      break;
    case Kind::cast:
      if (term->children[0]->sort.kind == Sort::Kind::floating && term->sort.kind == Sort::Kind::floating)
        return flatten(term->children[0], context, scope, out);
      break;
    case Kind::from_index:
      if (const Integer* number = calculus::as_integer(term->children[0])) {
        s.coefficient *= Rational(*number);
        if (s.coefficient != 0) out.push_back(s);
        return;
      }
      break;
    case Kind::select:
      if (compares_floats(term->children[0])) break;
      for (int arm = 0; arm < 2; ++arm) {
        Summand part = context;
        part.guards.push_back(arm == 0 ? term->children[0] : calculus::negation(term->children[0]));
        flatten(term->children[static_cast<std::size_t>(arm) + 1], part, scope, out);
      }
      return;
    case Kind::fold:
      if (extremum_of(term) == Extremum::none &&
          (flatten_fold(term, context, scope, out) || flatten_running(term, context, scope, out)))
        return;
      break;
    case Kind::operation:
      switch (term->op) {
        case Op::add:
          flatten(term->children[0], context, scope, out);
          return flatten(term->children[1], context, scope, out);
        case Op::neg:
        case Op::sub:
          if (term->op == Op::sub) flatten(term->children[0], context, scope, out);
          s.coefficient *= -1;
          return flatten(term->children.back(), s, scope, out);
        case Op::mul:
        case Op::div:
          return flatten_product({term}, context, scope, out);
        case Op::fma:
          flatten_product({term->children[0], term->children[1]}, context, scope, out);
          return flatten(term->children[2], context, scope, out);
        case Op::reciprocal:
        case Op::rsqrt: {
          Term below = term->children.back();
          if (term->op == Op::rsqrt) below = calculus::custom_operation("sqrt", {below}, below->sort);
          divide(s, below, scope);
          out.push_back(s);
          return;
        }
        case Op::custom:
          // Over the reals it does not matter what the assembler contracts.
          if (term->name == "contractible.float_add" || term->name == "contractible.float_sub") {
            flatten(term->children[0], context, scope, out);
            if (term->name == "contractible.float_sub") s.coefficient *= -1;
            return flatten(term->children[1], s, scope, out);
          }
          if (term->name == "contractible.float_mul") return flatten_product({term}, context, scope, out);
          if (function_name(term) == "rsqrt") {
            s.factors.push_back(calculus::custom_operation(
                "1/", {calculus::custom_operation("sqrt", {term->children[0]}, term->sort)}, term->sort));
            out.push_back(s);
            return;
          }
          break;
        default:
          break;
      }
      break;
    default:
      break;
  }
  s.factors.push_back(term);
  out.push_back(s);
}

// Removes the summands that are the running value alone: together they have to be that value once.
bool SumMatcher::take_state(List& step, Term state, const Scope& scope) {
  std::vector<Term> conditions;
  List rest;
  for (const Summand& s : step) {
    if (!mentions(s, state)) {
      rest.push_back(s);
      continue;
    }
    if (!s.ranges.empty() || s.coefficient != 1 || s.factors != std::vector<Term>{state}) return false;
    for (Term g : s.guards)
      if (mentions(g, state)) return false;
    conditions.push_back(calculus::conjunction(s.guards));
  }
  if (conditions.empty()) return false;
  if (conditions.size() > 16 || !prover_.rely(scope, calculus::disjunction(conditions))) return false;
  for (std::size_t i = 0; i < conditions.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!prover_.rely(scope, calculus::negation(calculus::both(conditions[i], conditions[j]))))
        return false;
  step = std::move(rest);
  return true;
}

calculus::FoldParts SumMatcher::opened(Term fold) {
  calculus::FoldParts parts = calculus::open(fold);
  for (Term state : parts.states) defined_.opened(state, fold);
  return parts;
}

bool SumMatcher::flatten_fold(Term fold, const Summand& context, const Scope& scope, List& out) {
  const calculus::FoldParts parts = opened(fold);
  const std::size_t which = static_cast<std::size_t>(fold->which);
  // Other orders start each of their parts from the start value.
  if (fold->order->kind != calculus::Order::Kind::seq && fold->order->kind != calculus::Order::Kind::any)
    return false;
  for (std::size_t j = 0; j < parts.states.size(); ++j)
    if (j != which && mentions(parts.step[which], parts.states[j]))
      return !integers_ && flatten_rescaled(fold, context, scope, out);
  Summand around;
  around.ranges.emplace_back(parts.variable, parts.extent);
  if (parts.guard != nullptr && parts.guard != calculus::truth(true)) around.guards.push_back(parts.guard);
  const Scope within = inside(inside(scope, context), around);
  List step;
  const bool outside = std::exchange(in_step_, true);
  flatten(parts.step[which], Summand{}, within, step);
  in_step_ = outside;
  if (!take_state(step, parts.states[which], within)) return false;
  if (integers_ ? parts.init[which] != calculus::integer(0) : true)
    flatten(parts.init[which], context, scope, out);
  for (const Summand& s : step) {
    Summand whole = context;
    whole.ranges.insert(whole.ranges.end(), around.ranges.begin(), around.ranges.end());
    whole.guards.insert(whole.guards.end(), around.guards.begin(), around.guards.end());
    whole.ranges.insert(whole.ranges.end(), s.ranges.begin(), s.ranges.end());
    whole.guards.insert(whole.guards.end(), s.guards.begin(), s.guards.end());
    whole.factors.insert(whole.factors.end(), s.factors.begin(), s.factors.end());
    whole.coefficient *= s.coefficient;
    out.push_back(whole);
  }
  return true;
}

SumMatcher::Extremum SumMatcher::extremum_of(Term term) {
  if (term->kind == Kind::fold) {
    if (term->size != 1) return Extremum::none;
    const calculus::FoldParts parts = calculus::open(term);
    Term step = parts.step[0];
    // A guarded step.
    while (step->kind == Kind::select || step->kind == Kind::index_select) {
      if (step->kind == Kind::index_select && extremum_of(step) != Extremum::none) return extremum_of(step);
      step = step->children[1] == parts.states[0] ? step->children[2] : step->children[1];
    }
    const bool numbers = step->kind == Kind::index_max || step->kind == Kind::index_min;
    return numbers || step->kind == Kind::operation ? extremum_of(step) : Extremum::none;
  }
  if (term->kind == Kind::index_max) return Extremum::maximum;
  if (term->kind == Kind::index_min) return Extremum::minimum;
  // a <= b ? b : a, and a < b ? b : a.
  if (term->kind == Kind::index_select && term->children[0]->kind == Kind::at_most_zero) {
    const Term p = term->children[1], q = term->children[2], least = term->children[0]->children[0];
    const Term difference = calculus::subtract(q, p);
    if (least == difference || least == calculus::add(difference, calculus::integer(1)))
      return Extremum::maximum;
    const Term opposite = calculus::subtract(p, q);
    if (least == opposite || least == calculus::add(opposite, calculus::integer(1))) return Extremum::minimum;
  }
  if (term->kind == Kind::select && term->children[0]->kind == Kind::compare &&
      (term->children[0]->op == Op::lt || term->children[0]->op == Op::le)) {
    const Term a = term->children[0]->children[0], b = term->children[0]->children[1];
    if (term->children[1] == b && term->children[2] == a) return Extremum::maximum;
    if (term->children[1] == a && term->children[2] == b) return Extremum::minimum;
  }
  if (term->kind != Kind::operation) return Extremum::none;
  switch (term->op) {
    case Op::max:
    case Op::maximum:
    case Op::maxnum:
      return Extremum::maximum;
    case Op::min:
    case Op::minimum:
    case Op::minnum:
      return Extremum::minimum;
    default:
      return Extremum::none;
  }
}

void SumMatcher::flatten_extremum(Term term, Extremum which, const Summand& context, const Scope& scope,
                                  List& out) {
  if (out.size() > list_limit || ++steps_ > step_limit)
    throw Refusal("E4011", "an extremum over too many terms to be compared");
  if (is_infinity(term, which == Extremum::maximum)) {
    neutral_seen_ = true;
    return;
  }
  if (term->kind == Kind::cast && term->sort.kind == Sort::Kind::floating &&
      term->children[0]->sort.kind == Sort::Kind::floating)
    return flatten_extremum(term->children[0], which, context, scope, out);
  const bool chooses = term->kind == Kind::select || term->kind == Kind::index_select;
  if (chooses && !compares_floats(term->children[0]) &&
      !(term->kind == Kind::index_select && extremum_of(term) == which)) {
    for (int arm = 0; arm < 2; ++arm) {
      Summand s = context;
      s.guards.push_back(arm == 0 ? term->children[0] : calculus::negation(term->children[0]));
      flatten_extremum(term->children[static_cast<std::size_t>(arm) + 1], which, s, scope, out);
    }
    return;
  }
  if (extremum_of(term) == which && term->kind == Kind::fold) {
    const calculus::FoldParts parts = opened(term);
    Summand around;
    around.ranges.emplace_back(parts.variable, parts.extent);
    if (parts.guard != nullptr && parts.guard != calculus::truth(true)) around.guards.push_back(parts.guard);
    List step;
    const Scope within = inside(inside(scope, context), around);
    flatten_extremum(parts.step[0], which, Summand{}, within, step);
    // The running value stands in every step: a step that drops it is no extremum of all.
    if (take_state(step, parts.states[0], within)) {
      flatten_extremum(parts.init[0], which, context, scope, out);
      // Of few steps each by itself, so that it joins lanes of its kind.
      const Integer* few = calculus::as_integer(parts.extent);
      if (few != nullptr && *few <= few_steps && around.guards.empty()) {
        for (long k = 0; *few > k; ++k)
          for (const Summand& s : step) {
            const Summand there = substituted(s, {{parts.variable, calculus::integer(k)}});
            Summand whole = context;
            whole.ranges.insert(whole.ranges.end(), there.ranges.begin(), there.ranges.end());
            whole.guards.insert(whole.guards.end(), there.guards.begin(), there.guards.end());
            whole.factors = there.factors;
            out.push_back(whole);
          }
        return;
      }
      for (const Summand& s : step) {
        Summand whole = context;
        whole.ranges.insert(whole.ranges.end(), around.ranges.begin(), around.ranges.end());
        whole.guards.insert(whole.guards.end(), around.guards.begin(), around.guards.end());
        whole.ranges.insert(whole.ranges.end(), s.ranges.begin(), s.ranges.end());
        whole.guards.insert(whole.guards.end(), s.guards.begin(), s.guards.end());
        whole.factors = s.factors;
        out.push_back(whole);
      }
      return;
    }
  } else if (extremum_of(term) == which) {
    for (std::size_t i = chooses ? 1 : 0; i < term->children.size(); ++i)
      flatten_extremum(term->children[i], which, context, scope, out);
    return;
  }
  Summand s = context;
  s.factors = {term};
  out.push_back(s);
}

}  // namespace hallmark::validator
