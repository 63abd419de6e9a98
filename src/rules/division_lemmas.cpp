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
  // Divisors that are sums occur multiplied out; their quotients' multiples are known from EUCLID.
  std::vector<Term> out;
  const Term zero = integer(Integer(0)), one = integer(Integer(1));
  std::set<Term, TermLess> seen;
  for (const auto& [quotient, dividend] : divisions) {
    if (!seen.insert(quotient).second) continue;
    const Term d = quotient->children[1], low = multiply(d, quotient);
    out.push_back(either(at_most(d, zero), both(at_most(low, dividend), less(dividend, add(low, d)))));
  }
  for (const auto& [d, of] : multiples) {
    std::vector<Term> list(of.begin(), of.end());
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
