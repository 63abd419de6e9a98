// Polynomial normal form of index terms.
#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "calculus/arena.h"
#include "calculus/fresh_names.h"

namespace hallmark::calculus {
namespace {

const Sort index_sort = Sort::index();

// Atoms of a monomial, sorted, with repetition.
std::vector<Term> atoms_of(Term product) {
  if (product == nullptr) return {};
  if (product->kind == Kind::product) return product->children;
  return {product};
}

Term make_product(std::vector<Term> atoms) {
  if (atoms.empty()) return nullptr;
  if (atoms.size() == 1) return atoms[0];
  std::sort(atoms.begin(), atoms.end(), TermLess());
  Node n = leaf(Kind::product, index_sort);
  n.children = std::move(atoms);
  return intern(std::move(n));
}

struct ProductLess {
  bool operator()(Term a, Term b) const {
    if (a == nullptr || b == nullptr) return a == nullptr && b != nullptr;
    return compare_terms(a, b) < 0;
  }
};
using Sum = std::map<Term, Integer, ProductLess>;

void accumulate(Sum& sum, Term a, const Integer& factor) {
  for (const Monomial& m : monomials(a)) sum[m.product] += factor * m.coefficient;
}

Term make_polynomial(const Sum& sum) {
  std::vector<Monomial> parts;
  for (const auto& [product, coefficient] : sum)
    if (coefficient != 0) parts.push_back({coefficient, product});
  if (parts.empty()) return integer(Integer(0));
  if (parts.size() == 1 && parts[0].product == nullptr) return integer(parts[0].coefficient);
  if (parts.size() == 1 && parts[0].coefficient == 1) return parts[0].product;
  Node n = leaf(Kind::polynomial, index_sort);
  for (const Monomial& m : parts) {
    n.coefficients.push_back(m.coefficient);
    n.children.push_back(m.product != nullptr ? m.product : integer(Integer(1)));
  }
  return intern(std::move(n));
}

void require_index(Term a) {
  ensure(a != nullptr && a->sort == index_sort, "an index term was expected");
}

Term extremum(Kind kind, Term a, Term b) {
  require_index(a);
  require_index(b);
  if (a == b) return a;
  // When the difference is a constant, one operand is the answer.
  if (const Integer* d = as_integer(subtract(a, b)); d != nullptr)
    return (*d < 0) == (kind == Kind::index_min) ? a : b;
  std::vector<Term> all;
  for (Term x : {a, b}) {
    if (x->kind == kind)
      all.insert(all.end(), x->children.begin(), x->children.end());
    else
      all.push_back(x);
  }
  std::sort(all.begin(), all.end(), TermLess());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  // Also among flattened operands, so that the same operands give the same term in whatever order they come.
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = all.size(); j-- > i + 1;) {
      const Integer* d = as_integer(subtract(all[i], all[j]));
      if (d == nullptr) continue;
      if ((*d < 0) != (kind == Kind::index_min)) all[i] = all[j];
      all.erase(all.begin() + static_cast<long>(j));
    }
  std::sort(all.begin(), all.end(), TermLess());
  if (all.size() == 1) return all[0];
  Node n = leaf(kind, index_sort);
  n.children = std::move(all);
  return intern(std::move(n));
}

}  // namespace

Term integer(const Integer& value) {
  Node n = leaf(Kind::integer, index_sort);
  n.value = Rational(value);
  return intern(std::move(n));
}

Term symbol(std::string_view name) {
  Node n = leaf(Kind::symbol, index_sort);
  n.name = name;
  return intern(std::move(n));
}

Term axis(int number) {
  Node n = leaf(Kind::axis, index_sort);
  n.number = number;
  return intern(std::move(n));
}

Term variable(std::string_view name, Sort sort) {
  Node n = leaf(Kind::variable, sort);
  n.name = name;
  return intern(std::move(n));
}

namespace {

// Of the thread's scope (fresh_names.h), and whether there is one.
thread_local std::uint64_t local_counter = 0;
thread_local bool local_names = false;

}  // namespace

FreshNames::FreshNames() : outermost_(!local_names) {
  if (outermost_) local_counter = 0;
  local_names = true;
}

FreshNames::~FreshNames() {
  if (outermost_) local_names = false;
}

Term fresh_variable(std::string_view hint, Sort sort) {
  static std::atomic<std::uint64_t> counter{0};
  // '!' cannot occur in a name that was read from text, so a fresh variable never meets an authored one; nor
  // does one of a scope meet one from outside, whose name has no second '!'.
  if (local_names) return variable(std::string(hint) + "!!" + std::to_string(local_counter++), sort);
  return variable(std::string(hint) + "!" + std::to_string(counter.fetch_add(1)), sort);
}

const Integer* as_integer(Term a) {
  return a->kind == Kind::integer ? &a->value.get_num() : nullptr;
}

std::vector<Monomial> monomials(Term a) {
  require_index(a);
  if (const Integer* value = as_integer(a); value != nullptr) {
    if (*value == 0) return {};
    return {{*value, nullptr}};
  }
  if (a->kind != Kind::polynomial) return {{Integer(1), a}};
  std::vector<Monomial> out;
  for (std::size_t i = 0; i < a->children.size(); ++i)
    out.push_back({a->coefficients[i], as_integer(a->children[i]) != nullptr ? nullptr : a->children[i]});
  return out;
}

Integer constant_part(Term a) {
  for (const Monomial& m : monomials(a))
    if (m.product == nullptr) return m.coefficient;
  return 0;
}

Term add(const std::vector<Term>& terms) {
  Sum sum;
  for (Term t : terms) accumulate(sum, t, 1);
  return make_polynomial(sum);
}

Term add(Term a, Term b) {
  return add(std::vector<Term>{a, b});
}

Term subtract(Term a, Term b) {
  Sum sum;
  accumulate(sum, a, 1);
  accumulate(sum, b, -1);
  return make_polynomial(sum);
}

Term scale(const Integer& factor, Term a) {
  Sum sum;
  accumulate(sum, a, factor);
  return make_polynomial(sum);
}

Term multiply(Term a, Term b) {
  Sum sum;
  for (const Monomial& x : monomials(a))
    for (const Monomial& y : monomials(b)) {
      std::vector<Term> atoms = atoms_of(x.product);
      const std::vector<Term> more = atoms_of(y.product);
      atoms.insert(atoms.end(), more.begin(), more.end());
      sum[make_product(std::move(atoms))] += x.coefficient * y.coefficient;
    }
  return make_polynomial(sum);
}

Term floor_div(Term a, Term b) {
  require_index(a);
  require_index(b);
  const Integer* divisor = as_integer(b);
  if (divisor != nullptr && *divisor == 0) return integer(Integer(0));
  if (divisor != nullptr && *divisor == 1) return a;
  if (divisor != nullptr && *divisor == -1) return scale(-1, a);
  const Integer* dividend = as_integer(a);
  if (dividend != nullptr && (divisor != nullptr || *dividend == 0))
    return integer(divisor != nullptr ? floor_div(*dividend, *divisor) : Integer(0));
  if (divisor != nullptr && *divisor < 0) return floor_div(scale(-1, a), integer(Integer(-*divisor)));
  if (divisor != nullptr) {
    // Whole multiples of the divisor leave the division; then a common factor cancels. floor((c*q + r) / c) =
    // q + floor(r / c).
    Sum whole, rest;
    Integer common = *divisor;
    for (const Monomial& m : monomials(a)) {
      // Towards zero for the variable part, so that (n - k) / 2 keeps its look; downwards for the constant.
      const Integer q =
          m.product != nullptr ? Integer(m.coefficient / *divisor) : floor_div(m.coefficient, *divisor);
      const Integer r = m.coefficient - q * *divisor;
      whole[m.product] += q;
      if (r != 0) rest[m.product] += r;
    }
    // The constant cannot change the floor by less than the common factor of the other coefficients and the
    // divisor.
    for (const auto& [product, c] : rest)
      if (product != nullptr) common = gcd(common, c);
    Sum reduced;
    for (const auto& [product, c] : rest) reduced[product] = floor_div(c, common);
    Term numerator = make_polynomial(reduced);
    Integer denominator = floor_div(*divisor, common);
    // floor((q + floor(p / a)) / c) = floor((a*q + p) / (a*c)) for positive constants a, c.
    Term nested = nullptr;
    int floors = 0;
    for (const Monomial& m : monomials(numerator)) {
      if (m.product == nullptr || m.product->kind != Kind::floor_div) continue;
      ++floors;
      const Integer* inner = as_integer(m.product->children[1]);
      if (m.coefficient == 1 && inner != nullptr && *inner > 0) nested = m.product;
    }
    if (denominator != 1 && floors == 1 && nested != nullptr) {
      const Integer inner = *as_integer(nested->children[1]);
      return add(make_polynomial(whole),
                 floor_div(add(scale(inner, subtract(numerator, nested)), nested->children[0]),
                           integer(Integer(inner * denominator))));
    }
    Term quotient;
    if (denominator == 1)
      quotient = numerator;
    else if (const Integer* value = as_integer(numerator); value != nullptr)
      quotient = integer(floor_div(*value, denominator));
    else {
      Node n = leaf(Kind::floor_div, index_sort);
      n.children = {numerator, integer(denominator)};
      quotient = intern(std::move(n));
    }
    return add(make_polynomial(whole), quotient);
  }
  // floor(q / q) = 1 would be wrong at q = 0 in the total model, so a symbolic division is left as it is.
  Node n = leaf(Kind::floor_div, index_sort);
  n.children = {a, b};
  return intern(std::move(n));
}

Term ceil_div(Term a, Term b) {
  return floor_div(add(a, subtract(b, integer(Integer(1)))), b);
}
Term mod(Term a, Term b) {
  return subtract(a, multiply(b, floor_div(a, b)));
}
Term index_min(Term a, Term b) {
  return extremum(Kind::index_min, a, b);
}
Term index_max(Term a, Term b) {
  return extremum(Kind::index_max, a, b);
}

Term index_select(Term condition, Term a, Term b) {
  require_index(a);
  require_index(b);
  if (a == b) return a;
  if (condition->kind == Kind::truth) return condition->number != 0 ? a : b;
  Node n = leaf(Kind::index_select, index_sort);
  n.children = {condition, a, b};
  return intern(std::move(n));
}

Term to_index(Term element) {
  ensure(element->sort.kind == Sort::Kind::integer || element->sort.kind == Sort::Kind::boolean,
         "an index is made of an integer element");
  if (element->kind == Kind::constant) return integer(element->value.get_num());
  // from_index into a narrow format wraps, so the two conversions do not cancel in general.
  Node n = leaf(Kind::to_index, index_sort);
  n.children = {element};
  return intern(std::move(n));
}

bool affine_in(Term a, Term atom, Term& coefficient, Term& rest) {
  std::vector<Term> with, without;
  for (const Monomial& m : monomials(a)) {
    std::vector<Term> atoms = atoms_of(m.product);
    const auto at = std::find(atoms.begin(), atoms.end(), atom);
    const bool found = at != atoms.end();
    if (found) atoms.erase(at);
    bool nested = false;
    for (Term x : atoms) for_each_node(x, [&](Term node) { nested = nested || node == atom; });
    if (nested) return false;
    const Term product = make_product(std::move(atoms));
    const Term part = product != nullptr ? scale(m.coefficient, product) : integer(m.coefficient);
    (found ? with : without).push_back(part);
  }
  coefficient = add(with);
  rest = add(without);
  return true;
}

}  // namespace hallmark::calculus
