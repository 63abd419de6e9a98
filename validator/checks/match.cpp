#include "validator/checks/match.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "validator/checks/comparisons.h"
#include "validator/checks/fold_steps.h"
#include "validator/checks/specification.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

constexpr long step_limit = 200000, hint_limit = 20000,
               probe_cost = 100;  // what a solver's word costs, in steps
constexpr int depth_limit = 400;
constexpr long split_cost = 200;
// Of a loop that chooses an integer: each step may double the cases.
constexpr long most_integer_steps = 16;

bool is_sequential(Term fold) {
  return fold->order->kind == calculus::Order::Kind::seq || fold->order->kind == calculus::Order::Kind::any;
}

}  // namespace

std::string brief(Term t, int depth) {
  if (depth < 0) return "..";
  const auto list = [&](const std::vector<Term>& children) {
    std::string out;
    for (std::size_t i = 0; i < children.size() && i < 6; ++i)
      out += (i > 0 ? ", " : "") + brief(children[i], depth - 1);
    return out + (children.size() > 6 ? ", .." : "");
  };
  switch (t->kind) {
    case Kind::integer:
      return t->value.get_str();
    case Kind::symbol:
    case Kind::variable:
      return t->name;
    case Kind::axis:
      return fmt::format("axis{}", t->number);
    case Kind::bound:
      return fmt::format("k{}", t->number);
    case Kind::product: {
      std::string out;
      for (std::size_t i = 0; i < t->children.size(); ++i)
        out += (i > 0 ? "*" : "") + brief(t->children[i], depth - 1);
      return out;
    }
    case Kind::polynomial: {
      std::string out;
      for (std::size_t i = 0; i < t->children.size(); ++i) {
        const bool constant = calculus::as_integer(t->children[i]) != nullptr;
        out += (i > 0 ? " + " : "");
        if (constant)
          out += t->coefficients[i].get_str();
        else if (t->coefficients[i] == 1)
          out += brief(t->children[i], depth - 1);
        else
          out += t->coefficients[i].get_str() + "*" + brief(t->children[i], depth - 1);
      }
      return "(" + out + ")";
    }
    case Kind::floor_div:
      return fmt::format("({} / {})", brief(t->children[0], depth - 1), brief(t->children[1], depth - 1));
    case Kind::load:
      return fmt::format("{}[{}]", t->name, list(t->children));
    case Kind::operation:
      return fmt::format("{}({})", t->op == Op::custom ? t->name : std::string(calculus::name(t->op)),
                         list(t->children));
    case Kind::select:
    case Kind::index_select:
      return fmt::format("select({})", list(t->children));
    case Kind::fold:
      return fmt::format("fold({})", list(t->children));
    case Kind::state:
      return fmt::format("state{}", t->which);
    case Kind::constant:
      return t->sort.kind == Sort::Kind::floating ? fmt::format("0x{:x}", t->bits) : t->value.get_str();
    case Kind::at_most_zero:
      return fmt::format("({} <= 0)", list(t->children));
    case Kind::is_zero:
      return fmt::format("({} = 0)", list(t->children));
    case Kind::negation:
      return fmt::format("not {}", list(t->children));
    case Kind::conjunction:
      return fmt::format("and({})", list(t->children));
    case Kind::disjunction:
      return fmt::format("or({})", list(t->children));
    case Kind::compare:
      return fmt::format("{}({})", calculus::name(t->op), list(t->children));
    case Kind::truth:
      return t->number != 0 ? "true" : "false";
    case Kind::index_min:
      return fmt::format("min({})", list(t->children));
    case Kind::index_max:
      return fmt::format("max({})", list(t->children));
    case Kind::to_index:
      return fmt::format("int({})", list(t->children));
    case Kind::from_index:
      return fmt::format("{}({})", calculus::to_string(t->sort), list(t->children));
    case Kind::cast:
      return fmt::format("{}({})", calculus::name(t->format), list(t->children));
    case Kind::is_nan:
      return fmt::format("is_nan({})", list(t->children));
    case Kind::extreme:
      return t->number < 0 ? "empty_max" : "empty_min";
    default:
      return fmt::format("#{}({})", static_cast<int>(t->kind), list(t->children));
  }
}

bool Matcher::fail(Term kernel, Term spec, const std::string& why) {
  if (depth_ > deepest_) {
    deepest_ = depth_;
    failure_ =
        fmt::format("{}: the kernel has {}, the specification {}", why, brief(kernel, 6), brief(spec, 6));
  }
  return false;
}

Matcher::Matcher(Prover& prover, Effort effort)
    : prover_(prover),
      probes_before_(prover.probes()),
      step_limit_(effort == Effort::proof ? step_limit : hint_limit) {}

bool Matcher::match(Term kernel, Term spec, const Scope& scope) {
  if (kernel == spec) return used("identity");
  if (scope->contradictory()) return true;
  const auto key = std::make_tuple(kernel, spec, scope->facts());
  if (const auto found = memo_.find(key); found != memo_.end()) return found->second;
  const long asked = static_cast<long>(prover_.probes() - probes_before_);
  if (++steps_ + asked * probe_cost > step_limit_ || depth_ > depth_limit)
    return fail(kernel, spec, "the comparison is too large");
  const std::size_t mark = prover_.mark();
  ++depth_;
  const bool ok = attempt(kernel, spec, scope);
  --depth_;
  if (!ok) rewind(mark);
  memo_.insert_or_assign(key, ok);
  if (ok) successes_.emplace_back(prover_.mark(), key);
  return ok;
}

// Takes claims back, and with them what was concluded from them. Shared terms are compared once as long as
// what the first comparison relied on is still in the log.
void Matcher::rewind(std::size_t mark) {
  prover_.rewind(mark);
  while (!successes_.empty() && successes_.back().first > mark) {
    memo_.erase(successes_.back().second);
    successes_.pop_back();
  }
}

namespace {

bool is_about_floats(Term condition) {
  if (condition->kind == Kind::compare) return condition->children[0]->sort.kind == Sort::Kind::floating;
  if (condition->kind == Kind::is_nan) return true;
  if (condition->kind == Kind::negation) return is_about_floats(condition->children[0]);
  return outcomes(condition).has_value();
}

}  // namespace

bool Matcher::same_condition(Term kernel, Term spec, const Scope& scope) {
  if (kernel == spec) return true;
  if (!is_about_floats(kernel) || !is_about_floats(spec)) return false;
  if (const auto k = outcomes(kernel), s = outcomes(spec);
      k && s && k->right != nullptr && s->right != nullptr) {
    // One set of outcomes, as far as the path leaves them open, of the same two operands.
    const std::size_t start = prover_.mark();
    const unsigned open = open_outcomes(scope, *k);
    for (const bool swapped : {false, true}) {
      Outcomes other = *s;
      if (swapped) {
        std::swap(other.left, other.right);
        other.set = mirrored(other.set);
      }
      if ((k->set & open) == (other.set & open) && match(k->left, other.left, scope) &&
          match(k->right, other.right, scope))
        return used("same comparison");
      rewind(start);
    }
  }
  if (kernel->kind != spec->kind) return false;
  if (kernel->kind == Kind::negation) return same_condition(kernel->children[0], spec->children[0], scope);
  if (kernel->op != spec->op) return false;
  const std::size_t mark = prover_.mark();
  const auto pairwise = [&](bool swapped) {
    for (std::size_t i = 0; i < kernel->children.size(); ++i) {
      const std::size_t other = swapped ? kernel->children.size() - 1 - i : i;
      if (!match(kernel->children[i], spec->children[other], scope)) {
        rewind(mark);
        return false;
      }
    }
    return true;
  };
  if (pairwise(false) || (kernel->op == Op::eq && pairwise(true))) return used("same comparison");
  return false;
}

namespace {

// The operands of comparisons of floats in a condition, without constants and what has a dangling index.
void compared_floats(Term condition, std::vector<Term>& out) {
  calculus::for_each_node(condition, [&](Term node) {
    if (node->kind != Kind::compare || node->children[0]->sort.kind != Sort::Kind::floating) return;
    for (Term operand : node->children)
      if (operand->kind != Kind::constant && operand->open == 0 &&
          std::find(out.begin(), out.end(), operand) == out.end())
        out.push_back(operand);
  });
}

}  // namespace

// Both sides may compare one value under two shapes (a sum as a loop and as a tree, say). What the path says
// of the kernel's decides the specification's when both have one name.
Term Matcher::with_operands_of(Term kernel, Term spec, const Scope& scope) {
  if (spec->kind != Kind::select) return spec;
  std::vector<Term> mine, theirs;
  compared_floats(spec->children[0], theirs);
  if (theirs.empty()) return spec;
  if (kernel->kind == Kind::select) compared_floats(kernel->children[0], mine);
  for (Term fact : scope->facts()) compared_floats(fact, mine);
  calculus::Substitution names;
  for (Term their : theirs) {
    if (std::find(mine.begin(), mine.end(), their) != mine.end()) continue;
    for (Term own : mine)
      if (own->sort == their->sort && match(own, their, scope)) {
        names[their] = own;
        break;
      }
  }
  if (names.empty()) return spec;
  used("one name for one operand");
  return calculus::rewrite(spec, [&](Term node) {
    const auto found = names.find(node);
    return found != names.end() ? found->second : node;
  });
}

bool Matcher::empty_fold(Term fold, const Scope& scope) {
  return prover_.rely(scope, calculus::at_most(fold->children[0], calculus::integer(0)));
}

bool Matcher::attempt(Term kernel, Term spec, const Scope& scope) {
  if (kernel->sort != spec->sort) return fail(kernel, spec, "two sorts");
  if (spec->kind == Kind::fold && !is_sequential(spec)) {
    used("order");
    return match(kernel, expand_order(spec), scope);
  }
  if (kernel->kind == Kind::select || spec->kind == Kind::select) return selections(kernel, spec, scope);
  if (kernel->kind == Kind::fold && spec->kind == Kind::fold) return folds(kernel, spec, scope);
  for (int side = 0; side < 2; ++side) {
    const Term fold = side == 0 ? kernel : spec;
    if (fold->kind != Kind::fold) continue;
    const std::size_t init = 2 + static_cast<std::size_t>(fold->which);
    const auto against = [&](Term t) { return side == 0 ? match(t, spec, scope) : match(kernel, t, scope); };
    if (const Integer* extent = calculus::as_integer(fold->children[0]);
        extent != nullptr && *extent <= 4096) {
      used("unroll");
      return against(*extent <= 0 ? fold->children[init] : last_step(fold, *extent));
    }
    if (empty_fold(fold, scope)) {
      used("zero trips");
      return against(fold->children[init]);
    }
    return fail(kernel, spec, "a loop against something that is none");
  }
  return operations(kernel, spec, scope);
}

bool Matcher::operations(Term kernel, Term spec, const Scope& scope) {
  if (kernel->kind != spec->kind) return fail(kernel, spec, "different terms");
  switch (kernel->kind) {
    case Kind::load:
      if (kernel->name != spec->name || kernel->children.size() != spec->children.size())
        return fail(kernel, spec, "loads of two buffers");
      for (std::size_t i = 0; i < kernel->children.size(); ++i)
        if (!equal_index(kernel->children[i], spec->children[i], scope))
          return fail(kernel, spec, "loads of two elements");
      return used("load");
    case Kind::operation: {
      if (kernel->op != spec->op || kernel->name != spec->name || kernel->rounding != spec->rounding ||
          kernel->flush_subnormals != spec->flush_subnormals ||
          kernel->children.size() != spec->children.size())
        return fail(kernel, spec, "different operations");
      const auto in_order = [&](const std::vector<Term>& a) {
        for (std::size_t i = 0; i < a.size(); ++i) {
          const bool index = a[i]->sort == Sort::index();
          if (index ? !equal_index(a[i], spec->children[i], scope) : !match(a[i], spec->children[i], scope))
            return false;
        }
        return true;
      };
      bool commutes = false;
      // The constructor sorts operands that commute by their structure, which differs between the sides.
      switch (kernel->op) {
        case Op::add:
        case Op::mul:
        case Op::fma:
        case Op::maximum:
        case Op::minimum:
        case Op::maxnum:
        case Op::minnum:
        case Op::max:
        case Op::min:
          commutes = true;
          break;
        default:
          break;
      }
      if (!commutes) return in_order(kernel->children) && used("congruence");
      std::vector<Term> swapped = kernel->children;
      std::swap(swapped[0], swapped[1]);
      if (operand_order_.exchanged(kernel->children[0], kernel->children[1], spec->children[0],
                                   spec->children[1])) {
        if (in_order(swapped)) return used("commuted");
        return in_order(kernel->children) && used("congruence");
      }
      if (in_order(kernel->children)) return used("congruence");
      if (in_order(swapped)) return used("commuted");
      return false;
    }
    case Kind::from_index:
      if (!equal_index(kernel->children[0], spec->children[0], scope)) {
        const unsigned width =
            kernel->sort.kind == Sort::Kind::integer ? calculus::storage_bits(kernel->sort.format) : 0;
        if (width == 0 || !match_integer(kernel->children[0], spec->children[0], width, scope))
          return fail(kernel, spec, "two numbers");
      }
      return used("congruence");
    case Kind::cast:
      if (kernel->format != spec->format || kernel->rounding != spec->rounding)
        return fail(kernel, spec, "two conversions");
      return match(kernel->children[0], spec->children[0], scope) && used("congruence");
    default:
      return fail(kernel, spec, "different values");
  }
}

namespace {

// A choice whose condition has lost the parts that the path states anyway.
Term shortened(Term select, const Scope& scope) {
  if (select->kind != Kind::select || select->children[0]->kind != Kind::conjunction) return select;
  std::vector<Term> left;
  for (Term part : select->children[0]->children) {
    const auto known = scope->knows(part) ? std::optional(true) : stated(scope, part);
    if (known == std::optional(false)) return select->children[2];
    if (!known) left.push_back(part);
  }
  if (left.size() == select->children[0]->children.size()) return select;
  return left.empty()
             ? select->children[1]
             : calculus::select(calculus::conjunction(left), select->children[1], select->children[2]);
}

}  // namespace

bool Matcher::selections(Term kernel, Term spec, const Scope& scope) {
  if (const Term k = shortened(kernel, scope), s = shortened(spec, scope); k != kernel || s != spec) {
    used("decided condition");
    return match(k, s, scope);
  }
  if (const Term named = with_operands_of(kernel, spec, scope); named != spec)
    return match(kernel, named, scope);
  // Decided conditions first.
  for (int side = 0; side < 2; ++side) {
    const Term t = side == 0 ? kernel : spec;
    if (t->kind != Kind::select) continue;
    // A comparison of floats is decided by the path or not at all: solvers know nothing about float values.
    const Term condition = t->children[0];
    const auto known =
        is_about_floats(condition) ? stated(scope, condition) : prover_.decide(scope, condition);
    if (known) {
      used("decided condition");
      const Term arm = t->children[*known ? 1 : 2];
      return side == 0 ? match(arm, spec, scope) : match(kernel, arm, scope);
    }
  }
  if (kernel->kind == Kind::select && spec->kind == Kind::select) {
    const Term c = kernel->children[0], d = spec->children[0];
    const Scope yes = Context::extend(scope, c), no = Context::extend(scope, calculus::negation(c));
    const std::size_t mark = prover_.mark();
    if (is_about_floats(c) && is_about_floats(d)) {
      // The same comparison, or its opposite with the arms exchanged.
      for (const bool opposite : {false, true}) {
        if (!same_condition(c, opposite ? calculus::negation(d) : d, scope)) continue;
        // Mostly the arms are equal whatever led to them; the condition is called in only where they are not.
        const auto arm = [&](std::size_t i, const Scope& stronger) {
          const Term there = spec->children[opposite ? 3 - i : i];
          return match(kernel->children[i], there, scope) ||
                 (kernel->children[i]->kind == Kind::select &&
                  match(kernel->children[i], there, with_consequences(stronger)));
        };
        if (arm(1, yes) && arm(2, no)) return used("same comparison");
        rewind(mark);
      }
    }
    if (c == d || (prover_.rely(yes, d) && prover_.rely(no, calculus::negation(d)))) {
      used("guarded step");
      // The untouched arm under the weaker path first: otherwise guards nest into 2^n cases.
      const auto arm = [&](std::size_t i, const Scope& stronger) {
        return match(kernel->children[i], spec->children[i], scope) ||
               match(kernel->children[i], spec->children[i], with_consequences(stronger));
      };
      const bool first_plain = kernel->children[2]->kind != Kind::operation;
      return first_plain ? arm(2, no) && match(kernel->children[1], spec->children[1], yes)
                         : arm(1, yes) && match(kernel->children[2], spec->children[2], no);
    }
    rewind(mark);
  }
  used("case split");
  const Term t = kernel->kind == Kind::select ? kernel : spec;
  const Term c = t->children[0];
  const Scope yes = with_consequences(Context::extend(scope, c)),
              no = with_consequences(Context::extend(scope, calculus::negation(c)));
  const bool on_kernel = kernel->kind == Kind::select;
  const auto arm = [&](std::size_t i, const Scope& under) {
    return on_kernel ? match(t->children[i], spec, under) : match(kernel, t->children[i], under);
  };
  return arm(2, no) && arm(1, yes);
}

namespace {

// The same modulo 2^width without the reductions of its summands.
Term without_reductions(Term p, unsigned width) {
  if (width == 0) return p;
  std::vector<Term> parts;
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    Term part = m.product == nullptr ? calculus::integer(1) : m.product;
    if (part->kind == Kind::to_index && part->children[0]->kind == Kind::from_index &&
        part->children[0]->sort.kind == calculus::Sort::Kind::integer &&
        calculus::storage_bits(part->children[0]->sort.format) >= width)
      part = without_reductions(part->children[0]->children[0], width);
    parts.push_back(calculus::scale(m.coefficient, part));
  }
  return calculus::add(parts);
}

}  // namespace

bool Matcher::match_integer(Term kernel, Term spec, unsigned width, const Scope& scope) {
  kernel = without_reductions(kernel, width);
  spec = without_reductions(spec, width);
  // What the path says about a condition on floats; solvers know nothing about those.
  const auto decided = [&](Term condition) -> std::optional<bool> {
    if (!is_about_floats(condition)) return std::nullopt;
    if (const auto known = stated(scope, condition)) return known;
    const Term opposite = calculus::negation(condition);
    for (Term fact : scope->facts()) {
      if (same_condition(fact, condition, scope)) return true;
      if (same_condition(fact, opposite, scope)) return false;
    }
    return std::nullopt;
  };
  if (const Term named = with_folds_of(kernel, spec, scope); named != spec)
    return match_integer(kernel, named, width, scope);
  const auto reduced = [&](Term p) { return width == 0 ? p : Arithmetic::reduce(p, width); };
  const Term difference = reduced(calculus::subtract(kernel, spec));
  if (difference == calculus::integer(0)) return used("integers modulo 2^w");
  if (prover_.rely(scope, calculus::equal(difference, calculus::integer(0))) ||
      equal_index(kernel, spec, scope) || (width != 0 && congruent(difference, width, scope)))
    return used("integers modulo 2^w");
  {
    const auto has_loop = [](Term term) {
      bool found = false;
      calculus::for_each_node(term, [&](Term node) { found = found || node->kind == Kind::fold; });
      return found;
    };
    const Term mine = with_choices_in_one_form(kernel, false, scope),
               theirs = with_choices_in_one_form(spec, !has_loop(kernel), scope);
    if (mine != kernel || theirs != spec) return match_integer(mine, theirs, width, scope);
  }
  // Two folds: the polynomials around them have to be the same.
  const auto fold_in = [](Term p) -> Term {
    Term found = nullptr;
    for (const calculus::Monomial& m : calculus::monomials(p))
      if (m.product != nullptr && m.product->kind == Kind::fold) {
        if (found != nullptr || m.coefficient != 1) return nullptr;
        found = m.product;
      }
    return found;
  };
  const Term a = fold_in(kernel), b = fold_in(spec);
  if (a != nullptr && b != nullptr) {
    const Term rest = reduced(calculus::subtract(calculus::subtract(kernel, a), calculus::subtract(spec, b)));
    if (rest == calculus::integer(0) && folds(a, b, scope, width)) return used("integers modulo 2^w");
  }
  // A loop of few steps against something that is none: the loop step by step.
  if ((a != nullptr) != (b != nullptr)) {
    const Term fold = a != nullptr ? a : b;
    const Integer* extent = calculus::as_integer(fold->children[0]);
    if (extent != nullptr && *extent <= most_integer_steps && is_sequential(fold)) {
      const calculus::Substitution open{{fold, *extent <= 0
                                                   ? fold->children[2 + static_cast<std::size_t>(fold->which)]
                                                   : last_step(fold, *extent)}};
      used("unroll");
      return match_integer(calculus::substitute(kernel, open), calculus::substitute(spec, open), width,
                           scope);
    }
  }
  const auto choice = [](Term p) -> Term {
    for (const calculus::Monomial& m : calculus::monomials(p))
      if (m.product != nullptr && m.product->kind == Kind::index_select) return m.product;
    return nullptr;
  };
  for (int side = 0; side < 2; ++side) {
    const Term select = choice(side == 0 ? kernel : spec);
    // Each case asks solvers.
    if (select == nullptr || (steps_ += split_cost) > step_limit_) continue;
    const Term c = select->children[0];
    if (const auto known = decided(c)) {
      const calculus::Substitution pick{{select, select->children[*known ? 1 : 2]}};
      used("decided condition");
      return match_integer(calculus::substitute(kernel, pick), calculus::substitute(spec, pick), width,
                           scope);
    }
    for (int arm = 0; arm < 2; ++arm) {
      const Scope under = Context::extend(scope, arm == 0 ? c : calculus::negation(c));
      if (under->contradictory()) continue;
      const calculus::Substitution pick{{select, select->children[static_cast<std::size_t>(arm) + 1]}};
      if (!match_integer(calculus::substitute(kernel, pick), calculus::substitute(spec, pick), width, under))
        return false;
    }
    return used("case split");
  }
  return fail(kernel, spec, "two numbers");
}

}  // namespace hallmark::validator
