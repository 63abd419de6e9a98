#include "validator/symbolic/invert.h"

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/flat_index.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

std::vector<Term> factors_of(Term product) {
  if (product == nullptr) return {};
  if (product->kind == Kind::product) return product->children;
  return {product};
}

void divide_by_product(Term p, Term stride, Term& quotient, Term& rest) {
  if (stride == nullptr) {
    quotient = p;
    rest = calculus::integer(0);
    return;
  }
  const std::vector<Term> needed = factors_of(stride);
  std::vector<Term> inside, outside;
  for (const calculus::Monomial& m : calculus::monomials(p)) {
    std::vector<Term> atoms = factors_of(m.product);
    bool divides = true;
    for (Term atom : needed) {
      const auto at = std::find(atoms.begin(), atoms.end(), atom);
      if (at == atoms.end()) {
        divides = false;
        break;
      }
      atoms.erase(at);
    }
    if (!divides) {
      outside.push_back(m.product == nullptr ? calculus::integer(m.coefficient)
                                             : calculus::scale(m.coefficient, m.product));
      continue;
    }
    Term part = calculus::integer(m.coefficient);
    for (Term atom : atoms) part = calculus::multiply(part, atom);
    inside.push_back(part);
  }
  quotient = calculus::add(inside);
  rest = calculus::add(outside);
}

namespace {

struct Digits {
  calculus::Substitution split;       // unknowns and their divisions over digits
  std::map<std::size_t, Term> whole;  // by position in `unknowns`
  std::vector<Term> digits;
  struct Origin {
    std::size_t unknown;
    Integer weight, radix;  // radix 0: the uppermost digit
  };
  std::map<Term, Origin> origins;

  bool contains(Term digit) const { return origins.count(digit) != 0; }
  // Where the digit lies, from what the facts say about its unknown.
  Interval range(Term digit, const std::vector<Term>& unknowns, const Scope& facts) const {
    const Origin& origin = origins.at(digit);
    if (origin.radix != 0) return {Integer(0), Integer(origin.radix - 1)};
    Interval out = facts->range(unknowns[origin.unknown]);
    if (out.low) out.low = floor_div(*out.low, origin.weight);
    if (out.high) out.high = floor_div(*out.high, origin.weight);
    return out;
  }
};

Digits take_apart(const std::vector<Term>& unknowns, const std::vector<Term>& seen) {
  Digits out;
  for (std::size_t n = 0; n < unknowns.size(); ++n) {
    const Term u = unknowns[n];
    std::vector<Integer> radices;
    for (Term t : seen)
      calculus::for_each_node(t, [&](Term node) {
        if (node->kind != Kind::floor_div || node->children[0] != u) return;
        const Integer* c = calculus::as_integer(node->children[1]);
        if (c != nullptr && *c > 1 && std::find(radices.begin(), radices.end(), *c) == radices.end())
          radices.push_back(*c);
      });
    std::sort(radices.begin(), radices.end());
    std::vector<Integer> chain{Integer(1)};
    for (const Integer& c : radices)
      if (floor_mod(c, chain.back()) == 0) chain.push_back(c);
    std::vector<Term> mine;
    Term sum = calculus::integer(0);
    for (std::size_t k = 0; k < chain.size(); ++k) {
      mine.push_back(calculus::variable("digit." + std::to_string(n) + "." + std::to_string(k)));
      sum = calculus::add(sum, calculus::scale(chain[k], mine.back()));
      out.origins[mine.back()] = {n, chain[k],
                                  k + 1 < chain.size() ? Integer(chain[k + 1] / chain[k]) : Integer(0)};
    }
    out.digits.insert(out.digits.end(), mine.begin(), mine.end());
    out.whole[n] = sum;
    out.split[u] = sum;
    for (std::size_t k = 1; k < chain.size(); ++k) {
      Term quotient = calculus::integer(0);
      for (std::size_t j = k; j < chain.size(); ++j)
        quotient = calculus::add(quotient, calculus::scale(Integer(chain[j] / chain[k]), mine[j]));
      out.split[calculus::floor_div(u, calculus::integer(chain[k]))] = quotient;
    }
  }
  return out;
}

// floor(g*a / (g*b)) = floor(a / b).
Term reduced_quotient(Term a, Term b) {
  Integer g = 0;
  for (Term t : {a, b})
    for (const calculus::Monomial& m : calculus::monomials(t)) g = gcd(g, m.coefficient);
  if (g <= 1) return calculus::floor_div(a, b);
  const auto divided = [&](Term t) {
    std::vector<Term> parts;
    for (const calculus::Monomial& m : calculus::monomials(t)) {
      const Integer c = m.coefficient / g;
      parts.push_back(m.product == nullptr ? calculus::integer(c) : calculus::scale(c, m.product));
    }
    return calculus::add(parts);
  };
  return calculus::floor_div(divided(a), divided(b));
}

// floor(p / (P * q)) as floor(a / q), where p = P*a + b and b is meant to be a digit below P: the row of a
// flat index over the rows that the grid takes at once. A guess like every other quotient here.
Term nested_quotient(Term p, Term divisor) {
  const std::vector<calculus::Monomial> whole = calculus::monomials(divisor);
  if (whole.size() == 1 && whole[0].product != nullptr) {
    const std::vector<Term> factors = factors_of(whole[0].product);
    for (std::size_t last = 0; last < factors.size() && factors.size() > 1; ++last) {
      Term below = calculus::integer(1);
      for (std::size_t i = 0; i < factors.size(); ++i)
        if (i != last) below = calculus::multiply(below, factors[i]);
      Term quotient = nullptr, rest = nullptr;
      divide_by_product(p, below, quotient, rest);
      if (quotient != calculus::integer(0) && rest != calculus::integer(0))
        return reduced_quotient(quotient, calculus::scale(whole[0].coefficient, factors[last]));
    }
  }
  return reduced_quotient(p, divisor);
}

std::size_t degree(Term product) {
  return factors_of(product).size();
}

bool mentions(Term term, const std::vector<Term>& unknowns) {
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    found = found || std::find(unknowns.begin(), unknowns.end(), node) != unknowns.end();
  });
  return found;
}

// The digits of a flat index first, then what has that index.
std::optional<calculus::Substitution> invert_flat(const FlatIndex& flat, const std::vector<Term>& unknowns,
                                                  const std::vector<Term>& facts, Term target,
                                                  const Scope& scope, Arithmetic& arithmetic,
                                                  InvertOptions options) {
  std::vector<Term> outer = flat.digits, outer_facts = flat.ranges;
  for (Term u : unknowns)
    if (std::find(flat.unknowns.begin(), flat.unknowns.end(), u) == flat.unknowns.end()) outer.push_back(u);
  for (Term fact : facts)
    if (!mentions(fact, flat.unknowns)) outer_facts.push_back(fact);
  const auto digits = invert(flat.address, outer, outer_facts, target, scope, arithmetic, options);
  if (!digits) return std::nullopt;
  const Term index = simplify(calculus::substitute(flat.value, *digits), scope, arithmetic);
  auto out = invert(flat.index, flat.unknowns, facts, index, scope, arithmetic, options);
  if (!out) return std::nullopt;
  for (Term u : unknowns)
    if (const auto at = digits->find(u); at != digits->end() && out->count(u) == 0) (*out)[u] = at->second;
  return out;
}

}  // namespace

namespace {

std::optional<calculus::Substitution> invert_digits(Term address, const std::vector<Term>& unknowns,
                                                    const std::vector<Term>& facts, Term target,
                                                    const Scope& scope, Arithmetic& arithmetic,
                                                    InvertOptions options) {
  std::vector<Term> seen = facts;
  seen.push_back(address);
  const Digits digits = take_apart(unknowns, seen);
  calculus::Substitution solved;
  const auto value_of = [&](Term t) { return calculus::substitute(t, solved); };
  const auto pending = [&](Term t) {
    std::vector<Term> out;
    calculus::for_each_node(t, [&](Term node) {
      if (solved.count(node) == 0 &&
          std::find(digits.digits.begin(), digits.digits.end(), node) != digits.digits.end())
        out.push_back(node);
    });
    return out;
  };
  // A term over digits as one over unknowns, where each is one digit: then facts speak of it.
  const auto in_unknowns = [&](Term t) {
    calculus::Substitution back;
    for (const auto& [digit, origin] : digits.origins)
      if (origin.weight == 1 && origin.radix == 0) back[digit] = unknowns[origin.unknown];
    return calculus::substitute(t, back);
  };
  std::vector<Term> equalities;
  for (Term fact : facts)
    if (fact->kind == Kind::is_zero)
      equalities.push_back(calculus::substitute(fact->children[0], digits.split));
  const auto from_equalities = [&] {
    for (bool progress = true; progress;) {
      progress = false;
      for (Term equality : equalities) {
        const Term p = value_of(equality);
        const std::vector<Term> open = pending(p);
        if (open.size() != 1) continue;
        Term q = nullptr, rest = nullptr;
        if (!calculus::affine_in(p, open[0], q, rest)) continue;
        const Integer* c = calculus::as_integer(q);
        if (c == nullptr || (*c != 1 && *c != -1)) continue;
        solved[open[0]] = calculus::scale(Integer(-*c), rest);
        progress = true;
      }
    }
  };
  from_equalities();

  // The digits of the address, grouped by the symbolic part of their coefficients.
  struct Place {
    Term digit;
    Term symbolic;  // nullptr: none
    Integer number;
    Term coefficient;
    Term from = nullptr;  // the digit is this less what is solved for
  };
  Term left = calculus::subtract(target, value_of(calculus::substitute(address, digits.split)));
  std::vector<Place> places;
  std::vector<Term> tangled;  // digits inside floors as well
  for (Term digit : pending(left)) {
    Term q = nullptr, rest = nullptr;
    if (!calculus::affine_in(left, digit, q, rest) || !pending(q).empty()) {
      if (std::find(tangled.begin(), tangled.end(), digit) == tangled.end()) tangled.push_back(digit);
      continue;
    }
    left = rest;
    Place place{digit, nullptr, 0, calculus::scale(-1, q)};
    const std::vector<calculus::Monomial> parts = calculus::monomials(place.coefficient);
    if (parts.empty()) continue;
    // A stride of several terms is divided by its first one of the highest degree.
    std::size_t best = 0;
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (degree(parts[i].product) > degree(parts[best].product)) best = i;
    place.symbolic = parts[best].product;
    place.number = parts[best].coefficient;
    places.push_back(place);
  }
  // What counts down: all of it, or a digit whose range is known, which then counts up from its other end.
  const bool all_down =
      std::all_of(places.begin(), places.end(), [](const Place& p) { return p.number < 0; });
  for (Place& place : places) {
    if (place.number > 0) continue;
    place.number = -place.number;
    place.coefficient = calculus::scale(-1, place.coefficient);
    if (all_down) continue;
    const Interval range = digits.range(place.digit, unknowns, Context::make(facts));
    if (!range.high) return std::nullopt;
    place.from = calculus::integer(*range.high);
    left = calculus::add(left, calculus::multiply(place.coefficient, place.from));
  }
  if (all_down) left = calculus::scale(-1, left);
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    if (degree(a.symbolic) != degree(b.symbolic)) return degree(a.symbolic) > degree(b.symbolic);
    if (a.symbolic != b.symbolic) return calculus::compare_terms(a.symbolic, b.symbolic) < 0;
    if (a.number != b.number) return a.number > b.number;
    return calculus::compare_terms(a.digit, b.digit) < 0;
  });
  // A digit d of coefficient c that stands inside floors too, such as a lane that decides how often it goes
  // round. Where everything else that is open is a multiple of m, or in all less than c, and c*d and that are
  // less than m, d = (left mod m) / c. Where it outweighs everything else that is open, which then lies in
  // base .. base + c - 1, d = (left - base) / c.
  const Scope stated = Context::make(facts);
  const auto untangle = [&] {
    for (Term digit : tangled) {
      if (solved.count(digit) != 0) continue;
      Integer modulus = 0, own = 0, heaviest = 0, below = 0;
      for (const calculus::Monomial& m : calculus::monomials(left))
        if (m.product == digit) own = -m.coefficient;
      Term known = calculus::integer(0);
      Interval rest = point(0);
      const auto meet = [&](const Integer& weight, Term open) {
        const Interval range =
            digits.contains(open) ? digits.range(open, unknowns, stated) : stated->range(in_unknowns(open));
        rest = sum(rest, scaled(weight, range));
        if (weight > 0 && weight < own && range.low && *range.low >= 0 && range.high)
          below += weight * *range.high;
        else
          modulus = gcd(modulus, weight);
      };
      for (const Place& place : places) {
        if (solved.count(place.digit) != 0) continue;
        if (place.symbolic == nullptr && place.number > heaviest) heaviest = place.number;
        for (const calculus::Monomial& m : calculus::monomials(place.coefficient))
          meet(m.coefficient,
               m.product == nullptr ? place.digit : calculus::multiply(m.product, place.digit));
      }
      for (const calculus::Monomial& m : calculus::monomials(left)) {
        const Term whole = m.product == nullptr ? calculus::integer(m.coefficient)
                                                : calculus::scale(m.coefficient, m.product);
        if (m.product == digit) continue;
        if (pending(whole).empty())
          known = calculus::add(known, whole);
        else
          meet(-m.coefficient, m.product);
      }
      if (own == 0) continue;
      const Integer weight = abs(own);
      const Interval range = digits.range(digit, unknowns, stated);
      if (modulus > 0 && range.low && *range.low >= 0 && range.high && below < weight &&
          *range.high * weight + below < modulus) {
        // Where the digit is taken away, the opposite of what is left is congruent to it.
        const Term seen = calculus::scale(own < 0 ? -1 : 1, known);
        solved[digit] = arithmetic.divide(arithmetic.modulo(seen, modulus, scope), weight, scope);
      } else if (own > 0 && weight > heaviest && (rest.low || rest.high)) {
        const Integer constant = calculus::constant_part(known);
        Integer base = rest.low ? Integer(*rest.low - constant) : Integer(0);
        // Of a range that is known loosely, the greatest value counts: the multiple of c nearest to where a
        // range of that end would begin.
        if (rest.high && (!rest.low || *rest.high - *rest.low >= weight)) {
          const Integer begin = *rest.high - constant - weight + 1;
          base = floor_div(Integer(2 * begin + weight), Integer(2 * weight)) * weight;
        }
        solved[digit] = arithmetic.divide(
            calculus::subtract(known, calculus::integer(Integer(constant + base))), weight, scope);
      } else {
        continue;
      }
      left = value_of(left);
    }
  };
  for (const Place& place : places) {
    if (solved.count(place.digit) != 0) {
      continue;  // an equality determined it meanwhile; `left` was corrected then
    }
    // A buffer with an extent of 0 has no elements to tell apart.
    if (place.number <= 0) return std::nullopt;
    if (place.symbolic == nullptr) untangle();
    Term quotient = nullptr, rest = nullptr;
    divide_by_product(left, place.symbolic, quotient, rest);
    Term q = arithmetic.divide(quotient, place.number, scope);
    if (options.floor_symbolic && place.symbolic != nullptr)
      q = calculus::add(q, nested_quotient(calculus::subtract(left, calculus::multiply(q, place.coefficient)),
                                           place.coefficient));
    solved[place.digit] = place.from == nullptr ? q : calculus::subtract(place.from, q);
    left = calculus::subtract(left, calculus::multiply(q, place.coefficient));
    const std::size_t before = solved.size();
    from_equalities();
    if (solved.size() != before)
      for (const Place& other : places)
        if (other.digit != place.digit && solved.count(other.digit) != 0 && pending(left).empty()) {
          // Recompute what is left with everything that is known now.
          left = calculus::subtract(target, value_of(calculus::substitute(address, digits.split)));
          if (all_down) left = calculus::scale(-1, left);
          for (const Place& open : places)
            if (solved.count(open.digit) == 0) {
              Term c = nullptr, r = nullptr;
              if (calculus::affine_in(left, open.digit, c, r)) left = r;
              if (open.from != nullptr)
                left = calculus::add(left, calculus::multiply(open.coefficient, open.from));
            }
          break;
        }
  }
  untangle();
  from_equalities();
  for (Term digit : tangled)
    if (solved.count(digit) == 0) return std::nullopt;
  for (Term digit : digits.digits)
    if (solved.count(digit) == 0) solved[digit] = calculus::integer(0);
  calculus::Substitution out;
  for (std::size_t n = 0; n < unknowns.size(); ++n) {
    Term value = digits.whole.at(n);
    // Equalities may speak of digits that were solved later.
    for (int round = 0; round < 8 && !pending(value).empty(); ++round) value = value_of(value);
    for (int round = 0; round < 8; ++round) value = value_of(value);
    out[unknowns[n]] = value;
  }
  return out;
}

// f * a = f * t is solved as a = t, where f is a factor of every term with unknowns in it, such as the length
// of a row: digits inside floors are found among numbers.
bool take_common_factor(Term& address, const std::vector<Term>& unknowns, Term& target) {
  std::vector<Term> common;
  bool first = true;
  Term varying = calculus::integer(0);
  for (const calculus::Monomial& m : calculus::monomials(address)) {
    if (m.product == nullptr || !mentions(m.product, unknowns)) continue;
    std::vector<Term> atoms = factors_of(m.product);
    std::erase_if(atoms, [&](Term atom) { return mentions(atom, unknowns); });
    if (!first)
      std::erase_if(common, [&](Term c) { return std::find(atoms.begin(), atoms.end(), c) == atoms.end(); });
    if (first) common = atoms;
    first = false;
    varying = calculus::add(varying, calculus::scale(m.coefficient, m.product));
  }
  if (first || common.empty()) return false;
  const Term factor = common.front();
  const Term wanted = calculus::subtract(target, calculus::subtract(address, varying));
  Term above = nullptr, rest = nullptr;
  divide_by_product(wanted, factor, target, rest);
  if (rest != calculus::integer(0)) return false;
  divide_by_product(varying, factor, above, rest);
  address = above;
  return rest == calculus::integer(0);
}

std::optional<calculus::Substitution> invert_in_digits(Term address, const std::vector<Term>& unknowns,
                                                       const std::vector<Term>& facts, Term target,
                                                       const Scope& scope, Arithmetic& arithmetic) {
  std::vector<Term> leaves;
  calculus::for_each_node(target, [&](Term node) {
    bool mine = node->kind == Kind::variable;
    for (int d = 0; d < 3; ++d) mine = mine || node == thread_symbol(d) || node == block_symbol(d);
    if (mine) leaves.push_back(node);
  });
  const auto flat = take_flat_index_apart(target, leaves);
  if (!flat) return std::nullopt;
  const Scope inside = Context::extend(scope, flat->ranges);
  auto solved = invert(address, unknowns, facts, flat->address, inside, arithmetic, {true, false});
  if (!solved) return std::nullopt;
  for (auto& [unknown, value] : *solved)
    value = simplify(calculus::substitute(value, flat->of_index), scope, arithmetic);
  return solved;
}

}  // namespace

std::optional<calculus::Substitution> invert(Term address, const std::vector<Term>& unknowns,
                                             const std::vector<Term>& facts, Term target, const Scope& scope,
                                             Arithmetic& arithmetic, InvertOptions options) {
  if (options.target_in_digits) return invert_in_digits(address, unknowns, facts, target, scope, arithmetic);
  Term inner = address, wanted = target;
  if (take_common_factor(inner, unknowns, wanted))
    if (auto solved = invert(inner, unknowns, facts, wanted, scope, arithmetic, options)) return solved;
  if (auto solved = invert_digits(address, unknowns, facts, target, scope, arithmetic, options))
    return solved;
  if (const auto flat = take_flat_index_apart(address, unknowns))
    return invert_flat(*flat, unknowns, facts, target, scope, arithmetic, options);
  return std::nullopt;
}

}  // namespace hallmark::validator
