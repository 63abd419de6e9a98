#include "validator/symbolic/exact_quotient.h"

#include <algorithm>

#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Monomial;
using calculus::Term;

namespace {

constexpr int most_steps = 64;  // monomials of a quotient; beyond it none is found

// Lexicographic: the greater atom of the two, and of it the more, comes first.
bool is_before(const Monomial& m, const Monomial& n) {
  std::vector<Term> a = factors_of(m.product), b = factors_of(n.product);
  const auto order = [](Term x, Term y) { return calculus::compare_terms(x, y) > 0; };
  std::sort(a.begin(), a.end(), order);
  std::sort(b.begin(), b.end(), order);
  return std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end(),
                                      [](Term x, Term y) { return calculus::compare_terms(x, y) < 0; });
}

Monomial leading(const std::vector<Monomial>& monomials) {
  return *std::min_element(monomials.begin(), monomials.end(), is_before);
}

// m / n; nullptr where it is no monomial.
Term divided(const Monomial& m, const Monomial& n) {
  if (floor_mod(m.coefficient, abs(n.coefficient)) != 0) return nullptr;
  std::vector<Term> atoms = factors_of(m.product);
  for (Term atom : factors_of(n.product)) {
    const auto at = std::find(atoms.begin(), atoms.end(), atom);
    if (at == atoms.end()) return nullptr;
    atoms.erase(at);
  }
  Term out = calculus::integer(Integer(m.coefficient / n.coefficient));
  for (Term atom : atoms) out = calculus::multiply(out, atom);
  return out;
}

}  // namespace

Term exact_quotient(Term b, Term a) {
  if (a == calculus::integer(0)) return nullptr;
  const Monomial lead = leading(calculus::monomials(a));
  Term quotient = calculus::integer(0), rest = b;
  for (int step = 0; step < most_steps; ++step) {
    if (rest == calculus::integer(0)) return quotient;
    const Term next = divided(leading(calculus::monomials(rest)), lead);
    if (next == nullptr) return nullptr;
    quotient = calculus::add(quotient, next);
    rest = calculus::subtract(b, calculus::multiply(a, quotient));
  }
  return nullptr;
}

}  // namespace hallmark::validator
