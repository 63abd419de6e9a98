#include "numerics/scope.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

constexpr long enumeration_limit = 20'000;

IndexRange point(const Integer& v) {
  return {v, v};
}

IndexRange sum(const IndexRange& a, const IndexRange& b) {
  IndexRange out;
  if (a.low && b.low) out.low = *a.low + *b.low;
  if (a.high && b.high) out.high = *a.high + *b.high;
  return out;
}

IndexRange scaled(const Integer& factor, const IndexRange& a) {
  if (factor == 0) return point(0);
  IndexRange out;
  if (a.low) (factor > 0 ? out.low : out.high) = factor * *a.low;
  if (a.high) (factor > 0 ? out.high : out.low) = factor * *a.high;
  return out;
}

IndexRange product(const IndexRange& a, const IndexRange& b) {
  if (a.finite() && b.finite()) {
    const Integer all[4] = {*a.low * *b.low, *a.low * *b.high, *a.high * *b.low, *a.high * *b.high};
    return {*std::min_element(all, all + 4), *std::max_element(all, all + 4)};
  }
  IndexRange out;
  if (a.low && b.low && *a.low >= 0 && *b.low >= 0) {
    out.low = *a.low * *b.low;
    if (a.high && b.high) out.high = *a.high * *b.high;
  }
  return out;
}

IndexRange quotient(const IndexRange& a, const IndexRange& b) {
  // floor(p / q) is monotone in p for q > 0, and for a fixed p in q on each side of 0.
  if (!b.low || *b.low <= 0) {
    if (a.low && a.high && *a.low >= 0 && b.low && *b.low >= 0) return {Integer(0), *a.high};
    return {};
  }
  IndexRange out;
  if (a.low) {
    const Integer at_low = floor_div(*a.low, *b.low);
    out.low = b.high ? std::min(at_low, floor_div(*a.low, *b.high))
                     : std::min(at_low, Integer(*a.low < 0 ? -1 : 0));
  }
  if (a.high) {
    const Integer at_low = floor_div(*a.high, *b.low);
    out.high = b.high ? std::max(at_low, floor_div(*a.high, *b.high))
                      : std::max(at_low, Integer(*a.high < 0 ? -1 : 0));
  }
  return out;
}

IndexRange hull(const IndexRange& a, const IndexRange& b) {
  IndexRange out;
  if (a.low && b.low) out.low = std::min(*a.low, *b.low);
  if (a.high && b.high) out.high = std::max(*a.high, *b.high);
  return out;
}

Truth negate(const Truth& t) {
  return {t.may_be_true, t.may_be_false};
}

}  // namespace

void Scope::declare(Term leaf, const IndexRange& range, Term extent) {
  leaves_[leaf] = {range, extent};
}

IndexRange Scope::by_interval(Term a) const {
  switch (a->kind) {
    case Kind::integer:
      return point(*as_integer(a));
    case Kind::product: {
      IndexRange out = point(1);
      for (Term child : a->children) out = product(out, by_interval(child));
      return out;
    }
    case Kind::polynomial: {
      IndexRange out = point(0);
      for (std::size_t i = 0; i < a->children.size(); ++i)
        out = sum(out, scaled(a->coefficients[i], by_interval(a->children[i])));
      return out;
    }
    case Kind::floor_div:
      return quotient(by_interval(a->children[0]), by_interval(a->children[1]));
    case Kind::index_min:
    case Kind::index_max: {
      IndexRange out = by_interval(a->children[0]);
      for (std::size_t i = 1; i < a->children.size(); ++i) {
        const IndexRange next = by_interval(a->children[i]);
        const bool is_min = a->kind == Kind::index_min;
        const auto both = [&](const std::optional<Integer>& x, const std::optional<Integer>& y,
                              bool either_bounds) {
          if (x && y) return std::optional(is_min ? std::min(*x, *y) : std::max(*x, *y));
          return either_bounds ? (x ? x : y) : std::nullopt;
        };
        out = {both(out.low, next.low, !is_min), both(out.high, next.high, is_min)};
      }
      return out;
    }
    case Kind::index_select: {
      const Truth condition = truth_by_interval(a->children[0]);
      if (condition.is_true()) return by_interval(a->children[1]);
      if (condition.is_false()) return by_interval(a->children[2]);
      return hull(by_interval(a->children[1]), by_interval(a->children[2]));
    }
    default: {
      const auto found = leaves_.find(a);
      IndexRange out = found != leaves_.end() ? found->second.range : IndexRange{};
      if (a->kind == Kind::to_index) out = element_(a->children[0]);
      if (const auto narrower = refined_.find(a); narrower != refined_.end()) {
        const auto& [low, high] = narrower->second;
        if (low && (!out.low || *low > *out.low)) out.low = low;
        if (high && (!out.high || *high < *out.high)) out.high = high;
      }
      return out;
    }
  }
}

Truth Scope::truth_by_interval(Term a) const {
  switch (a->kind) {
    case Kind::truth:
      return {a->number == 0, a->number != 0};
    case Kind::at_most_zero: {
      const IndexRange p = by_interval(a->children[0]);
      return {!(p.high && *p.high <= 0), !(p.low && *p.low > 0)};
    }
    case Kind::is_zero: {
      const IndexRange p = by_interval(a->children[0]);
      const bool never = (p.low && *p.low > 0) || (p.high && *p.high < 0);
      return {!(p.finite() && *p.low == 0 && *p.high == 0), !never};
    }
    case Kind::negation:
      return negate(truth_by_interval(a->children[0]));
    case Kind::conjunction:
    case Kind::disjunction: {
      const bool conjunction = a->kind == Kind::conjunction;
      Truth out = conjunction ? Truth{false, true} : Truth{true, false};
      for (Term child : a->children) {
        const Truth t = truth_by_interval(child);
        if (conjunction)
          out = {out.may_be_false || t.may_be_false, out.may_be_true && t.may_be_true};
        else
          out = {out.may_be_false && t.may_be_false, out.may_be_true || t.may_be_true};
      }
      return out;
    }
    default:
      return {};
  }
}

std::optional<Integer> Scope::evaluate(Term a, const Assignment& at) const {
  switch (a->kind) {
    case Kind::integer:
      return *as_integer(a);
    case Kind::product: {
      Integer out = 1;
      for (Term child : a->children) {
        const auto v = evaluate(child, at);
        if (!v) return std::nullopt;
        out *= *v;
      }
      return out;
    }
    case Kind::polynomial: {
      Integer out = 0;
      for (std::size_t i = 0; i < a->children.size(); ++i) {
        const auto v = evaluate(a->children[i], at);
        if (!v) return std::nullopt;
        out += a->coefficients[i] * *v;
      }
      return out;
    }
    case Kind::floor_div:
    case Kind::index_min:
    case Kind::index_max: {
      auto out = evaluate(a->children[0], at);
      for (std::size_t i = 1; out && i < a->children.size(); ++i) {
        const auto v = evaluate(a->children[i], at);
        if (!v) return std::nullopt;
        if (a->kind == Kind::floor_div)
          out = floor_div(*out, *v);
        else
          out = a->kind == Kind::index_min ? std::min(*out, *v) : std::max(*out, *v);
      }
      return out;
    }
    case Kind::index_select: {
      const auto condition = evaluate_condition(a->children[0], at);
      if (!condition) return std::nullopt;
      return evaluate(a->children[*condition ? 1 : 2], at);
    }
    default: {
      const auto found = at.find(a);
      if (found == at.end()) return std::nullopt;
      return found->second;
    }
  }
}

std::optional<bool> Scope::evaluate_condition(Term a, const Assignment& at) const {
  switch (a->kind) {
    case Kind::truth:
      return a->number != 0;
    case Kind::at_most_zero:
    case Kind::is_zero: {
      const auto p = evaluate(a->children[0], at);
      if (!p) return std::nullopt;
      return a->kind == Kind::is_zero ? *p == 0 : *p <= 0;
    }
    case Kind::negation: {
      const auto v = evaluate_condition(a->children[0], at);
      if (!v) return std::nullopt;
      return !*v;
    }
    case Kind::conjunction:
    case Kind::disjunction: {
      const bool conjunction = a->kind == Kind::conjunction;
      for (Term child : a->children) {
        const auto v = evaluate_condition(child, at);
        if (!v) return std::nullopt;
        if (*v != conjunction) return !conjunction;
      }
      return conjunction;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::vector<Term>> Scope::enumerable(Term a, long limit) const {
  std::vector<Term> leaves;
  Integer combinations = 1;
  bool possible = true;
  for_each_node(a, [&](Term node) {
    if (node->kind == Kind::to_index || node->kind == Kind::compare || node->kind == Kind::is_nan ||
        node->kind == Kind::load)
      possible = false;
    const auto found = leaves_.find(node);
    if (found == leaves_.end()) {
      if (node->kind == Kind::symbol || node->kind == Kind::axis || node->kind == Kind::variable ||
          node->kind == Kind::bound)
        possible = false;
      return;
    }
    const IndexRange& r = found->second.range;
    if (!r.finite() || *r.high < *r.low) {
      possible = false;
      return;
    }
    combinations *= *r.high - *r.low + 1;
    leaves.push_back(node);
  });
  if (!possible || combinations > limit) return std::nullopt;
  return leaves;
}

bool Scope::for_each_assignment(const std::vector<Term>& leaves, Assignment& at,
                                const std::function<bool(const Assignment&)>& visit, std::size_t next) const {
  if (next == leaves.size()) return visit(at);
  const IndexRange& r = leaves_.at(leaves[next]).range;
  for (Integer v = *r.low; v <= *r.high; ++v) {
    at[leaves[next]] = v;
    if (!for_each_assignment(leaves, at, visit, next + 1)) return false;
  }
  return true;
}

IndexRange Scope::range(Term a) const {
  const IndexRange wide = by_interval(a);
  // An affine term in which each leaf stands once is exact already.
  bool simple = a->kind != Kind::floor_div && a->kind != Kind::index_select;
  for (Term child : a->children) simple = simple && child->children.empty();
  if (simple && wide.finite()) return wide;
  const auto leaves = enumerable(a, enumeration_limit);
  if (!leaves) return wide;
  IndexRange out;
  Assignment at;
  const bool complete = for_each_assignment(*leaves, at, [&](const Assignment& now) {
    const auto v = evaluate(a, now);
    if (!v) return false;
    if (!out.low || *v < *out.low) out.low = *v;
    if (!out.high || *v > *out.high) out.high = *v;
    return true;
  });
  return complete && out.finite() ? out : wide;
}

bool Scope::is_assumed(Term condition) const {
  const auto known = [&](Term part) {
    return std::any_of(assumed_.begin(), assumed_.end(), [&](Term given) {
      return given == part ||
             (given->kind == Kind::conjunction &&
              std::find(given->children.begin(), given->children.end(), part) != given->children.end());
    });
  };
  if (known(condition)) return true;
  return condition->kind == Kind::conjunction &&
         std::all_of(condition->children.begin(), condition->children.end(), known);
}

Truth Scope::truth(Term a) const {
  const Truth wide = truth_by_interval(a);
  if (!assumed_.empty() && is_assumed(a)) return {false, true};
  if (!assumed_.empty() && is_assumed(negation(a))) return {true, false};
  if (wide.decided()) return wide;
  const auto leaves = enumerable(a, enumeration_limit);
  if (!leaves) return wide;
  Truth out{false, false};
  Assignment at;
  const bool complete = for_each_assignment(*leaves, at, [&](const Assignment& now) {
    const auto v = evaluate_condition(a, now);
    if (!v) return false;
    (*v ? out.may_be_true : out.may_be_false) = true;
    return true;
  });
  return complete && (out.may_be_true || out.may_be_false) ? out : wide;
}

std::optional<std::pair<Term, IndexRange>> Scope::refinement(Term condition) const {
  if (condition->kind != Kind::at_most_zero) return std::nullopt;
  const std::vector<Monomial> parts = monomials(condition->children[0]);
  const Monomial* variable = nullptr;
  for (const Monomial& m : parts) {
    if (m.product == nullptr) continue;
    if (variable != nullptr) return std::nullopt;
    variable = &m;
  }
  if (variable == nullptr || abs(variable->coefficient) != 1) return std::nullopt;
  // c + x <= 0 or c - x <= 0.
  const Integer c = constant_part(condition->children[0]);
  IndexRange range;
  if (variable->coefficient > 0)
    range.high = Integer(-c);
  else
    range.low = c;
  return std::make_pair(variable->product, range);
}

bool Scope::inside(Term index, Term extent) const {
  // An index that counts from the end where it is negative.
  if (index->kind == Kind::index_select) {
    bool both = true;
    for (std::size_t branch : {1, 2}) {
      const Term condition = branch == 1 ? index->children[0] : negation(index->children[0]);
      const auto narrower = refinement(condition);
      if (!narrower || !refined_.emplace(*narrower).second) {
        both = false;
        break;
      }
      both = both && inside(index->children[branch], extent);
      refined_.erase(narrower->first);
    }
    if (both) return true;
  }
  const auto found = leaves_.find(index);
  if (found != leaves_.end() && found->second.extent == extent && found->second.range.low &&
      *found->second.range.low >= 0)
    return true;
  return truth(in_range(index, extent)).is_true();
}

bool Scope::always_some(const std::vector<Term>& variables, Term wanted) const {
  // Parts of the condition without a common leaf are chosen apart: rows and columns of a pooling window.
  std::vector<Term> parts = wanted->kind == Kind::conjunction ? wanted->children : std::vector<Term>{wanted};
  std::vector<Term> left = variables;
  while (!left.empty()) {
    std::set<Term, TermLess> leaves{left[0]};
    std::vector<Term> own;
    for (bool grown = true; grown;) {
      grown = false;
      for (Term& part : parts) {
        if (part == nullptr) continue;
        std::vector<Term> inside;
        for_each_node(part, [&](Term node) {
          if (leaves_.count(node) != 0) inside.push_back(node);
        });
        const bool shares =
            std::any_of(inside.begin(), inside.end(), [&](Term leaf) { return leaves.count(leaf) != 0; });
        if (!shares) continue;
        leaves.insert(inside.begin(), inside.end());
        own.push_back(part);
        part = nullptr;
        grown = true;
      }
    }
    std::vector<Term> chosen, others;
    for (Term v : left) (leaves.count(v) != 0 ? chosen : others).push_back(v);
    if (!component_has_some(chosen, conjunction(own))) return false;
    left = std::move(others);
  }
  for (Term part : parts)
    if (part != nullptr && !truth(part).is_true()) return false;
  return true;
}

bool Scope::component_has_some(const std::vector<Term>& variables, Term wanted) const {
  std::vector<Term> parts{wanted};
  bool non_empty = true;
  for (Term v : variables) {
    const Term extent = leaves_.at(v).extent;
    const IndexRange count = range(extent);
    non_empty = non_empty && count.low && *count.low >= 1;
    parts.push_back(less(v, extent));
  }
  if (non_empty && truth(wanted).is_true()) return true;
  // One value that always does: the first, the last, or that of another leaf (k <= row holds for k = row).
  if (variables.size() == 1) {
    const Term extent = leaves_.at(variables[0]).extent;
    std::vector<Term> candidates{integer(0L), subtract(extent, integer(1L))};
    for_each_node(wanted, [&](Term node) {
      if (node != variables[0] && leaves_.count(node) != 0) candidates.push_back(node);
    });
    for (Term t : candidates)
      if (inside(t, extent) && truth(substitute(wanted, {{variables[0], t}})).is_true()) return true;
  }
  // For all values of the other leaves the least or the greatest value that one part of the condition leaves
  // to the variable makes all of it true: windows that are too long to be looked at whole.
  const auto bound_always_does = [&](Term variable) {
    const Term extent = leaves_.at(variable).extent, zero = integer(0L);
    std::vector<Term> candidates{zero, subtract(extent, integer(1L))};
    for_each_node(wanted, [&](Term node) {
      Term slope = nullptr, rest = nullptr;
      if (node->kind != Kind::at_most_zero || !affine_in(node->children[0], variable, slope, rest)) return;
      const Integer* c = as_integer(slope);
      if (c == nullptr || *c == 0) return;
      const Integer size = abs(*c);
      candidates.push_back(
          *c < 0 ? index_max(zero, floor_div(add(rest, integer(Integer(size - 1))), integer(size)))
                 : index_min(candidates[1], floor_div(scale(Integer(-1), rest), integer(size))));
    });
    std::vector<Term> tests;
    for (const Term t : candidates)
      tests.push_back(conjunction({at_most(zero, t), less(t, extent), substitute(wanted, {{variable, t}})}));
    const Term any = disjunction(tests);
    const auto leaves = enumerable(any, enumeration_limit * 10);
    if (!leaves) return false;
    Assignment at;
    return for_each_assignment(*leaves, at, [&](const Assignment& all) {
      const auto holds = evaluate_condition(any, all);
      return holds.has_value() && *holds;
    });
  };
  if (variables.size() == 1 && bound_always_does(variables[0])) return true;
  const Term condition = conjunction(parts);
  const auto leaves = enumerable(condition, enumeration_limit * 10);
  if (!leaves) return false;
  std::vector<Term> outer, inner;
  for (Term leaf : *leaves) {
    const bool chosen = std::find(variables.begin(), variables.end(), leaf) != variables.end();
    (chosen ? inner : outer).push_back(leaf);
  }
  Assignment at;
  return for_each_assignment(outer, at, [&](const Assignment& fixed) {
    Assignment now = fixed;
    bool undecided = false;
    const bool none = for_each_assignment(inner, now, [&](const Assignment& all) {
      const auto v = evaluate_condition(condition, all);
      if (!v) undecided = true;
      return v.has_value() && !*v;
    });
    return !none && !undecided;
  });
}

}  // namespace hallmark::numerics
