#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "calculus/arena.h"

namespace hallmark::calculus {
namespace {

bool mentions(Term a, const Substitution& map, std::unordered_map<Term, bool>& memo) {
  if (map.count(a) != 0) return true;
  if (a->children.empty()) return false;
  if (const auto found = memo.find(a); found != memo.end()) return found->second;
  bool result = false;
  for (Term child : a->children)
    if (mentions(child, map, memo)) {
      result = true;
      break;
    }
  memo.emplace(a, result);
  return result;
}

class Substituter {
 public:
  explicit Substituter(const Substitution& map) : map_(map) {
    for (const auto& [from, to] : map)
      plain_ = plain_ && from->height == 0 && to->height == 0 && to->free_heights.empty();
  }

  Term run(Term a) {
    if (const auto found = map_.find(a); found != map_.end()) return found->second;
    if (a->children.empty() || !mentions(a, map_, mentions_)) return a;
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    Term result = nullptr;
    if (a->kind == Kind::fold) {
      if (plain_) result = in_place(a);
      if (result == nullptr) result = taken_apart(a);
    } else {
      std::vector<Term> children;
      children.reserve(a->children.size());
      for (Term child : a->children) children.push_back(run(child));
      result = rebuild(a, children);
    }
    memo_.emplace(a, result);
    return result;
  }

 private:
  // Replacements without folds leave binders as high as they are, unless a fold inside falls away: then
  // nothing. Without new names, of which each would stay for ever: rules are executed with many sizes.
  Term in_place(Term a) {
    Node n = *a;
    int height = 0;
    for (Term& child : n.children) {
      child = run(child);
      height = std::max(height, child->height);
    }
    return height + 1 == a->number ? intern(std::move(n)) : nullptr;
  }

  // A replacement may contain folds as high as this one: take the binder apart, so that closing chooses anew.
  Term taken_apart(Term a) {
    FoldParts parts = open(a);
    parts.extent = run(parts.extent);
    parts.guard = run(parts.guard);
    for (auto* list : {&parts.init, &parts.step, &parts.combine})
      for (Term& t : *list) t = run(t);
    return fold(parts, a->which);
  }

  const Substitution& map_;
  std::unordered_map<Term, Term> memo_;
  std::unordered_map<Term, bool> mentions_;
  bool plain_ = true;  // every key and replacement is free of folds and of what they bind
};

Term rewrite_one(Term a, const std::function<Term(Term)>& visit, std::unordered_map<Term, Term>& memo) {
  if (const auto found = memo.find(a); found != memo.end()) return found->second;
  Term result = a;
  if (a->kind == Kind::fold) {
    FoldParts parts = open(a);
    parts.extent = rewrite_one(parts.extent, visit, memo);
    parts.guard = rewrite_one(parts.guard, visit, memo);
    for (auto* list : {&parts.init, &parts.step, &parts.combine})
      for (Term& t : *list) t = rewrite_one(t, visit, memo);
    for (std::size_t j = 0; j < parts.states.size(); ++j)
      ensure(parts.states[j]->sort == parts.init[j]->sort,
             "rewrite() changed the sort of a fold's state; open the fold instead");
    result = fold(parts, a->which);
  } else if (!a->children.empty()) {
    std::vector<Term> children;
    children.reserve(a->children.size());
    for (Term child : a->children) children.push_back(rewrite_one(child, visit, memo));
    if (children != a->children) result = rebuild(a, children);
  }
  result = visit(result);
  memo.emplace(a, result);
  return result;
}

void walk(Term a, const std::function<void(Term)>& visit, std::unordered_set<Term>& seen) {
  if (!seen.insert(a).second) return;
  for (Term child : a->children) walk(child, visit, seen);
  visit(a);
}

}  // namespace

Term rebuild(Term a, const std::vector<Term>& c) {
  switch (a->kind) {
    case Kind::product: {
      Term out = c.at(0);
      for (std::size_t i = 1; i < c.size(); ++i) out = multiply(out, c[i]);
      return out;
    }
    case Kind::polynomial: {
      std::vector<Term> parts;
      for (std::size_t i = 0; i < c.size(); ++i) parts.push_back(scale(a->coefficients[i], c[i]));
      return add(parts);
    }
    case Kind::floor_div:
      return floor_div(c.at(0), c.at(1));
    case Kind::index_min:
    case Kind::index_max: {
      Term out = c.at(0);
      for (std::size_t i = 1; i < c.size(); ++i)
        out = a->kind == Kind::index_min ? index_min(out, c[i]) : index_max(out, c[i]);
      return out;
    }
    case Kind::index_select:
      return index_select(c.at(0), c.at(1), c.at(2));
    case Kind::to_index:
      return to_index(c.at(0));
    case Kind::at_most_zero:
      return at_most(c.at(0), integer(Integer(0)));
    case Kind::is_zero:
      return equal(c.at(0), integer(Integer(0)));
    case Kind::conjunction:
      return conjunction(c);
    case Kind::disjunction:
      return disjunction(c);
    case Kind::negation:
      return negation(c.at(0));
    case Kind::compare:
      return compare(a->op, c.at(0), c.at(1));
    case Kind::is_nan:
      return is_nan(c.at(0));
    case Kind::load:
      return load(a->name, c, a->sort);
    case Kind::operation:
      if (a->op == Op::custom) return custom_operation(a->name, c, a->sort);
      return operation(a->op, c, a->sort, a->rounding, a->flush_subnormals);
    case Kind::select:
      return select(c.at(0), c.at(1), c.at(2));
    case Kind::from_index:
      return from_index(c.at(0), a->sort);
    case Kind::cast:
      return cast(c.at(0), a->sort, a->format);
    default:
      throw InternalError("rebuild() of a leaf or a fold");
  }
}

Term substitute(Term a, const Substitution& map) {
  return map.empty() ? a : Substituter(map).run(a);
}

Term instantiate(Term body, const std::vector<Term>& indices) {
  Substitution map;
  for (std::size_t d = 0; d < indices.size(); ++d) map[axis(static_cast<int>(d))] = indices[d];
  return substitute(body, map);
}

Term rewrite(Term a, const std::function<Term(Term)>& visit) {
  std::unordered_map<Term, Term> memo;
  return rewrite_one(a, visit, memo);
}

void for_each_node(Term a, const std::function<void(Term)>& visit) {
  std::unordered_set<Term> seen;
  walk(a, visit, seen);
}

}  // namespace hallmark::calculus
