#include "numerics/facts.h"

#include <algorithm>

#include "formulation/lane_order.h"
#include "formulation/round_constant.h"
#include "numerics/fold_steps.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

const std::vector<Op> maxima{Op::max, Op::maximum, Op::maxnum};

bool is_one_of(Op op, const std::vector<Op>& operations) {
  return std::find(operations.begin(), operations.end(), op) != operations.end();
}

bool mentions(Term a, Term leaf) {
  bool found = false;
  for_each_node(a, [&](Term node) { found = found || node == leaf; });
  return found;
}

// The start value that does not change a reduction: 0 for a sum, the lowest for a maximum.
bool is_neutral(Op op, Term init) {
  if (op == Op::add) return init->kind == Kind::constant && init->value == 0 && init->bits == 0;
  if (init->kind == Kind::extreme) return init->number < 0;
  return init->kind == Kind::constant && init->sort.kind == Sort::Kind::floating &&
         init->sort.format != Format::f8e4m3 &&
         init->bits == formulation::infinity_bits(-1, init->sort.format);
}

bool is_zero(Term a) {
  return a->kind == Kind::constant && a->value == 0 && a->bits == 0;
}

// A value of `variable` for which the pattern could be `a`: where they part, the pattern has the variable.
Term candidate(Term pattern, Term variable, Term a) {
  if (pattern == variable) return a;
  if (pattern == a || pattern->kind != a->kind || pattern->children.size() != a->children.size()) {
    // i + k against i + c: an affine pattern with coefficient one.
    Term coefficient = nullptr, rest = nullptr;
    if (pattern->sort == Sort::index() && a->sort == Sort::index() &&
        affine_in(pattern, variable, coefficient, rest) && as_integer(coefficient) != nullptr &&
        *as_integer(coefficient) == 1)
      return subtract(a, rest);
    return nullptr;
  }
  if (pattern->kind == Kind::polynomial) {
    Term coefficient = nullptr, rest = nullptr;
    if (affine_in(pattern, variable, coefficient, rest) && as_integer(coefficient) != nullptr &&
        *as_integer(coefficient) == 1)
      return subtract(a, rest);
    return nullptr;
  }
  if (pattern->kind == Kind::fold) return nullptr;
  for (std::size_t i = 0; i < pattern->children.size(); ++i)
    if (pattern->children[i] != a->children[i])
      if (Term found = candidate(pattern->children[i], variable, a->children[i]); found != nullptr)
        return found;
  return nullptr;
}

bool is_exponential(Term a) {
  return a->kind == Kind::operation &&
         (a->op == Op::exp || (a->op == Op::custom && a->name.rfind("exp_", 0) == 0));
}

}  // namespace

namespace {

// Whether lanes are put together by adding them: here it decides whether a total can be below a part.
bool adds_its_lanes(Term fold) {
  if (fold->kind != Kind::fold || fold->size != 1) return false;
  const FoldParts parts = open(fold);
  return !formulation::may_combine(parts) || formulation::combines_by(parts, 0, Op::add);
}

}  // namespace

bool never_below_its_terms(Term fold) {
  if (!adds_its_lanes(fold)) return false;
  const std::function<bool(const Order*)> cuts = [&](const Order* order) {
    return order != nullptr && (order->kind == Order::Kind::mma || cuts(order->inner) || cuts(order->outer));
  };
  bool all = true;
  for_each_node(fold, [&](Term node) {
    if (node->kind == Kind::fold) all = all && !cuts(node->order);
    if (node->kind == Kind::operation && node->op != Op::custom)
      all = all && !node->flush_subnormals &&
            (node->rounding == Rounding::none || node->rounding == Rounding::nearest);
  });
  return all;
}

std::optional<Family> Facts::family(Term fold, const std::vector<Op>& operations) {
  Family out;
  out.fold = fold;
  std::vector<Term> guards;
  std::vector<FoldParts> levels;
  Term step = fold, state = nullptr, start = nullptr;
  while (step->kind == Kind::fold) {
    if (step->size != 1) return std::nullopt;
    const FoldParts parts = open(step);
    if (state == nullptr)
      start = parts.init[0];
    else if (parts.init[0] != state || mentions(parts.guard, state) || mentions(parts.extent, state) ||
             mentions(parts.step[0], state))
      return std::nullopt;
    out.variables.push_back(parts.variable);
    out.extents.push_back(parts.extent);
    guards.push_back(parts.guard);
    state = parts.states[0];
    step = parts.step[0];
    if (formulation::may_combine(parts)) levels.push_back(parts);
  }
  if (state == nullptr || step->kind != Kind::operation || !is_one_of(step->op, operations))
    return std::nullopt;
  if (!is_neutral(step->op, start)) {
    // A sentinel: a maximum is at least its members all the same.
    if (!is_one_of(step->op, maxima) || infinite_start(start) != 0) return std::nullopt;
    out.start = start;
  }
  for (const FoldParts& parts : levels)
    if (!formulation::combines_by(parts, 0, step->op)) return std::nullopt;
  out.guard = conjunction(guards);
  if (mentions(out.guard, state)) return std::nullopt;
  for (const std::size_t side : {0, 1})
    if (step->children[side] == state && !mentions(step->children[1 - side], state)) {
      out.body = step->children[1 - side];
      // A maximum of maxima is one maximum over all of them.
      if (operations == maxima && out.body->kind == Kind::fold) {
        const auto inner = family(out.body, operations);
        if (inner && inner->start == nullptr) {
          out.variables.insert(out.variables.end(), inner->variables.begin(), inner->variables.end());
          out.extents.insert(out.extents.end(), inner->extents.begin(), inner->extents.end());
          out.guard = both(out.guard, inner->guard);
          out.body = inner->body;
        }
      }
      return out;
    }
  return std::nullopt;
}

Term Facts::resolve(Term a) const {
  if (a->kind != Kind::load) return a;
  const Definition* definition = find_definition(program_, a->name);
  if (definition == nullptr || definition->body->sort != a->sort) return a;
  return instantiate(definition->body, a->children);
}

Term Facts::resolve_exact(Term a) const {
  const auto converts = [](Term t) {
    return t->kind == Kind::cast && t->sort.kind == Sort::Kind::floating &&
           t->children[0]->sort.kind == Sort::Kind::floating && t->sort != t->children[0]->sort;
  };
  while (true) {
    if (converts(a)) {
      a = a->children[0];
      continue;
    }
    if (a->kind != Kind::load) return a;
    const Definition* definition = find_definition(program_, a->name);
    if (definition == nullptr) return a;
    a = instantiate(definition->body, a->children);
  }
}

std::optional<Maximum> Facts::maximum(Term m) const {
  Maximum out;
  std::vector<Term> open_terms{m};
  bool found = false;
  while (!open_terms.empty()) {
    Term next = open_terms.back();
    open_terms.pop_back();
    next = resolve(next);
    if (next->kind == Kind::operation && is_one_of(next->op, maxima)) {
      open_terms.insert(open_terms.end(), next->children.begin(), next->children.end());
    } else if (const auto one = family(next, maxima); one && !found) {
      found = true;
      out.family = *one;
      if (one->start != nullptr) out.others.push_back(one->start);
    } else {
      out.others.push_back(next);
    }
  }
  if (!found) return std::nullopt;
  return out;
}

bool Facts::is_member(const Family& f, Term a) const {
  Substitution at;
  for (Term variable : f.variables) {
    const Term t = mentions(f.body, variable) ? candidate(f.body, variable, a) : integer(0L);
    if (t == nullptr || t->sort != Sort::index()) return false;
    at[variable] = t;
  }
  if (substitute(f.body, at) != a) return false;
  for (std::size_t i = 0; i < f.variables.size(); ++i)
    if (!scope_.inside(at.at(f.variables[i]), substitute(f.extents[i], at))) return false;
  // Under a guard only where it is known to hold.
  return scope_.truth(substitute(f.guard, at)).is_true();
}

bool Facts::difference_is_nonpositive(Term a, Term m) const {
  // max(a, ...) itself.
  if (const Term whole = resolve(m); whole->kind == Kind::operation && is_one_of(whole->op, maxima))
    for (Term operand : whole->children)
      if (operand == a) return true;
  const auto found = maximum(m);
  if (!found) return false;
  for (const Term member : {a, resolve(a)}) {
    if (is_member(found->family, member)) return true;
    if (std::find(found->others.begin(), found->others.end(), member) != found->others.end()) return true;
  }
  return false;
}

std::optional<Maximum> Facts::maximum_of_shifted_exponential(const Family& sum) const {
  Term term = resolve(sum.body), where = sum.guard;
  if (term->kind == Kind::select && is_zero(term->children[2])) {
    where = both(where, term->children[0]);
    term = term->children[1];
  } else if (term->kind == Kind::select && is_zero(term->children[1])) {
    where = both(where, negation(term->children[0]));
    term = term->children[2];
  }
  if (!is_exponential(term)) return std::nullopt;
  const Term argument = term->children[0];
  if (argument->kind != Kind::operation || argument->op != Op::sub) return std::nullopt;
  const Term a = argument->children[0], m = argument->children[1];
  for (Term variable : sum.variables)
    if (mentions(m, variable)) return std::nullopt;
  auto found = maximum(m);
  if (!found) return std::nullopt;
  const Family& f = found->family;
  if (f.variables.size() != sum.variables.size()) return std::nullopt;
  Substitution at;
  for (std::size_t i = 0; i < f.variables.size(); ++i) at[f.variables[i]] = sum.variables[i];
  for (std::size_t i = 0; i < f.variables.size(); ++i)
    if (substitute(f.extents[i], at) != sum.extents[i]) return std::nullopt;
  if (substitute(f.guard, at) != where) return std::nullopt;
  found->where = where;
  found->exponential = term;
  for (const Term member : {a, resolve(a)})
    if (substitute(f.body, at) == member) return found;
  return std::nullopt;
}

std::optional<Family> Facts::mean(
    Term m, const std::function<ConstantValues(const std::string&)>& constants_of) const {
  if (m->kind != Kind::load) return std::nullopt;
  const Term quotient = resolve(m);
  if (quotient->kind != Kind::operation || quotient->op != Op::div) return std::nullopt;
  const auto found = family(quotient->children[0], {Op::add});
  if (!found || found->guard->kind != Kind::truth || found->guard->number == 0) return std::nullopt;
  Rational count = 1;
  for (Term extent : found->extents) {
    const Integer* value = as_integer(extent);
    if (value == nullptr) return std::nullopt;
    count *= Rational(*value);
  }
  const Term divisor = quotient->children[1];
  std::optional<Rational> exact;
  if (divisor->kind == Kind::from_index && as_integer(divisor->children[0]) != nullptr)
    exact = Rational(*as_integer(divisor->children[0]));
  if (divisor->kind == Kind::constant && divisor->sort.kind == Sort::Kind::floating) {
    const ConstantValues meant = constants_of ? constants_of(m->name) : ConstantValues{};
    const auto at = meant.find({divisor->sort.format, divisor->bits});
    exact = at != meant.end() ? at->second : formulation::exact_value(divisor->bits, divisor->sort.format);
  }
  if (!exact || *exact != count) return std::nullopt;
  return found;
}

namespace {

// t of a square, written t * t or t to the power 2.
Term root_of_square(Term a) {
  if (a->kind != Kind::operation) return nullptr;
  if (a->op == Op::mul && a->children[0] == a->children[1]) return a->children[0];
  if (a->op == Op::pow && a->children[1]->kind == Kind::constant && a->children[1]->sort == Sort::real() &&
      a->children[1]->value == 2)
    return a->children[0];
  return nullptr;
}

bool is_one(Term a) {
  if (a->kind != Kind::constant) return false;
  if (a->sort.kind != Sort::Kind::floating) return a->value == 1;
  const auto value = formulation::exact_value(a->bits, a->sort.format);
  return value && *value == 1;
}

}  // namespace

std::optional<Family> Facts::sum_of_squares(Term s) const {
  if (auto sum = family(s, {Op::add})) {
    const Term root = root_of_square(resolve(sum->body));
    if (root == nullptr) return std::nullopt;
    sum->body = root;
    return sum;
  }
  // fma(t, t, state) over one range.
  if (s->kind != Kind::fold || s->size != 1) return std::nullopt;
  const FoldParts parts = open(s);
  const Term step = parts.step[0], state = parts.states[0];
  if (step->kind != Kind::operation || step->op != Op::fma || step->children[2] != state ||
      step->children[0] != step->children[1] || mentions(step->children[0], state) ||
      mentions(parts.guard, state) || !is_neutral(Op::add, parts.init[0]) || !adds_its_lanes(s))
    return std::nullopt;
  Family out;
  out.fold = s;
  out.variables = {parts.variable};
  out.extents = {parts.extent};
  out.guard = parts.guard;
  out.body = step->children[0];
  return out;
}

std::optional<Deviation> Facts::deviation(Term d, Term b, bool reciprocal) const {
  Deviation out;
  const auto enter = [&](Term a, Op op) {
    a = resolve(a);
    if (a->kind != Kind::operation || a->op != op) return Term(nullptr);
    out.operations.push_back(a);
    return a;
  };
  if (reciprocal) {
    const Term quotient = enter(b, Op::div);
    if (quotient == nullptr || !is_one(quotient->children[0])) return std::nullopt;
    b = quotient->children[1];
  }
  out.divisor = b;
  // Through a maximum, which is at least either operand; through a sum with what may not be negative.
  const auto is_maximum = [](Term a) {
    return a->kind == Kind::operation && is_one_of(a->op, maxima) && a->children.size() == 2;
  };
  const auto side_with_root = [&](Term a) {
    for (const std::size_t side : {0, 1}) {
      const Term one = resolve(a->children[side]);
      if (one->kind == Kind::operation && one->op == Op::sqrt) return static_cast<int>(side);
    }
    return -1;
  };
  if (const Term outer = resolve(b);
      is_maximum(outer) || (outer->kind == Kind::operation && outer->op == Op::add)) {
    const int side = side_with_root(outer);
    if (side < 0) return std::nullopt;
    if (outer->op == Op::add) {
      out.operations.push_back(outer);
      out.added = outer->children[static_cast<std::size_t>(1 - side)];
    }
    b = outer->children[static_cast<std::size_t>(side)];
  }
  const Term root = enter(b, Op::sqrt);
  if (root == nullptr) return std::nullopt;
  std::vector<Term> radicands{root->children[0]};
  if (const Term inner = resolve(root->children[0]); is_maximum(inner)) radicands = inner->children;
  const std::vector<Term> outside = out.operations;
  for (const Term radicand : radicands) {
    std::vector<std::pair<Term, Term>> sides{{radicand, nullptr}};  // S or S / count, and the offset
    if (const Term sum = resolve(radicand); sum->kind == Kind::operation && sum->op == Op::add)
      sides = {{sum->children[0], sum->children[1]}, {sum->children[1], sum->children[0]}};
    for (const auto& [mean, offset] : sides) {
      const Term quotient = resolve(mean);
      const bool divided = quotient->kind == Kind::operation && quotient->op == Op::div;
      const Term total = divided ? resolve(quotient->children[0]) : quotient;
      const auto squares = sum_of_squares(total);
      if (!squares) continue;
      bool member = false;
      for (const Term one : {d, resolve(d)}) member = member || is_member(*squares, one);
      if (!member) continue;
      out.operations = outside;
      if (offset != nullptr) out.operations.push_back(resolve(radicand));
      if (divided) out.operations.push_back(quotient);
      out.operations.push_back(total);
      out.radicand = radicand;
      out.count = divided ? quotient->children[1] : nullptr;
      out.offset = offset;
      return out;
    }
  }
  return std::nullopt;
}

std::optional<Family> Facts::sum_with_term(Term a, Term s) const {
  const auto found = family(resolve(s), {Op::add});
  if (!found) return std::nullopt;
  for (const Term member : {a, resolve(a)})
    if (is_member(*found, member)) return found;
  return std::nullopt;
}

}  // namespace hallmark::numerics
