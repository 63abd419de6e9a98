#include "validator/symbolic/flat_index.h"

#include <algorithm>

#include "validator/symbolic/exact_quotient.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

bool occurs(Term needle, Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node == needle; });
  return found;
}

// The unknowns of a sum of them, whose coefficients may be symbolic as in a grid-stride loop; none where it
// is something else.
std::vector<Term> unknowns_of(Term index, const std::vector<Term>& unknowns) {
  std::vector<Term> out;
  for (Term u : unknowns) {
    if (!occurs(u, index)) continue;
    Term coefficient = nullptr, rest = nullptr;
    if (!calculus::affine_in(index, u, coefficient, rest) ||
        std::any_of(unknowns.begin(), unknowns.end(), [&](Term v) { return occurs(v, coefficient); }))
      return {};
    out.push_back(u);
  }
  return out;
}

}  // namespace

std::optional<FlatIndex> take_flat_index_apart(Term address, const std::vector<Term>& unknowns) {
  FlatIndex out;
  std::vector<Term> quotients;  // of the index, in the address
  calculus::for_each_node(address, [&](Term node) {
    if (node->kind != Kind::floor_div) return;
    const Term index = node->children[0], divisor = node->children[1];
    if (out.index != nullptr) {
      if (index == out.index) quotients.push_back(node);
      return;
    }
    const bool plain = std::find(unknowns.begin(), unknowns.end(), index) != unknowns.end();
    if (plain && calculus::as_integer(divisor) != nullptr) return;  // a digit of one unknown
    out.unknowns = unknowns_of(index, unknowns);
    if (out.unknowns.empty()) return;
    out.index = index;
    quotients.push_back(node);
  });
  if (out.index == nullptr) return std::nullopt;
  // The divisors, each dividing the next.
  std::vector<Term> divisors;
  for (Term q : quotients)
    if (std::find(divisors.begin(), divisors.end(), q->children[1]) == divisors.end())
      divisors.push_back(q->children[1]);
  std::sort(divisors.begin(), divisors.end(),
            [](Term a, Term b) { return calculus::compare_terms(a, b) < 0; });
  std::stable_sort(divisors.begin(), divisors.end(), [](Term a, Term b) {
    const Term ratio = exact_quotient(b, a);
    return ratio != nullptr && exact_quotient(a, b) == nullptr;
  });
  std::vector<Term> radices;
  Term before = calculus::integer(1);
  for (Term divisor : divisors) {
    const Term radix = exact_quotient(divisor, before);
    if (radix == nullptr) return std::nullopt;
    radices.push_back(radix);
    before = divisor;
  }
  // A name of its own for the digits of each index: an address may hold several.
  std::size_t depth = 0;
  for (Term u : unknowns)
    if (u->name.rfind("flat.", 0) == 0) ++depth;
  out.value = calculus::integer(0);
  Term weight = calculus::integer(1);
  const auto quotient_of = [&](std::size_t k) {
    return k == 0 ? out.index : calculus::floor_div(out.index, divisors[k - 1]);
  };
  for (std::size_t k = 0; k <= divisors.size(); ++k) {
    out.digits.push_back(calculus::variable("flat." + std::to_string(depth) + "." + std::to_string(k)));
    out.value = calculus::add(out.value, calculus::multiply(weight, out.digits.back()));
    out.of_index[out.digits.back()] =
        k == divisors.size()
            ? quotient_of(k)
            : calculus::subtract(quotient_of(k), calculus::multiply(radices[k], quotient_of(k + 1)));
    if (k == divisors.size()) break;
    weight = divisors[k];
    out.ranges.push_back(calculus::in_range(out.digits.back(), radices[k]));
  }
  calculus::Substitution digits;
  for (Term q : quotients) {
    const auto k = static_cast<std::size_t>(std::find(divisors.begin(), divisors.end(), q->children[1]) -
                                            divisors.begin());
    Term quotient = calculus::integer(0), ratio = calculus::integer(1);
    for (std::size_t j = k + 1; j < out.digits.size(); ++j) {
      quotient = calculus::add(quotient, calculus::multiply(ratio, out.digits[j]));
      if (j < divisors.size()) ratio = calculus::multiply(ratio, radices[j]);
    }
    digits[q] = quotient;
  }
  out.address = calculus::substitute(address, digits);
  // The rest of the address sees the index as a whole: one of its unknowns gives way to it.
  for (Term u : out.unknowns) {
    Term coefficient = nullptr, rest = nullptr;
    if (!calculus::affine_in(out.index, u, coefficient, rest)) return std::nullopt;
    if (coefficient != calculus::integer(1)) continue;
    out.address = calculus::substitute(out.address, {{u, calculus::subtract(out.value, rest)}});
    break;
  }
  for (Term u : out.unknowns)
    if (occurs(u, out.address)) return std::nullopt;
  return out;
}

}  // namespace hallmark::validator
