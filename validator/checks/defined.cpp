#include "validator/checks/defined.h"

#include <algorithm>

#include "validator/checks/nested.h"
#include "validator/checks/sums_terms.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

// Terms that are nested more deeply have no answer, which is a no.
constexpr int depth_limit = 1000;

// What is taken to hold of running values while the step is looked at.
class Assumed {
 public:
  Assumed(std::set<Term>& known, const std::vector<Term>& states) : known_(known), states_(states) {
    known_.insert(states_.begin(), states_.end());
  }
  ~Assumed() {
    for (Term state : states_) known_.erase(state);
  }
  Assumed(const Assumed&) = delete;
  Assumed& operator=(const Assumed&) = delete;

 private:
  std::set<Term>& known_;
  std::vector<Term> states_;
};

// Comparisons of floats are no condition of the solvers.
Scope under(const Scope& scope, Term condition) {
  return compares_floats(condition) ? scope : Context::extend(scope, condition);
}

std::string operation_name(Term t) {
  std::string name = function_name(t);
  if (name.rfind("contractible.float_", 0) == 0)
    name = name.substr(std::string("contractible.float_").size());
  return name;
}

bool is_constant(Term t) {
  return t->kind == Kind::constant && t->sort.kind != Sort::Kind::boolean;
}

Scope inside_range(const Scope& scope, const calculus::FoldParts& parts) {
  const Scope range = Context::extend(scope, calculus::in_range(parts.variable, parts.extent));
  const bool guarded = parts.guard != nullptr && parts.guard != calculus::truth(true);
  return guarded ? under(range, parts.guard) : range;
}

}  // namespace

bool DefinedReal::all(const std::vector<Term>& terms, const Scope& scope) {
  return std::all_of(terms.begin(), terms.end(), [&](Term t) { return holds(t, scope); });
}

bool DefinedReal::holds(Term t, const Scope& scope) {
  if (depth_ > depth_limit) return false;
  if (t->children.empty() && t->kind != Kind::fold) return value_holds(t, scope);
  const Nested nested(depth_);
  const auto known = known_.find({scope, t});
  if (known != known_.end()) return known->second;
  const std::size_t mark = prover_.mark();
  const bool ok = value_holds(t, scope);
  if (!ok) prover_.rewind(mark);
  // What rests on a running value that is being looked at is an answer for this place alone.
  if (prover_.mark() == mark && states_.empty()) known_[{scope, t}] = ok;
  return ok;
}

bool DefinedReal::nonnegative(Term t, const Scope& scope) {
  const std::size_t mark = prover_.mark();
  if (has_sign(t, Sign::nonnegative, scope)) return true;
  prover_.rewind(mark);
  return false;
}

bool DefinedReal::value_holds(Term t, const Scope& scope) {
  switch (t->kind) {
    case Kind::constant:
      return t->sort.kind == Sort::Kind::boolean || real_value(t).has_value();
    case Kind::extreme:
      return false;
    case Kind::load:
    case Kind::from_index:
      return true;
    case Kind::variable: {
      if (t->sort == Sort::index()) return true;
      if (states_.count(t) != 0) return true;
      const auto fold = running_.find(t);
      return fold != running_.end() && holds(fold->second, scope);
    }
    case Kind::cast:
      return holds(t->children[0], scope);
    case Kind::select:
      return holds(t->children[0], scope) && holds(t->children[1], under(scope, t->children[0])) &&
             holds(t->children[2], under(scope, calculus::negation(t->children[0])));
    case Kind::fold:
      return fold_holds(t, scope);
    case Kind::operation:
      return operation_holds(t, scope);
    default:
      // Conditions, and indices, whose divisions are other obligations' concern.
      return all(t->children, scope);
  }
}

bool DefinedReal::fold_holds(Term fold, const Scope& scope) {
  const calculus::FoldParts parts = calculus::open(fold);
  const Scope range = inside_range(scope, parts);
  {
    std::vector<Term> states = parts.states;
    states.insert(states.end(), parts.right_states.begin(), parts.right_states.end());
    const Assumed assumed(states_, states);
    if (!all(parts.step, range) || !all(parts.combine, scope)) return false;
  }
  for (Term start : parts.init) {
    const bool neutral = parts.states.size() == 1 && (is_infinity(start, true) || is_infinity(start, false));
    if (!neutral) {
      if (!holds(start, scope)) return false;
      continue;
    }
    // The neutral start of an extremum over something.
    const Term step = parts.step[0];
    const bool least = is_infinity(start, true);
    const bool extremum =
        step->kind == Kind::operation && step->children.size() == 2 &&
        (least ? step->op == Op::max || step->op == Op::maxnum || step->op == Op::maximum
               : step->op == Op::min || step->op == Op::minnum || step->op == Op::minimum) &&
        (step->children[0] == parts.states[0]) != (step->children[1] == parts.states[0]) &&
        !mentions(step->children[step->children[0] == parts.states[0] ? 1 : 0], parts.states[0]);
    const bool whole = parts.guard == nullptr || parts.guard == calculus::truth(true);
    if (!extremum || !whole || !prover_.rely(scope, calculus::at_most(calculus::integer(1), parts.extent)))
      return false;
  }
  return true;
}

bool DefinedReal::operation_holds(Term t, const Scope& scope) {
  if (!all(t->children, scope)) return false;
  static const std::set<std::string> total{
      "add",  "sub",   "mul", "neg",  "fma",   "max",   "min",  "maximum", "minimum",    "maxnum", "minnum",
      "abs",  "sign",  "exp", "exp2", "exp10", "expm1", "sin",  "cos",     "atan",       "sinh",   "cosh",
      "tanh", "asinh", "erf", "erfc", "cbrt",  "floor", "ceil", "trunc",   "round_even", "normcdf"};
  const std::string name = operation_name(t);
  if (total.count(name) != 0) return true;
  if (name == "div") return nonzero(t->children[1], scope);
  if (name == "reciprocal" || name == "1/") return nonzero(t->children[0], scope);
  if (name == "sqrt") return has_sign(t->children[0], Sign::nonnegative, scope);
  if (name == "rsqrt" || name == "log" || name == "log2" || name == "log10")
    return has_sign(t->children[0], Sign::positive, scope);
  return false;
}

bool DefinedReal::nonzero(Term t, const Scope& scope) {
  if (t->kind == Kind::cast) return nonzero(t->children[0], scope);
  if (is_constant(t)) {
    const auto value = real_value(t);
    return value && *value != 0;
  }
  if (t->kind == Kind::from_index)
    return prover_.rely(scope, calculus::negation(calculus::equal(t->children[0], calculus::integer(0))));
  if (t->kind == Kind::select)
    return nonzero(t->children[1], under(scope, t->children[0])) &&
           nonzero(t->children[2], under(scope, calculus::negation(t->children[0])));
  if (t->kind == Kind::operation) {
    const std::string name = operation_name(t);
    if (name == "mul") return nonzero(t->children[0], scope) && nonzero(t->children[1], scope);
    if (name == "neg" || name == "abs") return nonzero(t->children[0], scope);
    if (name == "div") return nonzero(t->children[0], scope);
    if (name == "sqrt") return has_sign(t->children[0], Sign::positive, scope);
    if (name == "1/" || name == "reciprocal") return true;
  }
  return has_sign(t, Sign::positive, scope);
}

bool DefinedReal::has_sign(Term t, Sign sign, const Scope& scope) {
  if (depth_ > depth_limit) return false;
  const Nested nested(depth_);
  const bool strict = sign == Sign::positive;
  switch (t->kind) {
    case Kind::constant: {
      if (!is_constant(t)) return false;
      const auto value = real_value(t);
      return value && (strict ? *value > 0 : *value >= 0);
    }
    case Kind::variable:
      return positive_.count(t) != 0 || (!strict && nonnegative_.count(t) != 0);
    case Kind::from_index:
      return prover_.rely(scope, calculus::at_most(calculus::integer(strict ? 1 : 0), t->children[0]));
    case Kind::cast:
      return t->children[0]->sort.kind == Sort::Kind::floating && t->sort.kind == Sort::Kind::floating &&
             has_sign(t->children[0], sign, scope);
    case Kind::select:
      return has_sign(t->children[1], sign, under(scope, t->children[0])) &&
             has_sign(t->children[2], sign, under(scope, calculus::negation(t->children[0])));
    case Kind::fold:
      return fold_has_sign(t, sign, scope);
    case Kind::operation:
      return operation_has_sign(t, sign, scope);
    default:
      return false;
  }
}

// By induction over the steps, of one running value; the others may be anything.
bool DefinedReal::fold_has_sign(Term fold, Sign sign, const Scope& scope) {
  const calculus::FoldParts parts = calculus::open(fold);
  const auto which = static_cast<std::size_t>(fold->which);
  const Scope range = inside_range(scope, parts);
  const auto order = fold->order->kind;
  if (order != calculus::Order::Kind::seq && order != calculus::Order::Kind::any) return false;
  const Term state = parts.states[which], start = parts.init[which], step = parts.step[which];
  const auto kept = [&](Sign assumed, Sign shown) {
    const Assumed here(assumed == Sign::positive ? positive_ : nonnegative_, {state});
    return has_sign(step, shown, range);
  };
  if (has_sign(start, sign, scope) && kept(sign, sign)) return true;
  if (sign == Sign::nonnegative) return false;
  // From 0 on, where there is a step and each adds something.
  const bool whole = parts.guard == nullptr || parts.guard == calculus::truth(true);
  return whole && prover_.rely(scope, calculus::at_most(calculus::integer(1), parts.extent)) &&
         has_sign(start, Sign::nonnegative, scope) && kept(Sign::nonnegative, Sign::positive);
}

bool DefinedReal::operation_has_sign(Term t, Sign sign, const Scope& scope) {
  const std::string name = operation_name(t);
  const bool strict = sign == Sign::positive;
  const auto child = [&](std::size_t i, Sign s) { return has_sign(t->children[i], s, scope); };
  const auto sum_of = [&](bool a_strict, bool b_strict, bool a, bool b) {
    return strict ? (a_strict && b) || (b_strict && a) : a && b;
  };
  const auto product = [&](Sign s) {
    if (t->children[0] == t->children[1]) return s == Sign::nonnegative || nonzero(t->children[0], scope);
    return child(0, s) && child(1, s);
  };
  if (name == "exp" || name == "exp2" || name == "exp10" || name == "cosh") return true;
  if (name == "mul") return product(sign);
  if (name == "div") return child(0, sign) && child(1, Sign::positive);
  if (name == "abs") return !strict || nonzero(t->children[0], scope);
  if (name == "sqrt") return !strict || child(0, Sign::positive);
  if (name == "rsqrt") return true;
  if (name == "1/" || name == "reciprocal") return child(0, Sign::positive);
  if (name == "max" || name == "maxnum" || name == "maximum") return child(0, sign) || child(1, sign);
  if (name == "min" || name == "minnum" || name == "minimum") return child(0, sign) && child(1, sign);
  if (name == "add")
    return sum_of(strict && child(0, Sign::positive), strict && child(1, Sign::positive),
                  child(0, Sign::nonnegative), child(1, Sign::nonnegative));
  if (name == "fma")
    return sum_of(strict && product(Sign::positive), strict && child(2, Sign::positive),
                  product(Sign::nonnegative), child(2, Sign::nonnegative));
  return false;
}

}  // namespace hallmark::validator
