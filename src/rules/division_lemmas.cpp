#include "rules/division_lemmas.h"

#include <algorithm>
#include <map>
#include <set>

namespace hallmark::rules {

using namespace calculus;

namespace {

constexpr std::size_t most_multiples = 6;  // of one divisor

bool is_closed(Term t) {
  return t->free_heights.empty();
}

constexpr std::size_t most_scaled = 12;

// An inequality that is said stays one when it is multiplied by a size of at least 0: of those products that
// meet one of the claim.
void append_scaled(std::vector<Term>& out, const std::vector<Term>& claim,
                   const std::set<Term, TermLess>& products) {
  std::set<Term, TermLess> inequalities, sizes;
  for (Term t : claim)
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::at_most_zero && n->free_heights.empty()) inequalities.insert(n);
    });
  for (Term product : products)
    for (Term factor : product->children)
      if (factor->kind == Kind::symbol) sizes.insert(factor);
  const std::size_t before = out.size();
  for (Term size : sizes)
    for (Term h : inequalities) {
      const Term scaled = multiply(size, h->children[0]);
      std::size_t met = 0, own = 0;
      for (const Monomial& m : monomials(scaled))
        if (m.product != nullptr && m.product->kind == Kind::product) {
          ++own;
          met += products.count(m.product);
        }
      if (own < 2 || met < 2 || out.size() - before >= most_scaled) continue;
      out.push_back(
          disjunction({less(size, integer(Integer(0))), negation(h), at_most(scaled, integer(Integer(0)))}));
    }
}

}  // namespace

std::vector<Term> division_lemmas(const std::vector<Term>& claim) {
  // What each divisor is multiplied by.
  std::map<Term, std::set<Term, TermLess>, TermLess> multiples;
  std::vector<std::pair<Term, Term>> divisions;  // quotient term, dividend
  std::set<Term, TermLess> products;
  for (Term t : claim)
    for_each_node(t, [&](Term n) {
      if (!is_closed(n)) return;
      if (n->kind == Kind::floor_div && as_integer(n->children[1]) == nullptr) {
        multiples[n->children[1]].insert(n);
        divisions.push_back({n, n->children[0]});
      }
      if (n->kind == Kind::product) products.insert(n);
    });
  // A factor of a product that is a divisor, or any atom when nothing is divided.
  for (Term product : products)
    for (Term factor : product->children) {
      const bool divisor = multiples.count(factor) != 0;
      if (!divisor && !(divisions.empty() && factor->kind == Kind::symbol)) continue;
      Term coefficient = nullptr, rest = nullptr;
      if (affine_in(product, factor, coefficient, rest)) multiples[factor].insert(coefficient);
    }
  // Beside divisions, a size that two single atoms are multiplied by: an index times a stride, and its bound.
  if (!divisions.empty()) {
    std::map<Term, std::set<Term, TermLess>, TermLess> strides;
    for (Term product : products)
      for (Term factor : product->children) {
        if (factor->kind != Kind::symbol || product->children.size() != 2 || multiples.count(factor) != 0)
          continue;
        const Term other = product->children[product->children[0] == factor ? 1 : 0];
        if (other->kind == Kind::symbol || other->kind == Kind::axis || other->kind == Kind::variable)
          strides[factor].insert(other);
      }
    for (auto& [size, of] : strides)
      if (of.size() > 1) multiples[size] = std::move(of);
  }
  // What a size is multiplied by in all of an inequality: p t + p q i is p (t + q i).
  std::map<Term, std::set<Term, TermLess>, TermLess> sums;
  if (divisions.empty())
    for (Term t : claim)
      for_each_node(t, [&](Term n) {
        if (n->kind != Kind::at_most_zero || !is_closed(n)) return;
        for (const auto& [size, of] : multiples) {
          Term coefficient = nullptr, rest = nullptr;
          if (!affine_in(n->children[0], size, coefficient, rest)) continue;
          coefficient = subtract(coefficient, integer(constant_part(coefficient)));
          const std::vector<Monomial> parts = monomials(coefficient);
          if (parts.size() < 2) continue;
          sums[size].insert(parts[0].coefficient < 0 ? scale(-1, coefficient) : coefficient);
        }
      });
  for (const auto& [size, of] : sums) {
    multiples[size].insert(of.begin(), of.end());
    // The products inside are new ones.
    for (Term sum : of)
      for (const Monomial& m : monomials(sum)) {
        if (m.product == nullptr || m.product->kind != Kind::product) continue;
        for (Term factor : m.product->children) {
          Term coefficient = nullptr, rest = nullptr;
          if (factor->kind == Kind::symbol && affine_in(m.product, factor, coefficient, rest))
            multiples[factor].insert(coefficient);
        }
      }
  }
  // Of a product of three or more, also two sizes together: strides multiply.
  if (divisions.empty()) {
    std::map<Term, std::set<Term, TermLess>, TermLess> together;
    for (Term product : products) {
      const std::vector<Term>& factors = product->children;
      for (std::size_t i = 0; i < factors.size() && factors.size() > 2; ++i)
        for (std::size_t j = i + 1; j < factors.size(); ++j) {
          if (factors[i]->kind != Kind::symbol || factors[j]->kind != Kind::symbol) continue;
          Term rest = integer(Integer(1));
          for (std::size_t k = 0; k < factors.size(); ++k)
            if (k != i && k != j) rest = multiply(rest, factors[k]);
          together[multiply(factors[i], factors[j])].insert(rest);
        }
    }
    for (auto& [pair, of] : together)
      if (of.size() > 1) multiples[pair] = std::move(of);
  }
  // Divisors that are sums occur multiplied out; their quotients' multiples are known from EUCLID.
  std::vector<Term> out;
  const Term zero = integer(Integer(0)), one = integer(Integer(1));
  std::set<Term, TermLess> seen;
  for (const auto& [quotient, dividend] : divisions) {
    if (!seen.insert(quotient).second) continue;
    const Term d = quotient->children[1], low = multiply(d, quotient);
    out.push_back(either(at_most(d, zero), both(at_most(low, dividend), less(dividend, add(low, d)))));
  }
  if (divisions.empty()) append_scaled(out, claim, products);
  for (const auto& [d, of] : multiples) {
    // Sums first: they are fewer, and seldom spoken of otherwise.
    std::vector<Term> list(of.begin(), of.end());
    std::stable_partition(list.begin(), list.end(), [](Term t) { return t->kind == Kind::polynomial; });
    if (list.size() > most_multiples) list.resize(most_multiples);
    list.push_back(zero);
    list.push_back(one);
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < list.size(); ++j) {
        const Term u = list[i], v = list[j];
        if (i == j || (as_integer(u) != nullptr && as_integer(v) != nullptr)) continue;
        out.push_back(
            disjunction({at_most(d, zero), at_most(v, u), at_most(add(multiply(d, u), d), multiply(d, v))}));
      }
  }
  return out;
}

}  // namespace hallmark::rules
