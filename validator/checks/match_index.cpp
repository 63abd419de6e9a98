// Equality of indices, beyond what the solvers' linear arithmetic sees by itself.
#include <algorithm>

#include "validator/checks/match.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

// Beyond that many on a side, factors are not paired: each pair is a question.
constexpr std::size_t most_choosing_factors = 8;

}  // namespace

// Elements that are read as indices are atoms to the solvers: those of `spec` at the places of those of
// `kernel` are named as the kernel names them (congruence), and choices that are decided, by their ranges
// perhaps, are made.
Term Matcher::aligned(Term spec, Term kernel, const Scope& scope) {
  std::vector<Term> mine;
  calculus::for_each_node(kernel, [&](Term node) {
    if (node->kind == Kind::to_index && node->children[0]->kind == Kind::load)
      mine.push_back(node->children[0]);
  });
  return calculus::rewrite(spec, [&](Term node) -> Term {
    if (node->kind == Kind::load) {
      for (Term own : mine) {
        if (own->name != node->name || own->sort != node->sort ||
            own->children.size() != node->children.size())
          continue;
        const std::size_t mark = prover_.mark();
        bool same = true;
        for (std::size_t d = 0; d < own->children.size() && same; ++d)
          same = own->children[d] == node->children[d] ||
                 prover_.rely(scope, calculus::equal(own->children[d], node->children[d]));
        if (same) return own;
        prover_.rewind(mark);
      }
    } else if (node->kind == Kind::index_select) {
      if (const auto known = prover_.decide(scope, node->children[0])) return node->children[*known ? 1 : 2];
    }
    return node;
  });
}

// Products are atoms to the solvers: a factor of `spec` that chooses (a least or a greatest, say) and equals
// one of `kernel` is replaced by it, so that the products become the same.
Term Matcher::with_factors_of(Term kernel, Term spec, const Scope& scope) {
  const auto choosing = [](Term p) {
    std::vector<Term> out;
    for (const calculus::Monomial& m : calculus::monomials(p)) {
      if (m.product == nullptr || m.product->kind != Kind::product) continue;
      for (Term factor : m.product->children)
        if ((factor->kind == Kind::index_select || factor->kind == Kind::index_min ||
             factor->kind == Kind::index_max) &&
            std::find(out.begin(), out.end(), factor) == out.end())
          out.push_back(factor);
    }
    return out;
  };
  const std::vector<Term> mine = choosing(kernel), theirs = choosing(spec);
  if (mine.size() > most_choosing_factors || theirs.size() > most_choosing_factors) return spec;
  calculus::Substitution names;
  for (Term their : theirs)
    for (Term own : mine)
      if (own != their && prover_.rely(scope, calculus::equal(own, their))) {
        names[their] = own;
        break;
      }
  return names.empty() ? spec : calculus::substitute(spec, names);
}

// Quotients by an extent that are -1, 0 or 1 where they stand: what wraps around once.
Term Matcher::with_known_quotients(Term term, const Scope& scope) {
  return calculus::rewrite(term, [&](Term node) -> Term {
    if (node->kind != Kind::floor_div || node->open || calculus::as_integer(node->children[1]) != nullptr)
      return node;
    const Term p = node->children[0], n = node->children[1];
    for (const long quotient : {0L, -1L, 1L}) {
      const Term rest = calculus::subtract(p, calculus::scale(quotient, n));
      if (prover_.rely(scope, calculus::in_range(rest, n))) return calculus::integer(quotient);
    }
    return node;
  });
}

bool Matcher::equal_index(Term a, Term b, const Scope& scope) {
  if (a == b || prover_.rely(scope, calculus::equal(a, b))) return true;
  {
    const std::size_t mark = prover_.mark();
    const Term x = with_known_quotients(a, scope), y = with_known_quotients(b, scope);
    if ((x != a || y != b) && (x == y || prover_.rely(scope, calculus::equal(x, y)))) return used("quotient");
    prover_.rewind(mark);
  }
  {
    const std::size_t mark = prover_.mark();
    const Term there = with_factors_of(a, b, scope);
    if (there != b && (a == there || prover_.rely(scope, calculus::equal(a, there))))
      return used("congruence");
    prover_.rewind(mark);
  }
  // Not under folds, where an index is not one number.
  const auto reads = [](Term t) {
    bool found = false, folds = false;
    calculus::for_each_node(t, [&](Term node) {
      found = found || node->kind == Kind::to_index;
      folds = folds || node->kind == Kind::fold;
    });
    return found && !folds;
  };
  if (!reads(a) || !reads(b)) return false;
  const std::size_t mark = prover_.mark();
  const Term there = aligned(b, a, scope);
  if (there != b && (a == there || prover_.rely(scope, calculus::equal(a, there)))) return used("congruence");
  prover_.rewind(mark);
  return false;
}

}  // namespace hallmark::validator
