#include "rules/abstraction.h"

#include <algorithm>
#include <string>

namespace hallmark::rules {

using namespace calculus;

namespace {

bool is_free_index(Term a) {
  if (a->sort != Sort::index()) return false;
  bool bound = false, free = false;
  for_each_node(a, [&](Term n) {
    bound = bound || n->kind == Kind::bound || n->kind == Kind::state || n->kind == Kind::load;
    free = free || n->kind == Kind::axis || n->kind == Kind::variable;
  });
  return free && !bound;
}

}  // namespace

Abstraction::Abstraction(Term a) {
  skeleton_ = run(a);
}

Term Abstraction::hole(std::size_t i) {
  return variable("hole" + std::to_string(i));
}

Term Abstraction::run(Term a) {
  if (is_free_index(a)) {
    const auto known = std::find(arguments_.begin(), arguments_.end(), a);
    const std::size_t at = static_cast<std::size_t>(known - arguments_.begin());
    if (known == arguments_.end()) arguments_.push_back(a);
    return hole(at);
  }
  if (a->children.empty()) return a;
  if (a->kind == Kind::fold) return closed_fold(a);
  std::vector<Term> children;
  for (Term child : a->children) children.push_back(run(child));
  return rebuild(a, children);
}

// The fold's own variable is not a hole: while its body is walked it stands as a symbol of a name that no
// text can have, and an index that mixes it with outer variables is abstracted below its sum.
Term Abstraction::closed_fold(Term a) {
  FoldParts parts = calculus::open(a);
  const Term own = load("own" + std::to_string(depth_++) + "'", {}, Sort::integer(Format::i64));
  const Substitution hide{{parts.variable, to_index(own)}}, show{{to_index(own), parts.variable}};
  parts.extent = run(parts.extent);
  for (Term& t : parts.init) t = run(t);
  parts.guard = substitute(run(substitute(parts.guard, hide)), show);
  for (Term& t : parts.step) t = substitute(run(substitute(t, hide)), show);
  --depth_;
  return fold(parts, a->which);
}

}  // namespace hallmark::rules
