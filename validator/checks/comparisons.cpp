#include "validator/checks/comparisons.h"

#include <algorithm>

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

bool is_number(Term t) {
  if (t->kind != Kind::constant || t->sort.kind != Sort::Kind::floating) return false;
  return t->sort.format == calculus::Format::f32 && (t->bits & 0x7fffffffu) <= 0x7f800000u;
}

// The outcomes of `o` as outcomes of the pair of `pair`; nothing for another pair. is_nan(x) is "unordered"
// of every pair of x and a number.
std::optional<unsigned> over(const Outcomes& o, const Outcomes& pair) {
  if (o.left == pair.left && o.right == pair.right) return o.set;
  if (o.left == pair.right && o.right == pair.left) return mirrored(o.set);
  if (o.right == nullptr && pair.right != nullptr &&
      ((o.left == pair.left && is_number(pair.right)) || (o.left == pair.right && is_number(pair.left))))
    return o.set;
  return std::nullopt;
}

}  // namespace

unsigned mirrored(unsigned set) {
  unsigned out = set & (Outcomes::equal | Outcomes::unordered);
  if ((set & Outcomes::less) != 0) out |= Outcomes::greater;
  if ((set & Outcomes::greater) != 0) out |= Outcomes::less;
  return out;
}

std::optional<Outcomes> outcomes(Term condition) {
  switch (condition->kind) {
    case Kind::compare: {
      const Term a = condition->children[0], b = condition->children[1];
      if (a->sort.kind != Sort::Kind::floating) return std::nullopt;
      if (condition->op == Op::lt) return Outcomes{a, b, Outcomes::less};
      if (condition->op == Op::le) return Outcomes{a, b, Outcomes::less | Outcomes::equal};
      if (condition->op == Op::eq) return Outcomes{a, b, Outcomes::equal};
      return std::nullopt;
    }
    case Kind::is_nan:
      // Without a second operand: only "unordered" and its opposite mean anything.
      return Outcomes{condition->children[0], nullptr, Outcomes::unordered};
    case Kind::negation: {
      auto inner = outcomes(condition->children[0]);
      if (inner) inner->set = Outcomes::all & ~inner->set;
      return inner;
    }
    case Kind::conjunction:
    case Kind::disjunction: {
      std::optional<Outcomes> pair;
      for (Term child : condition->children) {
        const auto one = outcomes(child);
        if (!one) return std::nullopt;
        if (!pair || pair->right == nullptr) pair = one;
      }
      const bool all = condition->kind == Kind::conjunction;
      unsigned set = all ? Outcomes::all : 0;
      for (Term child : condition->children) {
        const auto one = over(*outcomes(child), *pair);
        if (!one) return std::nullopt;
        set = all ? set & *one : set | *one;
      }
      pair->set = set;
      return pair;
    }
    default:
      return std::nullopt;
  }
}

unsigned open_outcomes(const Scope& scope, const Outcomes& pair) {
  unsigned out = Outcomes::all;
  for (Term fact : scope->facts())
    if (const auto known = outcomes(fact))
      if (const auto set = over(*known, pair)) out &= *set;
  return out;
}

std::optional<bool> stated(const Scope& scope, Term condition) {
  const std::vector<Term>& facts = scope->facts();
  if (std::find(facts.begin(), facts.end(), condition) != facts.end()) return true;
  const Term opposite = calculus::negation(condition);
  if (std::find(facts.begin(), facts.end(), opposite) != facts.end()) return false;
  if (const auto wanted = outcomes(condition)) {
    const unsigned open = open_outcomes(scope, *wanted);
    if ((open & ~wanted->set) == 0) return true;
    if ((open & wanted->set) == 0) return false;
  }
  return std::nullopt;
}

Scope with_consequences(const Scope& scope) {
  Scope out = scope;
  for (bool progress = true; progress;) {
    progress = false;
    for (Term fact : out->facts()) {
      if (fact->kind != Kind::disjunction) continue;
      std::vector<Term> left;
      for (Term part : fact->children) {
        std::vector<Term> all{part};
        if (part->kind == Kind::conjunction) all = part->children;
        const bool impossible = std::any_of(
            all.begin(), all.end(), [&](Term one) { return stated(out, one) == std::optional(false); });
        if (!impossible) left.push_back(part);
      }
      if (left.size() != 1 || out->knows(left[0])) continue;
      const std::size_t before = out->facts().size();
      const Scope more = Context::extend(out, left[0]);
      if (more->facts().size() == before) continue;
      out = more;
      progress = true;
      break;
    }
  }
  return out;
}

}  // namespace hallmark::validator
