#include "rules/any_type.h"

#include "base/error.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

class Structural {
 public:
  explicit Structural(Oracle& oracle) : oracle_(oracle) {}

  bool same(Term a, Term b, const Facts& facts) {
    if (a == b) return true;
    if (a->sort != b->sort) return false;
    if (a->sort == Sort::index()) return oracle_.entails(facts, equal(a, b), "EXT index");
    if (a->kind == Kind::select) return split(a, b, facts);
    if (b->kind == Kind::select) return split(b, a, facts);
    if (a->sort == Sort::boolean()) {
      if (oracle_.attempt([&] { return same_node(a, b, facts); })) return true;
      // Comparisons of elements are opaque here, so that this holds whatever is compared.
      return equivalent(a, b, facts);
    }
    return same_node(a, b, facts);
  }

 private:
  bool same_node(Term a, Term b, const Facts& facts) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
      case Kind::load:
        return a->name == b->name && all_same(a, b, facts);
      case Kind::operation:
        if (a->op != b->op || a->name != b->name || a->rounding != b->rounding ||
            a->children.size() != b->children.size())
          return false;
        if (oracle_.attempt([&] { return all_same(a, b, facts); })) return true;
        if (a->op == Op::custom) return same_by_laws(a, b, facts);
        // Operands that the interning order put the other way round; only operations that it reorders
        // commute.
        return a->children.size() >= 2 && rebuild(a, swapped(a->children)) == a && same_swapped(a, b, facts);
      case Kind::compare:
        return a->op == b->op && (oracle_.attempt([&] { return all_same(a, b, facts); }) ||
                                  (a->op == Op::eq && same_swapped(a, b, facts)));
      case Kind::from_index:
      case Kind::to_index:
      case Kind::is_nan:
      case Kind::negation:
        return all_same(a, b, facts);
      case Kind::cast:
        return a->format == b->format && all_same(a, b, facts);
      case Kind::conjunction:
      case Kind::disjunction:
        return a->children.size() == b->children.size() && all_same(a, b, facts);
      case Kind::fold:
        return same_folds(a, b, facts);
      default:
        return false;
    }
  }

  // Operands of nested applications of an associative operator, in order.
  static void operands(Term a, const std::string& name, std::vector<Term>& out) {
    if (a->kind == Kind::operation && a->op == Op::custom && a->name == name) {
      for (Term c : a->children) operands(c, name, out);
    } else {
      out.push_back(a);
    }
  }

  // The laws that the rule declares of its own operator.
  bool same_by_laws(Term a, Term b, const Facts& facts) {
    if (a->children.size() != 2) return false;
    std::vector<Term> left = a->children, right = b->children;
    if (oracle_.associates(a->name)) {
      left.clear();
      right.clear();
      operands(a, a->name, left);
      operands(b, a->name, right);
    }
    if (left.size() != right.size()) return false;
    // In order, or each operand of the left with one of the right that is still free.
    const bool free_order = oracle_.commutes(a->name);
    std::vector<bool> taken(right.size(), false);
    for (std::size_t i = 0; i < left.size(); ++i) {
      bool found = false;
      for (std::size_t j = 0; j < right.size() && !found; ++j) {
        if (taken[j] || (!free_order && i != j)) continue;
        found = oracle_.attempt([&] { return same(left[i], right[j], facts); });
        if (found) taken[j] = true;
      }
      if (!found) return false;
    }
    return true;
  }

  static std::vector<Term> swapped(std::vector<Term> c) {
    std::swap(c[0], c[1]);
    return c;
  }

  static bool has_elements(Term a) {
    bool found = false;
    for_each_node(a, [&](Term n) {
      found = found || n->kind == Kind::compare || n->kind == Kind::is_nan || n->kind == Kind::load;
    });
    return found;
  }

  bool equivalent(Term a, Term b, const Facts& facts) {
    return oracle_.entails(facts, both(either(negation(a), b), either(a, negation(b))), "EXT guard");
  }

  bool all_same(Term a, Term b, const Facts& facts) {
    if (a->children.size() != b->children.size()) return false;
    for (std::size_t i = 0; i < a->children.size(); ++i)
      if (!same(a->children[i], b->children[i], facts)) return false;
    return true;
  }

  bool same_swapped(Term a, Term b, const Facts& facts) {
    if (!same(a->children[0], b->children[1], facts) || !same(a->children[1], b->children[0], facts))
      return false;
    for (std::size_t i = 2; i < a->children.size(); ++i)
      if (!same(a->children[i], b->children[i], facts)) return false;
    return true;
  }

  static Facts with(const Facts& facts, Term more) {
    Facts out = facts;
    out.push_back(more);
    return out;
  }

  // `chosen` is a select: under each arm's condition the other term has to be that arm. An arm that cannot be
  // taken is skipped.
  bool split(Term chosen, Term other, const Facts& facts) {
    const Term condition = chosen->children[0];
    // A condition on elements is not index arithmetic: both sides must then choose by the same condition.
    if (has_elements(condition)) {
      if (other->kind != Kind::select || !same(condition, other->children[0], facts)) return false;
      return same(chosen->children[1], other->children[1], facts) &&
             same(chosen->children[2], other->children[2], facts);
    }
    const Facts yes = with(facts, condition), no = with(facts, negation(condition));
    return (oracle_.entails(facts, negation(condition), "HOIST arm") ||
            same(chosen->children[1], other, yes)) &&
           (oracle_.entails(facts, condition, "HOIST arm") || same(chosen->children[2], other, no));
  }

  bool same_folds(Term a, Term b, const Facts& facts) {
    if (a->size != b->size || a->which != b->which || a->order != b->order) return false;
    FoldParts x = open(a), y = open(b);
    if (!same(x.extent, y.extent, facts) || !x.combine.empty() || !y.combine.empty()) return false;
    Substitution map{{y.variable, x.variable}};
    for (std::size_t j = 0; j < x.states.size(); ++j) {
      if (x.states[j]->sort != y.states[j]->sort || !same(x.init[j], y.init[j], facts)) return false;
      map[y.states[j]] = x.states[j];
    }
    const Facts inside = with(facts, in_range(x.variable, x.extent));
    const Term guard = substitute(y.guard, map);
    if (!same(x.guard, guard, inside)) return false;
    const Facts step = with(inside, x.guard);
    for (std::size_t j = 0; j < x.states.size(); ++j)
      if (!same(x.step[j], substitute(y.step[j], map), step)) return false;
    return true;
  }

  Oracle& oracle_;
};

}  // namespace

bool same_operations(Term left, Term right, const Facts& facts, Oracle& oracle) {
  return oracle.attempt([&] { return Structural(oracle).same(left, right, facts); });
}

}  // namespace hallmark::rules
