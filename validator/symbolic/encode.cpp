#include "validator/symbolic/encode.h"

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/interval.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/words.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

constexpr std::size_t most_products = 24;  // of a query, that are compared with each other

}  // namespace

smt::Term Encoder::encode(Term term) {
  if (const auto found = known_.find(term); found != known_.end()) return found->second;
  const smt::Term out = compute(term);
  // A quotient's definition may have met the term first; then that variable is the one.
  return known_.emplace(term, out).first->second;
}

smt::Term Encoder::unknown(Term term, const std::string& stem, smt::Sort sort) {
  std::string name;
  if (term->kind == Kind::symbol ||
      (term->kind == Kind::variable && term->name.find('!') == std::string::npos))
    name = term->name;
  else if (term->kind == Kind::axis)
    name = "axis." + std::to_string(term->number);
  else
    name = stem + "." + std::to_string(counters_[stem]++);
  // Two terms never share a variable, whatever a specification calls its symbols.
  while (!names_.insert(name).second) name += "_";
  variables_.emplace_back(term, name);
  return arena_.variable(name, sort);
}

const std::vector<smt::Term>& Encoder::definitions(const Context* hint) {
  nest_quotients();
  scale_remainders();
  order_products();
  if (hint != nullptr) {
    bound_products(*hint);
    multiply_facts(*hint);
  }
  return definitions_;
}

std::vector<Term> Encoder::factors() const {
  std::vector<Term> out;
  for (const auto& [term, name] : variables_) {
    if (term->kind != Kind::product) continue;
    for (Term atom : term->children)
      if (std::find(out.begin(), out.end(), atom) == out.end()) out.push_back(atom);
  }
  return out;
}

bool Encoder::speaks_of(Term polynomial) const {
  for (const calculus::Monomial& m : calculus::monomials(polynomial))
    if (m.product != nullptr && known_.count(m.product) == 0) return false;
  return true;
}

// 0 <= p - q*floor(p/q) <= q - 1 times c (proofs/lemmas.md, SCALE): the digit of a flat index, times a
// stride.
void Encoder::scale_remainders() {
  const std::vector<Term> factors = this->factors();
  if (factors.size() > 16) return;  // a missing lemma loses a proof, never makes one
  std::vector<Term> quotients;
  for (const auto& [term, name] : variables_)
    if (term->kind == Kind::floor_div) quotients.push_back(term);
  const smt::Term zero = arena_.integer(0L);
  for (Term quotient : quotients) {
    const Term divisor = quotient->children[1];
    const Term low = calculus::subtract(quotient->children[0], calculus::multiply(divisor, quotient));
    const Term high = calculus::add({low, calculus::integer(1), calculus::scale(Integer(-1), divisor)});
    for (Term c : factors) {
      const Term at_least = calculus::multiply(c, low), at_most = calculus::multiply(c, high);
      const auto when = [&] {
        return smt::conjunction(smt::less(zero, encode(divisor)), smt::less_equal(zero, encode(c)));
      };
      if (speaks_of(at_least)) define(smt::implication(when(), smt::less_equal(zero, encode(at_least))));
      if (speaks_of(at_most)) define(smt::implication(when(), smt::less_equal(encode(at_most), zero)));
    }
  }
}

void Encoder::multiply_facts(const Context& hint) {
  const std::vector<Term> factors = this->factors();
  if (factors.size() > 16 || hint.facts().size() > 120)
    return;  // a missing lemma loses a proof, never makes one
  const smt::Term zero = arena_.integer(0L);
  for (Term fact : hint.facts()) {
    if (fact->kind != Kind::at_most_zero || known_.count(fact) == 0) continue;
    const Term p = fact->children[0];
    const std::vector<calculus::Monomial> parts = calculus::monomials(p);
    if (parts.size() > 8) continue;
    for (Term c : factors) {
      const Term scaled = calculus::multiply(c, p);
      if (!speaks_of(scaled)) continue;
      define(smt::implication(smt::conjunction(smt::less_equal(zero, encode(c)), encode(fact)),
                              smt::less_equal(encode(scaled), zero)));
    }
  }
}

void Encoder::bound_products(const Context& hint) {
  std::vector<Term> products;
  for (const auto& [term, name] : variables_)
    if (term->kind == Kind::product) products.push_back(term);
  for (Term term : products) {
    if (term->children.size() == 2) {
      // (a - A)(b - B) >= 0 for lower bounds A, B.
      const Term a = term->children[0], b = term->children[1];
      const Interval x = hint.range(a), y = hint.range(b);
      if (x.low && y.low) {
        const Term gap =
            calculus::add({term, calculus::scale(Integer(-*y.low), a), calculus::scale(Integer(-*x.low), b),
                           calculus::integer(Integer(*x.low * *y.low))});
        define(smt::implication(smt::conjunction(smt::less_equal(arena_.integer(*x.low), encode(a)),
                                                 smt::less_equal(arena_.integer(*y.low), encode(b))),
                                smt::less_equal(arena_.integer(0L), encode(gap))));
      }
    }
    // Factors between constants: so is their product.
    std::vector<smt::Term> within;
    Interval whole = point(1);
    bool known = true, negative = false;
    for (Term factor : term->children) {
      const Interval range = hint.range(factor);
      known = known && range.low && range.high;
      if (!known) break;
      // What is assumed of the factor is what its part of the product is computed from.
      const Integer low = *range.low < 0 ? *range.low : Integer(0);
      negative = negative || low < 0;
      whole = hallmark::validator::product(whole, {low, range.high});
      within.push_back(smt::less_equal(arena_.integer(low), encode(factor)));
      within.push_back(smt::less_equal(encode(factor), arena_.integer(*range.high)));
    }
    if (!known) continue;
    std::vector<smt::Term> bounds{smt::less_equal(encode(term), arena_.integer(*whole.high))};
    if (negative) bounds.push_back(smt::less_equal(arena_.integer(*whole.low), encode(term)));
    define(smt::implication(arena_.conjunction(within), arena_.conjunction(bounds)));
  }
}

// q*floor(a / (p*q)) <= floor(a / p) < q*floor(a / (p*q)) + q where p and q are positive (proofs/lemmas.md,
// DIV-DIV): what a flat index is within the rows that a grid of any size takes at once.
void Encoder::nest_quotients() {
  std::vector<Term> quotients;
  for (const auto& [term, name] : variables_)
    if (term->kind == Kind::floor_div && calculus::as_integer(term->children[1]) == nullptr)
      quotients.push_back(term);
  for (Term outer : quotients)
    for (Term inner : quotients) {
      if (outer == inner || outer->children[0] != inner->children[0]) continue;
      std::vector<Term> rest = factors_of(outer->children[1]);
      bool divides = true;
      for (Term factor : factors_of(inner->children[1])) {
        const auto at = std::find(rest.begin(), rest.end(), factor);
        divides = divides && at != rest.end();
        if (at != rest.end()) rest.erase(at);
      }
      if (!divides || rest.empty()) continue;
      Term q = calculus::integer(1);
      for (Term factor : rest) q = calculus::multiply(q, factor);
      const Term whole = calculus::multiply(q, outer);
      if (known_.count(whole) == 0) continue;  // only what the query already speaks of
      const smt::Term zero = arena_.integer(0L), times = encode(whole), many = encode(q), low = encode(inner);
      define(smt::implication(
          smt::conjunction(smt::less(zero, encode(inner->children[1])), smt::less(zero, many)),
          smt::conjunction(smt::less_equal(times, low), smt::less(low, smt::add(times, many)))));
    }
}

void Encoder::order_products() {
  std::vector<Term> products;
  for (const auto& [term, name] : variables_)
    if (term->kind == Kind::product) products.push_back(term);
  if (products.size() > most_products) return;  // a missing lemma loses a proof, never makes one
  const auto without = [](const std::vector<Term>& atoms, Term atom) {
    Term out = calculus::integer(1);
    bool dropped = false;
    for (Term a : atoms) {
      if (a == atom && !dropped) {
        dropped = true;
        continue;
      }
      out = calculus::multiply(out, a);
    }
    return out;
  };
  const auto order = [&](Term one, Term other, Term factor, Term left, Term right) {
    // Only what the query already speaks of; but a quotient by the factor, whose bound is what is asked for,
    // is compared with what the factor leaves of the other: floor(i / W) < C*H where i < C*H*W.
    const auto by_factor = [&](Term t) { return t->kind == Kind::floor_div && t->children[1] == factor; };
    if (known_.count(left) == 0 && left->kind == Kind::product && !by_factor(right)) return;
    if (known_.count(right) == 0 && right->kind == Kind::product && !by_factor(left)) return;
    const smt::Term c = encode(factor), x = encode(left), y = encode(right);
    const smt::Term cx = encode(one), cy = encode(other);
    const smt::Term nonnegative = smt::less_equal(arena_.integer(0L), c);
    define(smt::implication(smt::conjunction(nonnegative, smt::less(x, y)),
                            smt::less_equal(smt::add(cx, c), cy)));
    define(smt::implication(smt::conjunction(nonnegative, smt::less(y, x)),
                            smt::less_equal(smt::add(cy, c), cx)));
    define(smt::implication(smt::equal(x, y), smt::equal(cx, cy)));
  };
  const auto compare = [&](std::size_t i, std::size_t j) {
    Term last = nullptr, common = calculus::integer(1), left = products[i], right = products[j];
    std::size_t shared = 0;
    for (Term atom : products[i]->children) {
      const std::vector<Term>& other = products[j]->children;
      const std::vector<Term> rest = factors_of(right);
      if (std::find(rest.begin(), rest.end(), atom) != rest.end()) {
        ++shared;
        common = calculus::multiply(common, atom);
        left = without(factors_of(left), atom);
        right = without(rest, atom);
      }
      if (atom == last) continue;
      last = atom;
      if (std::find(other.begin(), other.end(), atom) == other.end()) continue;
      order(products[i], products[j], atom, without(products[i]->children, atom), without(other, atom));
    }
    // All that they share at once: what a row of several dimensions is long.
    if (shared > 1) order(products[i], products[j], common, left, right);
  };
  const auto compare_from = [&](std::size_t first) {
    for (std::size_t j = first; j < products.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) compare(i, j);
  };
  compare_from(0);
  // Those lengths of rows are products themselves, above which the lower digits do not come.
  const std::size_t before = products.size();
  for (const auto& [term, name] : variables_)
    if (term->kind == Kind::product && std::find(products.begin(), products.end(), term) == products.end())
      products.push_back(term);
  if (products.size() <= most_products) compare_from(before);
}

smt::Term Encoder::polynomial(Term term) {
  std::vector<smt::Term> parts;
  for (const calculus::Monomial& m : calculus::monomials(term)) {
    const smt::Term coefficient = arena_.integer(m.coefficient);
    if (m.product == nullptr)
      parts.push_back(coefficient);
    else if (m.coefficient == 1)
      parts.push_back(encode(m.product));
    else
      parts.push_back(arena_.product({coefficient, encode(m.product)}));
  }
  return parts.empty() ? arena_.integer(0L) : arena_.sum(parts);
}

smt::Term Encoder::product(Term term) {
  std::vector<smt::Term> factors;
  for (Term factor : term->children) factors.push_back(encode(factor));
  if (const auto met = known_.find(term); met != known_.end()) return met->second;
  const smt::Term p = unknown(term, "product", smt::Sort::integer());
  const smt::Term zero = arena_.integer(0L), one = arena_.integer(1L);
  std::vector<smt::Term> nonnegative, positive, some_zero, at_least;
  for (smt::Term f : factors) {
    nonnegative.push_back(smt::less_equal(zero, f));
    positive.push_back(smt::less_equal(one, f));
    some_zero.push_back(smt::equal(f, zero));
    at_least.push_back(smt::less_equal(f, p));
  }
  define(smt::implication(arena_.conjunction(nonnegative), smt::less_equal(zero, p)));
  define(smt::implication(arena_.conjunction(positive), arena_.conjunction(at_least)));
  define(smt::implication(arena_.disjunction(some_zero), smt::equal(p, zero)));
  return p;
}

smt::Term Encoder::quotient(Term term) {
  const Term dividend = term->children[0], divisor = term->children[1];
  const smt::Term p = encode(dividend);
  const Integer* constant = calculus::as_integer(divisor);
  if (constant != nullptr && *constant > 0) {
    const smt::Term d = unknown(term, "quotient", smt::Sort::integer());
    const smt::Term low = arena_.product({arena_.integer(*constant), d});
    define(smt::less_equal(low, p));
    define(smt::less(p, smt::add(low, arena_.integer(*constant))));
    return d;
  }
  const smt::Term q = encode(divisor);
  const smt::Term d = unknown(term, "quotient", smt::Sort::integer());
  known_.emplace(term, d);
  const smt::Term zero = arena_.integer(0L);
  const smt::Term low = encode(calculus::multiply(divisor, term));
  define(smt::implication(smt::less(zero, q),
                          smt::conjunction(smt::less_equal(low, p), smt::less(p, smt::add(low, q)))));
  define(smt::implication(smt::conjunction(smt::less(zero, q), smt::less_equal(zero, p)),
                          smt::less_equal(zero, d)));
  define(smt::implication(smt::conjunction(smt::less(zero, q), smt::less(p, zero)), smt::less(d, zero)));
  define(smt::implication(smt::equal(q, zero), smt::equal(d, zero)));
  return d;
}

smt::Term Encoder::extremum(Term term) {
  std::vector<smt::Term> sides;
  for (Term child : term->children) sides.push_back(encode(child));
  const smt::Term m = unknown(term, term->kind == Kind::index_min ? "min" : "max", smt::Sort::integer());
  std::vector<smt::Term> one;
  for (smt::Term side : sides) {
    define(term->kind == Kind::index_min ? smt::less_equal(m, side) : smt::less_equal(side, m));
    one.push_back(smt::equal(m, side));
  }
  define(arena_.disjunction(one));
  return m;
}

smt::Term Encoder::compute(Term term) {
  const smt::Term zero = arena_.integer(0L);
  switch (term->kind) {
    case Kind::integer:
      return arena_.integer(term->value.get_num());
    case Kind::polynomial:
      return polynomial(term);
    case Kind::product:
      return product(term);
    case Kind::floor_div:
      return quotient(term);
    case Kind::index_min:
    case Kind::index_max:
      return extremum(term);
    case Kind::index_select:
      return smt::ite(encode(term->children[0]), encode(term->children[1]), encode(term->children[2]));
    case Kind::to_index: {
      const smt::Term value = unknown(term, "element", smt::Sort::integer());
      const Interval range = term->children[0]->sort.kind == calculus::Sort::Kind::boolean
                                 ? Interval{Integer(0), Integer(1)}
                                 : format_range(term->children[0]->sort.format);
      define(smt::less_equal(arena_.integer(*range.low), value));
      define(smt::less_equal(value, arena_.integer(*range.high)));
      // A number that fits its word is itself. What else a word makes of it would be a division at each.
      if (const Term inside = number_in_word(term)) {
        const smt::Term number = encode(inside);
        define(smt::implication(arena_.conjunction({smt::less_equal(arena_.integer(*range.low), number),
                                                    smt::less_equal(number, arena_.integer(*range.high))}),
                                smt::equal(value, number)));
      }
      return value;
    }
    case Kind::truth:
      return arena_.boolean(term->number != 0);
    case Kind::at_most_zero:
      return smt::less_equal(encode(term->children[0]), zero);
    case Kind::is_zero:
      return smt::equal(encode(term->children[0]), zero);
    case Kind::conjunction:
    case Kind::disjunction: {
      std::vector<smt::Term> parts;
      for (Term child : term->children) parts.push_back(encode(child));
      return term->kind == Kind::conjunction ? arena_.conjunction(parts) : arena_.disjunction(parts);
    }
    case Kind::negation:
      return smt::negation(encode(term->children[0]));
    default:
      ensure(
          term->sort.kind == calculus::Sort::Kind::index || term->sort.kind == calculus::Sort::Kind::boolean,
          "an element term cannot be encoded");
      return unknown(
          term, term->sort.kind == calculus::Sort::Kind::index ? "unknown" : "condition",
          term->sort.kind == calculus::Sort::Kind::index ? smt::Sort::integer() : smt::Sort::boolean());
  }
}

}  // namespace hallmark::validator
