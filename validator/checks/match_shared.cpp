// Values that loops use without computing them, like the greatest element in the sum of a row's exponentials.
#include <functional>
#include <set>
#include <vector>

#include "validator/checks/match.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

constexpr std::size_t most_pairs = 8;

bool has_load(Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node->kind == Kind::load; });
  return found;
}

// The greatest subterms below loops that do not depend on the loop and read memory.
std::vector<Term> constant_in_loops(Term term) {
  std::vector<Term> found;
  std::set<Term> known, seen;
  const std::function<void(Term, bool)> visit = [&](Term node, bool inside) {
    const bool closed = node->free_heights.empty();
    if (inside && closed) {
      if (node->sort.kind == calculus::Sort::Kind::floating && has_load(node) && known.insert(node).second)
        found.push_back(node);
      return;
    }
    if (!inside && node->height == 0) return;  // no loop in it
    if (!seen.insert(node).second) return;
    for (Term child : node->children) visit(child, inside || node->kind == Kind::fold);
  };
  visit(term, false);
  return found;
}

Term renamed(Term term, const calculus::Substitution& names) {
  return calculus::rewrite(term, [&](Term node) {
    const auto found = names.find(node);
    return found != names.end() ? found->second : node;
  });
}

}  // namespace

bool Matcher::match_value(Term kernel, Term spec, const Scope& scope) {
  Term own_left = kernel, their_left = spec;
  std::size_t left = most_pairs;
  for (Term theirs : constant_in_loops(spec)) {
    if (theirs->height == 0) continue;  // compared where it stands
    for (Term own : constant_in_loops(kernel)) {
      if (own->sort != theirs->sort || left == 0) continue;
      --left;
      begin_budget();
      if (!match(own, theirs, scope)) continue;
      const Term name = calculus::fresh_variable("shared", own->sort);
      own_left = renamed(own_left, {{own, name}});
      their_left = renamed(their_left, {{theirs, name}});
      break;
    }
  }
  if (own_left != kernel) {
    begin_budget();
    const std::size_t mark = prover_.mark();
    if (match(own_left, their_left, scope)) return used("one name for one value");
    rewind(mark);
  }
  // Elsewhere the kernel may have the value in another form, which has no name.
  begin_budget();
  failure_.clear();
  deepest_ = -1;
  return match(kernel, spec, scope);
}

void Matcher::begin_budget() {
  steps_ = 0;
  probes_before_ = prover_.probes();
}

}  // namespace hallmark::validator
