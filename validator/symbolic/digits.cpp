#include "validator/symbolic/digits.h"

#include <algorithm>
#include <map>
#include <string>

#include "validator/symbolic/divide.h"
#include "validator/symbolic/exact_quotient.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

constexpr const char* digit_stem = "radix.";
constexpr int most_indices = 4;  // of one claim: two threads with two indices each

bool occurs(Term needle, Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) { found = found || node == needle; });
  return found;
}

bool is_symbolic(Term divisor) {
  return calculus::as_integer(divisor) == nullptr;
}

// What a thread, a block or an iteration is called: all that may give way to digits.
bool is_unknown(Term term) {
  if (term->kind == Kind::variable || term->kind == Kind::axis) return true;
  for (int d = 0; d < 3; ++d)
    if (term == thread_symbol(d) || term == block_symbol(d)) return true;
  return false;
}

// A flat index, +-leaf + rest, and what it is divided by.
struct Flat {
  Term index = nullptr, leaf = nullptr, rest = nullptr;
  bool negative = false;
  std::vector<Term> divisors;  // each divides the next
};

// The unknown of the index, of coefficient 1 or -1 and nowhere else in it, that gives way.
bool find_leaf(Flat& flat) {
  for (const calculus::Monomial& m : calculus::monomials(flat.index)) {
    if (m.product == nullptr || !is_unknown(m.product) || abs(m.coefficient) != 1) continue;
    const Term rest = calculus::subtract(flat.index, calculus::scale(m.coefficient, m.product));
    const bool elsewhere =
        occurs(m.product, rest) || std::any_of(flat.divisors.begin(), flat.divisors.end(),
                                               [&](Term divisor) { return occurs(m.product, divisor); });
    if (elsewhere) continue;
    flat.leaf = m.product;
    flat.rest = rest;
    flat.negative = m.coefficient < 0;
    return true;
  }
  return false;
}

// The longest that a greedy look finds of the divisors of which each divides the next.
std::vector<Term> chain_of(std::vector<Term> divisors) {
  const auto degree = [](Term divisor) {
    std::size_t out = 0;
    for (const calculus::Monomial& m : calculus::monomials(divisor))
      out = std::max(out, m.product == nullptr               ? std::size_t{0}
                          : m.product->kind == Kind::product ? m.product->children.size()
                                                             : std::size_t{1});
    return out;
  };
  std::sort(divisors.begin(), divisors.end(), [&](Term a, Term b) {
    if (degree(a) != degree(b)) return degree(a) < degree(b);
    if (const Term ratio = exact_quotient(b, a); ratio != nullptr && exact_quotient(a, b) == nullptr)
      return true;
    if (exact_quotient(a, b) != nullptr) return false;
    return calculus::compare_terms(a, b) < 0;
  });
  std::vector<Term> best;
  for (std::size_t first = 0; first < divisors.size(); ++first) {
    std::vector<Term> chain{divisors[first]};
    for (std::size_t next = first + 1; next < divisors.size(); ++next)
      if (exact_quotient(divisors[next], chain.back()) != nullptr) chain.push_back(divisors[next]);
    if (chain.size() > best.size()) best = chain;
  }
  return best;
}

// The first index among the terms that is divided by a symbol and does not hold another such division.
std::optional<Flat> find_index(const std::vector<Term>& terms) {
  std::vector<Term> indices;
  std::map<Term, std::vector<Term>> divisors;
  for (Term term : terms)
    calculus::for_each_node(term, [&](Term node) {
      // What a fold binds is nothing outside it.
      if (node->kind != Kind::floor_div || !node->free_heights.empty()) return;
      if (divisors.count(node->children[0]) == 0) indices.push_back(node->children[0]);
      std::vector<Term>& by = divisors[node->children[0]];
      if (std::find(by.begin(), by.end(), node->children[1]) == by.end()) by.push_back(node->children[1]);
    });
  for (Term index : indices) {
    const std::vector<Term>& by = divisors.at(index);
    if (std::none_of(by.begin(), by.end(), is_symbolic)) continue;
    bool holds_another = false;
    calculus::for_each_node(index, [&](Term node) {
      holds_another = holds_another || (node->kind == Kind::floor_div && is_symbolic(node->children[1]));
    });
    if (holds_another) continue;
    Flat out;
    out.index = index;
    out.divisors = chain_of(by);
    if (std::none_of(out.divisors.begin(), out.divisors.end(), is_symbolic) || !find_leaf(out)) continue;
    return out;
  }
  return std::nullopt;
}

// i + 1 <= N Dn gives fn + 1 <= N, the lower digits not being negative and Dn being positive.
std::vector<Term> uppermost_bounds(const Flat& flat, Term digit, const std::vector<Term>& facts) {
  std::vector<Term> out;
  for (Term fact : facts) {
    if (fact->kind != Kind::at_most_zero) continue;
    const Term bound = calculus::subtract(calculus::add(flat.index, calculus::integer(1)), fact->children[0]);
    if (occurs(flat.leaf, bound)) continue;
    const Term count = exact_quotient(bound, flat.divisors.back());
    if (count != nullptr) out.push_back(calculus::less(digit, count));
  }
  return out;
}

// The index of one round over its digits; adds what is to be shown and what is known.
calculus::Substitution take_apart(const Flat& flat, int round, const std::vector<Term>& facts,
                                  DigitClaim& claim, const std::function<bool(Term)>& rely_on,
                                  std::vector<Term>& ranges) {
  std::vector<Term> weights{calculus::integer(1)}, digits;
  for (Term divisor : flat.divisors) weights.push_back(divisor);
  for (std::size_t k = 0; k < weights.size(); ++k)
    digits.push_back(calculus::variable(
        std::string(digit_stem) + std::to_string(round) + "." + std::to_string(k), calculus::Sort::index()));
  const Term zero = calculus::integer(0);
  Term below = zero;  // the lower digits together
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    const Term radix = exact_quotient(weights[k + 1], weights[k]);
    claim.premises.push_back(calculus::at_most(calculus::integer(1), radix));
    ranges.push_back(calculus::in_range(digits[k], radix));
    below = calculus::add(below, calculus::multiply(weights[k], digits[k]));
    if (k > 0) ranges.push_back(calculus::in_range(below, weights[k + 1]));
  }
  const Term value = calculus::add(below, calculus::multiply(weights.back(), digits.back()));
  // The uppermost digit has the sign of the index.
  const Term up = calculus::at_most(zero, digits.back());
  const bool is_index = rely_on(calculus::at_most(zero, flat.index));
  ranges.push_back(is_index ? up : calculus::either(up, calculus::less(value, zero)));
  for (Term bound : uppermost_bounds(flat, digits.back(), facts)) ranges.push_back(bound);
  calculus::Substitution out;
  out[flat.leaf] =
      flat.negative ? calculus::subtract(flat.rest, value) : calculus::subtract(value, flat.rest);
  for (std::size_t k = 1; k < weights.size(); ++k) {
    Term quotient = zero;
    for (std::size_t j = k; j < weights.size(); ++j)
      quotient =
          calculus::add(quotient, calculus::multiply(exact_quotient(weights[j], weights[k]), digits[j]));
    out[calculus::floor_div(flat.index, weights[k])] = quotient;
  }
  return out;
}

// floor(floor(x / a) / b) = floor(x / (a*b)) for a, b > 0 (proofs/lemmas.md, DIV-DIV).
Term with_one_division(Term node, const std::function<bool(Term)>& rely_on) {
  if (node->kind != Kind::floor_div || !node->free_heights.empty()) return node;
  const Term b = node->children[1];
  const auto positive = [&](Term divisor) {
    return rely_on(calculus::at_most(calculus::integer(1), divisor));
  };
  if (calculus::as_integer(b) != nullptr && *calculus::as_integer(b) <= 0) return node;
  const Term quotient = is_symbolic(b) && positive(b) ? divide_by_symbols(node->children[0], b) : node;
  for (const calculus::Monomial& m : calculus::monomials(quotient)) {
    if (m.product == nullptr || m.product->kind != Kind::floor_div || m.coefficient != 1) continue;
    const Term outer = m.product->children[1], inner = m.product->children[0];
    if (inner->kind != Kind::floor_div || !(is_symbolic(outer) || is_symbolic(inner->children[1]))) continue;
    if (!positive(outer) || !positive(inner->children[1])) continue;
    const Term joined =
        calculus::floor_div(inner->children[0], calculus::multiply(inner->children[1], outer));
    return calculus::add(calculus::subtract(quotient, m.product), with_one_division(joined, rely_on));
  }
  return quotient;
}

}  // namespace

bool speaks_of_digits(Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    found = found || (node->kind == Kind::variable && node->name.rfind(digit_stem, 0) == 0);
  });
  return found;
}

bool divides_by_symbols(Term term) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    found = found || (node->kind == Kind::floor_div && is_symbolic(node->children[1]));
  });
  return found;
}

std::optional<DigitClaim> in_digits(const std::vector<Term>& facts, Term goal,
                                    const std::function<bool(Term)>& is_evident) {
  DigitClaim out;
  std::vector<Term> terms{goal};
  terms.insert(terms.end(), facts.begin(), facts.end());
  const auto rely_on = [&](Term premise) {
    if (std::find(out.premises.begin(), out.premises.end(), premise) != out.premises.end()) return true;
    if (!is_evident(premise)) return false;
    out.premises.push_back(premise);
    return true;
  };
  for (Term& term : terms)
    if (divides_by_symbols(term))
      term = calculus::rewrite(term, [&](Term node) { return with_one_division(node, rely_on); });
  int round = 0;
  for (; round < most_indices; ++round) {
    const auto flat = find_index(terms);
    if (!flat) break;
    out.divisors = std::max(out.divisors, flat->divisors.size());
    std::vector<Term> ranges;
    const calculus::Substitution map =
        take_apart(*flat, round, {terms.begin() + 1, terms.end()}, out, rely_on, ranges);
    // Multiples of a divisor, which is positive, leave the other divisions by it.
    const auto is_divisor = [&](Term t) {
      return std::find(flat->divisors.begin(), flat->divisors.end(), t) != flat->divisors.end();
    };
    for (Term& term : terms) {
      const Term over_digits = calculus::substitute(term, map);
      term = over_digits == term ? term : calculus::rewrite(over_digits, [&](Term node) {
        return node->kind == Kind::floor_div && is_divisor(node->children[1])
                   ? divide_by_symbols(node->children[0], node->children[1])
                   : node;
      });
    }
    terms.insert(terms.end(), ranges.begin(), ranges.end());
  }
  if (round == 0) return std::nullopt;
  out.goal = terms.front();
  out.facts.assign(terms.begin() + 1, terms.end());
  return out;
}

}  // namespace hallmark::validator
