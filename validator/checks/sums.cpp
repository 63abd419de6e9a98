#include "validator/checks/sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "validator/checks/match.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

constexpr std::size_t list_limit = 5000;
constexpr long step_limit = 20000;
constexpr int depth_limit = 40;

struct Nested {
  explicit Nested(int& depth) : depth_(depth) { ++depth_; }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  int& depth_;
};

bool mentions(Term term, Term leaf) {
  if (!term->open) return false;
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node == leaf; });
  return found;
}

bool mentions(const Summand& summand, Term leaf) {
  const auto in = [&](Term t) { return mentions(t, leaf); };
  return std::any_of(summand.factors.begin(), summand.factors.end(), in) ||
         std::any_of(summand.guards.begin(), summand.guards.end(), in) ||
         std::any_of(summand.ranges.begin(), summand.ranges.end(),
                     [&](const auto& r) { return in(r.second); });
}

Term index_of(Term load) {
  return load->children.at(0);
}

// Loads inside the factors, in order of appearance.
std::vector<Term> loads_of(const std::vector<Term>& factors) {
  std::vector<Term> out;
  for (Term factor : factors)
    calculus::for_each_node(factor, [&](Term node) {
      if (node->kind == Kind::load && node->children.size() == 1) out.push_back(node);
    });
  return out;
}

// The name under which a function of the reals is known on both sides; empty: none.
std::string function_name(Term t) {
  if (t->kind != Kind::operation) return "";
  if (t->op != Op::custom) return std::string(calculus::name(t->op));
  std::string name = t->name;
  static const std::set<std::string> known{
      "exp",   "log",   "sin",   "cos", "tan",  "asin", "acos",  "atan",  "sinh", "cosh",  "tanh",
      "asinh", "acosh", "atanh", "erf", "sqrt", "pow",  "rsqrt", "floor", "ceil", "trunc", "abs"};
  if (!name.empty() && name.back() == 'f' && known.count(name.substr(0, name.size() - 1)) != 0)
    name.pop_back();
  return known.count(name) != 0 ? name : t->name;
}

std::optional<Rational> real_value(Term constant) {
  if (constant->sort.kind != Sort::Kind::floating) return constant->value;
  const unsigned width = calculus::storage_bits(constant->sort.format);
  unsigned exponent_bits = 8;
  if (constant->sort.format == calculus::Format::f64) exponent_bits = 11;
  if (constant->sort.format == calculus::Format::f16) exponent_bits = 5;
  if (width != 16 && width != 32 && width != 64) return std::nullopt;
  const unsigned fraction_bits = width - 1 - exponent_bits;
  const std::uint64_t fraction = constant->bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t exponent =
      (constant->bits >> fraction_bits) & ((std::uint64_t{1} << exponent_bits) - 1);
  if (exponent == (std::uint64_t{1} << exponent_bits) - 1) return std::nullopt;  // infinity, NaN
  const long bias = (1L << (exponent_bits - 1)) - 1;
  Integer significand = from_u64(fraction);
  if (exponent != 0) significand += power_of_two(fraction_bits);
  const long power =
      (exponent == 0 ? 1 : static_cast<long>(exponent)) - bias - static_cast<long>(fraction_bits);
  Rational out(significand);
  if (power >= 0)
    out *= Rational(power_of_two(static_cast<unsigned>(power)));
  else
    out /= Rational(power_of_two(static_cast<unsigned>(-power)));
  return (constant->bits >> (width - 1)) != 0 ? Rational(-out) : out;
}

bool is_infinity(Term t, bool negative) {
  if (t->kind == Kind::extreme) return (t->number < 0) == negative;
  if (t->kind != Kind::constant || t->sort.kind != Sort::Kind::floating) return false;
  switch (t->sort.format) {
    case calculus::Format::f32:
      return t->bits == (negative ? 0xff800000u : 0x7f800000u);
    case calculus::Format::f64:
      return t->bits == (negative ? 0xfff0000000000000u : 0x7ff0000000000000u);
    case calculus::Format::f16:
      return t->bits == (negative ? 0xfc00u : 0x7c00u);
    default:
      return false;
  }
}

Summand substituted(const Summand& s, const calculus::Substitution& map) {
  Summand out = s;
  for (auto& [variable, extent] : out.ranges) {
    extent = calculus::substitute(extent, map);
    if (const auto found = map.find(variable); found != map.end()) variable = found->second;
  }
  for (Term& g : out.guards) g = calculus::substitute(g, map);
  for (Term& f : out.factors) f = calculus::substitute(f, map);
  return out;
}

// Ranges get names by position, so that summands of one shape become comparable.
Summand renamed(const Summand& s, const std::string& prefix) {
  calculus::Substitution map;
  for (std::size_t i = 0; i < s.ranges.size(); ++i)
    map[s.ranges[i].first] = calculus::variable(fmt::format("{}.{}", prefix, i));
  return substituted(s, map);
}

// --- Arithmetic progressions of summands.

// A term over `lane` that is `a` at 0 and `b` at 1, where the two differ in integer constants alone. `key`
// gets the first difference.
Term generalised(Term a, Term b, Term lane, Integer& key) {
  if (a == b) return a;
  if (a->sort == Sort::index() && b->sort == Sort::index()) {
    const Term difference = calculus::subtract(b, a);
    if (const Integer* d = calculus::as_integer(difference); d != nullptr) {
      if (key == 0) key = *d;
      return calculus::add(a, calculus::scale(*d, lane));
    }
    // Sums term by term: what they have in common stays, the rest is paired by coefficients.
    std::vector<calculus::Monomial> mine = calculus::monomials(a), other = calculus::monomials(b);
    if (mine.size() > 1 || other.size() > 1 || (mine.size() == 1 && mine[0].coefficient != 1)) {
      Term rest_a = a, rest_b = b, out = calculus::integer(0);
      for (const auto& m : mine) {
        if (m.product == nullptr) continue;
        for (auto o = other.begin(); o != other.end(); ++o) {
          if (o->product == nullptr || o->coefficient != m.coefficient) continue;
          const Term inner = generalised(m.product, o->product, lane, key);
          if (inner == nullptr) continue;
          out = calculus::add(out, calculus::scale(m.coefficient, inner));
          rest_a = calculus::subtract(rest_a, calculus::scale(m.coefficient, m.product));
          rest_b = calculus::subtract(rest_b, calculus::scale(m.coefficient, o->product));
          other.erase(o);
          break;
        }
      }
      const Integer *x = calculus::as_integer(rest_a), *y = calculus::as_integer(rest_b);
      if (x == nullptr || y == nullptr) return nullptr;
      if (key == 0) key = *y - *x;
      return calculus::add({out, calculus::integer(*x), calculus::scale(Integer(*y - *x), lane)});
    }
  }
  if (a->kind != b->kind || a->op != b->op || a->name != b->name || a->sort != b->sort ||
      a->children.size() != b->children.size() || a->children.empty() || a->kind == Kind::fold ||
      a->format != b->format || a->rounding != b->rounding || a->number != b->number)
    return nullptr;
  std::vector<Term> children;
  for (std::size_t i = 0; i < a->children.size(); ++i) {
    children.push_back(generalised(a->children[i], b->children[i], lane, key));
    if (children.back() == nullptr) return nullptr;
  }
  return calculus::rebuild(a, children);
}

std::optional<Summand> generalised(const Summand& a, const Summand& b, Term lane, Integer& key) {
  if (a.ranges.size() != b.ranges.size() || a.guards.size() != b.guards.size() ||
      a.factors.size() != b.factors.size() || a.coefficient != b.coefficient)
    return std::nullopt;
  Summand out = a;
  const auto each = [&](Term& into, Term other) {
    into = generalised(into, other, lane, key);
    return into != nullptr;
  };
  for (std::size_t i = 0; i < a.factors.size(); ++i)
    if (!each(out.factors[i], b.factors[i])) return std::nullopt;
  for (std::size_t i = 0; i < a.ranges.size(); ++i)
    if (a.ranges[i].first != b.ranges[i].first || !each(out.ranges[i].second, b.ranges[i].second))
      return std::nullopt;
  for (std::size_t i = 0; i < a.guards.size(); ++i)
    if (!each(out.guards[i], b.guards[i])) return std::nullopt;
  return out;
}

bool same_summand(const Summand& a, const Summand& b) {
  return a.ranges == b.ranges && a.guards == b.guards && a.coefficient == b.coefficient &&
         a.factors == b.factors;
}

}  // namespace

bool compares_floats(Term condition) {
  bool found = false;
  calculus::for_each_node(condition, [&](Term node) {
    found = found || node->kind == Kind::is_nan ||
            (node->kind == Kind::compare && node->children[0]->sort.kind != Sort::Kind::integer);
  });
  return found;
}

bool SumMatcher::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  return false;
}

// Variables of a comparison inside another one are others.
std::string SumMatcher::name(const char* side) const {
  return fmt::format("{}.{}", side, depth_);
}

Scope SumMatcher::inside(const Scope& scope, const Summand& summand) {
  std::vector<Term> facts;
  for (const auto& [variable, extent] : summand.ranges) facts.push_back(calculus::in_range(variable, extent));
  facts.insert(facts.end(), summand.guards.begin(), summand.guards.end());
  return Context::extend(scope, facts);
}

void SumMatcher::flatten_product(const std::vector<Term>& parts, const Summand& context, const Scope& scope,
                                 List& out) {
  List now{context};
  for (Term part : parts) {
    List next;
    for (const Summand& s : now) flatten(part, s, scope, next);
    now = std::move(next);
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

void SumMatcher::flatten(Term term, const Summand& context, const Scope& scope, List& out) {
  if (out.size() > list_limit || ++steps_ > step_limit)
    throw Refusal("E4011", "a sum with too many summands to be compared");
  if (integers_) return flatten_integer(term, context, scope, out);
  Summand s = context;
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
      if (extremum_of(term) == Extremum::none && flatten_fold(term, context, scope, out)) return;
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
          return flatten_product(term->children, context, scope, out);
        case Op::fma:
          flatten_product({term->children[0], term->children[1]}, context, scope, out);
          return flatten(term->children[2], context, scope, out);
        case Op::div:
        case Op::reciprocal:
        case Op::rsqrt: {
          Term below = term->children.back();
          if (term->op == Op::rsqrt) below = calculus::custom_operation("sqrt", {below}, below->sort);
          List divisor;
          flatten(below, Summand{}, scope, divisor);
          if (divisor.size() == 1 && divisor[0].ranges.empty() && divisor[0].guards.empty()) {
            // 1 / (c * a * b) = 1/c * 1/a * 1/b, also where one of them is 0 (1/0 = 0).
            s.coefficient /= divisor[0].coefficient;
            for (Term factor : divisor[0].factors) {
              if (factor->kind == Kind::operation && factor->op == Op::custom && factor->name == "1/")
                s.factors.push_back(factor->children[0]);
              else
                s.factors.push_back(calculus::custom_operation("1/", {factor}, factor->sort));
            }
          } else {
            s.factors.push_back(calculus::custom_operation("1/", {below}, below->sort));
          }
          if (term->op == Op::div) return flatten(term->children[0], s, scope, out);
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
          if (term->name == "contractible.float_mul")
            return flatten_product(term->children, context, scope, out);
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

bool SumMatcher::flatten_fold(Term fold, const Summand& context, const Scope& scope, List& out) {
  const calculus::FoldParts parts = calculus::open(fold);
  const std::size_t which = static_cast<std::size_t>(fold->which);
  // Other orders start each of their parts from the start value.
  if (fold->order->kind != calculus::Order::Kind::seq && fold->order->kind != calculus::Order::Kind::any)
    return false;
  for (std::size_t j = 0; j < parts.states.size(); ++j)
    if (j != which && mentions(parts.step[which], parts.states[j])) return false;
  Summand around;
  around.ranges.emplace_back(parts.variable, parts.extent);
  if (parts.guard != nullptr && parts.guard != calculus::truth(true)) around.guards.push_back(parts.guard);
  const Scope within = inside(inside(scope, context), around);
  List step;
  flatten(parts.step[which], Summand{}, within, step);
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
    while (step->kind == Kind::select)
      step = step->children[1] == parts.states[0] ? step->children[2] : step->children[1];
    return step->kind == Kind::operation ? extremum_of(step) : Extremum::none;
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
  if (term->kind == Kind::select && !compares_floats(term->children[0])) {
    for (int arm = 0; arm < 2; ++arm) {
      Summand s = context;
      s.guards.push_back(arm == 0 ? term->children[0] : calculus::negation(term->children[0]));
      flatten_extremum(term->children[static_cast<std::size_t>(arm) + 1], which, s, scope, out);
    }
    return;
  }
  if (extremum_of(term) == which && term->kind == Kind::fold) {
    const calculus::FoldParts parts = calculus::open(term);
    Summand around;
    around.ranges.emplace_back(parts.variable, parts.extent);
    if (parts.guard != nullptr && parts.guard != calculus::truth(true)) around.guards.push_back(parts.guard);
    List step;
    const Scope within = inside(inside(scope, context), around);
    flatten_extremum(parts.step[0], which, Summand{}, within, step);
    // The running value stands in every step: a step that drops it is no extremum of all.
    if (take_state(step, parts.states[0], within)) {
      flatten_extremum(parts.init[0], which, context, scope, out);
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
    const std::size_t first = term->kind == Kind::select ? 1 : 0;
    flatten_extremum(term->children[first], which, context, scope, out);
    flatten_extremum(term->children[first + 1], which, context, scope, out);
    return;
  }
  Summand s = context;
  s.factors = {term};
  out.push_back(s);
}

SumMatcher::List SumMatcher::merged(const List& list, bool same_ranges) const {
  List out;
  std::vector<bool> used(list.size(), false);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (used[i]) continue;
    used[i] = true;
    const Term lane = calculus::variable(fmt::format("lane.{}", list[i].ranges.size()));
    std::vector<std::pair<Integer, std::size_t>> group{{Integer(0), i}};
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      if (used[j] || (same_ranges && (list[j].ranges != list[i].ranges || list[j].guards != list[i].guards)))
        continue;
      Integer key = 0;
      if (!generalised(list[i], list[j], lane, key) || key == 0) continue;
      if (std::any_of(group.begin(), group.end(), [&](const auto& g) { return g.first == key; })) continue;
      group.emplace_back(key, j);
    }
    std::sort(group.begin(), group.end());
    Integer ignored = 0;
    std::optional<Summand> whole;
    if (group.size() > 1) whole = generalised(list[group[0].second], list[group[1].second], lane, ignored);
    bool ok = whole.has_value();
    for (std::size_t n = 0; n < group.size() && ok; ++n)
      ok = same_summand(substituted(*whole, {{lane, calculus::integer(static_cast<long>(n))}}),
                        list[group[n].second]);
    if (!ok) {
      out.push_back(list[i]);
      continue;
    }
    for (const auto& [key, index] : group) used[index] = true;
    whole->ranges.insert(whole->ranges.begin(), {lane, calculus::integer(static_cast<long>(group.size()))});
    out.push_back(renamed(*whole, name("sum")));
  }
  return out;
}

void SumMatcher::clean(List& list, const Scope& scope) {
  List out;
  for (Summand& s : list) {
    if (integers_ && width_ != 0 && s.coefficient.get_den() == 1) {
      Integer c = floor_mod(s.coefficient.get_num(), power_of_two(width_));
      if (c > power_of_two(width_ - 1)) c -= power_of_two(width_);
      s.coefficient = Rational(c);
    }
    if (s.coefficient == 0) continue;
    std::vector<Term> guards;
    for (Term g : s.guards)
      if (g != calculus::truth(true) && !scope->knows(g) &&
          std::find(guards.begin(), guards.end(), g) == guards.end())
        guards.push_back(g);
    s.guards = guards;
    std::sort(s.factors.begin(), s.factors.end(), calculus::TermLess{});
    const Scope here = inside(scope, s);
    if (here->contradictory()) continue;
    // Stated without them as hypotheses: a claim from contradictory hypotheses is worth nothing.
    std::vector<Term> facts = s.guards;
    for (const auto& [variable, extent] : s.ranges) facts.push_back(calculus::in_range(variable, extent));
    if (!facts.empty() && prover_.rely(scope, calculus::negation(calculus::conjunction(facts)))) continue;
    out.push_back(renamed(s, name("sum")));
  }
  // Constants add up.
  if (std::count_if(out.begin(), out.end(), [](const Summand& s) {
        return s.ranges.empty() && s.guards.empty() && s.factors.empty();
      }) > 1) {
    Summand constant;
    constant.coefficient = 0;
    List rest;
    for (const Summand& s : out) {
      if (s.ranges.empty() && s.guards.empty() && s.factors.empty())
        constant.coefficient += s.coefficient;
      else
        rest.push_back(s);
    }
    if (constant.coefficient != 0) rest.push_back(constant);
    out = rest;
  }
  join_opposites(out);
  out = merged(merged(out, true), false);
  drop_implied_guards(out, scope);
  join_opposites(out);
  list = merged(merged(out, true), false);
  if (list.size() == out.size()) return;
  drop_implied_guards(list, scope);
  join_opposites(list);
  list = merged(list, false);
}

// Two summands that differ in one guard and its opposite are one without it.
void SumMatcher::join_opposites(List& list) {
  if (list.size() > 1000) return;
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = 0; i < list.size() && !progress; ++i)
      for (std::size_t j = i + 1; j < list.size() && !progress; ++j) {
        const Summand &a = list[i], &b = list[j];
        if (a.guards.size() != b.guards.size() || a.ranges != b.ranges || a.coefficient != b.coefficient ||
            a.factors != b.factors)
          continue;
        std::vector<Term> common;
        Term odd = nullptr;
        std::size_t different = 0;
        for (Term g : a.guards) {
          if (std::find(b.guards.begin(), b.guards.end(), g) != b.guards.end())
            common.push_back(g);
          else
            odd = g, ++different;
        }
        if (different != 1 || common.size() + 1 != b.guards.size() ||
            std::find(b.guards.begin(), b.guards.end(), calculus::negation(odd)) == b.guards.end())
          continue;
        list[i].guards = common;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
        progress = true;
      }
  }
}

void SumMatcher::drop_implied_guards(List& list, const Scope& scope) {
  if (list.size() > 64) return;
  for (Summand& s : list)
    for (std::size_t i = s.guards.size(); i-- > 0;) {
      Summand without = s;
      without.guards.erase(without.guards.begin() + static_cast<std::ptrdiff_t>(i));
      if (prover_.rely(inside(scope, without), s.guards[i])) s = without;
    }
}

bool SumMatcher::same_condition(Term a, Term b, const Scope& scope) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  if (a->kind == Kind::negation) return same_condition(a->children[0], b->children[0], scope);
  if (a->kind != Kind::compare || a->op != b->op) return false;
  return reals(a->children[0], b->children[0], scope) && reals(a->children[1], b->children[1], scope);
}

bool SumMatcher::same_atom(Term a, Term b, const Scope& scope) {
  if (a == b) return true;
  if (integers_) {
    if (a->kind != Kind::to_index || b->kind != Kind::to_index) return false;
    a = a->children[0];
    b = b->children[0];
    if (a->kind != Kind::load) return false;
  }
  if (a->kind == Kind::load)
    return b->kind == Kind::load && a->name == b->name && a->children.size() == 1 &&
           b->children.size() == 1 && prover_.rely(scope, calculus::equal(index_of(a), index_of(b)));
  if (integers_) return false;
  if (a->kind == Kind::from_index && b->kind == Kind::from_index)
    return prover_.rely(scope, calculus::equal(a->children[0], b->children[0]));
  const Extremum which = extremum_of(a);
  if (which != Extremum::none && which == extremum_of(b)) {
    if (depth_ >= depth_limit) throw Refusal("E4011", "a value over the reals that is nested too deeply");
    const Nested nested(depth_);
    List mine, other;
    neutral_seen_ = false;
    flatten_extremum(a, which, Summand{}, scope, mine);
    flatten_extremum(b, which, Summand{}, scope, other);
    if (neutral_seen_) {
      // An extremum over nothing is no real: one range is not empty, without a guard.
      const bool some = std::any_of(other.begin(), other.end(), [&](const Summand& s) {
        return s.guards.empty() && std::all_of(s.ranges.begin(), s.ranges.end(), [&](const auto& r) {
                 return prover_.rely(scope, calculus::at_most(calculus::integer(1), r.second));
               });
      });
      if (!some) return fail("an extremum that may be over nothing");
    }
    clean(mine, scope);
    clean(other, scope);
    return match(mine, other, scope, true);
  }
  if (a->kind == Kind::select && b->kind == Kind::select)
    return same_condition(a->children[0], b->children[0], scope) &&
           reals(a->children[1], b->children[1], scope) && reals(a->children[2], b->children[2], scope);
  if (a->kind != Kind::operation || b->kind != Kind::operation || a->children.size() != b->children.size())
    return false;
  const std::string name = function_name(a);
  if (name.empty() || name != function_name(b) || name.find("contractible") == 0) return false;
  for (std::size_t i = 0; i < a->children.size(); ++i)
    if (!reals(a->children[i], b->children[i], scope)) return false;
  return true;
}

bool SumMatcher::same_factors(std::vector<Term> kernel, std::vector<Term> spec, const Scope& scope) {
  if (kernel.size() != spec.size()) return false;
  for (Term k : kernel) {
    const auto found = std::find_if(spec.begin(), spec.end(), [&](Term s) { return same_atom(k, s, scope); });
    if (found == spec.end()) return false;
    spec.erase(found);
  }
  return true;
}

std::optional<SumMatcher::Map> SumMatcher::map_between(const Summand& kernel, const Summand& spec,
                                                       const Scope& scope) {
  if (kernel.coefficient != spec.coefficient || kernel.factors.size() != spec.factors.size())
    return std::nullopt;
  std::vector<Term> mine, other;
  for (const auto& [variable, extent] : kernel.ranges) mine.push_back(variable);
  for (const auto& [variable, extent] : spec.ranges) other.push_back(variable);
  const Scope here = inside(scope, kernel), there = inside(scope, spec);
  Arithmetic arithmetic(prover_, true);
  // The map is a bijection's half: nothing of it is trusted.
  const auto confirmed = [&](const Map& map) {
    std::vector<Term> goals;
    for (const auto& [variable, extent] : spec.ranges)
      goals.push_back(calculus::in_range(map.there.at(variable), calculus::substitute(extent, map.there)));
    for (Term g : spec.guards) goals.push_back(calculus::substitute(g, map.there));
    for (Term g : goals)
      if (!prover_.rely(here, g)) return false;
    std::vector<Term> factors;
    for (Term f : spec.factors) factors.push_back(calculus::substitute(f, map.there));
    return same_factors(kernel.factors, factors, here);
  };
  if (mine.empty() && other.empty()) {
    const Map map;
    return confirmed(map) ? std::optional<Map>(map) : std::nullopt;
  }
  int tries = 0;
  for (Term s : loads_of(spec.factors))
    for (Term k : loads_of(kernel.factors)) {
      if (s->name != k->name || ++tries > 12) continue;
      const std::size_t mark = prover_.mark();
      const auto forward = invert(index_of(s), other, spec.guards, index_of(k), here, arithmetic);
      const auto backward = invert(index_of(k), mine, kernel.guards, index_of(s), there, arithmetic);
      if (forward && backward) {
        Map map;
        map.there = *forward;
        map.back = *backward;
        if (confirmed(map)) return map;
      }
      prover_.rewind(mark);
    }
  return std::nullopt;
}

bool SumMatcher::match_one_way(const List& kernel, const List& spec, const Scope& scope, bool idempotent) {
  std::vector<bool> used(kernel.size(), false);
  for (const Summand& named : spec) {
    const Summand s = renamed(named, name("spec"));
    const Scope there = inside(scope, s);
    std::vector<Map> maps;
    for (std::size_t j = 0; j < kernel.size(); ++j) {
      if (used[j] && !idempotent) continue;
      auto map = map_between(kernel[j], s, scope);
      if (!map) continue;
      map->from = j;
      maps.push_back(*map);
      used[j] = true;
    }
    std::vector<Term> conditions;
    for (const Map& map : maps) {
      const Summand& k = kernel[map.from];
      std::vector<Term> parts;
      calculus::Substitution round = map.back;
      for (const auto& [variable, extent] : k.ranges)
        parts.push_back(calculus::in_range(map.back.at(variable), calculus::substitute(extent, map.back)));
      for (Term g : k.guards) parts.push_back(calculus::substitute(g, map.back));
      for (const auto& [variable, extent] : s.ranges)
        parts.push_back(calculus::equal(calculus::substitute(map.there.at(variable), map.back), variable));
      conditions.push_back(calculus::conjunction(parts));
      if (idempotent) continue;
      // Two points of the kernel never go to one point of the specification.
      for (const auto& [variable, extent] : k.ranges)
        if (!prover_.rely(inside(scope, k),
                          calculus::equal(calculus::substitute(map.back.at(variable), map.there), variable)))
          return fail("one summand of the specification may be taken twice");
    }
    if (maps.empty() || !prover_.rely(there, calculus::disjunction(conditions)))
      return fail(fmt::format("not every summand of the specification is shown to be there: {}",
                              s.factors.empty() ? std::string("a constant") : brief(s.factors[0], 4)));
    for (std::size_t i = 0; i < conditions.size() && !idempotent; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (!prover_.rely(there, calculus::negation(calculus::both(conditions[i], conditions[j]))))
          return fail("one summand of the specification may be taken twice");
  }
  for (std::size_t j = 0; j < kernel.size(); ++j)
    if (!used[j])
      return fail(fmt::format(
          "the kernel adds what the specification does not: {}",
          kernel[j].factors.empty() ? std::string("a constant") : brief(kernel[j].factors[0], 4)));
  return true;
}

bool SumMatcher::match(List kernel, List spec, const Scope& scope, bool idempotent) {
  const std::size_t mark = prover_.mark();
  if (match_one_way(kernel, spec, scope, idempotent)) return true;
  prover_.rewind(mark);
  if (match_one_way(spec, kernel, scope, idempotent)) return true;
  prover_.rewind(mark);
  return false;
}

bool SumMatcher::integers(Term kernel, Term spec, unsigned width, const Scope& scope) {
  const std::size_t mark = prover_.mark();
  integers_ = true;
  width_ = width;
  failure_.clear();
  List mine, other;
  flatten(kernel, Summand{}, scope, mine);
  flatten(spec, Summand{}, scope, other);
  clean(mine, scope);
  clean(other, scope);
  if (match(mine, other, scope, false)) {
    rules_.insert("sum normal form");
    return true;
  }
  prover_.rewind(mark);
  return false;
}

bool SumMatcher::reals(Term kernel, Term spec, const Scope& scope) {
  if (depth_ >= depth_limit) throw Refusal("E4011", "a value over the reals that is nested too deeply");
  const Nested nested(depth_);
  const std::size_t mark = prover_.mark();
  integers_ = false;
  List mine, other;
  flatten(kernel, Summand{}, scope, mine);
  flatten(spec, Summand{}, scope, other);
  clean(mine, scope);
  clean(other, scope);
  const bool ok = match(mine, other, scope, false);
  if (ok)
    rules_.insert("sum normal form over the reals");
  else
    prover_.rewind(mark);
  return ok;
}

}  // namespace hallmark::validator
