#include "validator/checks/separation.h"

#include <fmt/format.h>

#include <algorithm>

#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/shapes.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

bool symbolic(Term offset) {
  for (const calculus::Monomial& m : calculus::monomials(offset))
    if (m.product != nullptr && m.product->kind == Kind::product) return true;
  return false;
}

}  // namespace

std::vector<Term> Separation::same_place(int a, const calculus::Substitution& left, int b,
                                         const calculus::Substitution& right) {
  const Event &x = event(a), &y = event(b);
  if (x.memory < 0 || y.memory < 0) return {};  // an address that is not understood may be any place
  const Term p = calculus::substitute(x.offset, left), q = calculus::substitute(y.offset, right);
  std::vector<Term> out;
  // Two accesses of one size at multiples of it are apart or the same; others may overlap in part.
  const auto whole = [&](Term offset) {
    Integer common = from_u64(x.bytes);
    for (const calculus::Monomial& m : calculus::monomials(offset)) common = gcd(common, m.coefficient);
    return common == from_u64(x.bytes);
  };
  if (x.bytes == y.bytes && whole(p) && whole(q)) {
    out.push_back(calculus::equal(p, q));
  } else {
    out.push_back(calculus::less(p, calculus::add(q, calculus::integer(y.bytes))));
    out.push_back(calculus::less(q, calculus::add(p, calculus::integer(x.bytes))));
    return out;
  }
  // Slots of a buffer that goes round: solvers look long for what divisions by 2 or 3 and indices below the
  // size of a slot have to do with each other.
  for (Term fact : same_slot(calculus::subtract(p, q), x, left, y, right)) out.push_back(fact);
  // Symbolic strides: equal places have equal indices (lemma mixed-radix-unique), where the indices are in
  // range.
  if (!symbolic(x.offset) || !symbolic(y.offset) || x.memory < 0 || x.memory != y.memory) return out;
  std::vector<Term> indices = by_common_shape(a, left, b, right);
  if (indices.empty() && a == b)
    if (const auto own = digits(a, {})) indices = agree(*own, left, *own, right);
  out.insert(out.end(), indices.begin(), indices.end());
  return out;
}

// Of g*a + b = 0 with -g < b < g: a = 0 and b = 0 (lemma mixed-radix-unique for two digits).
std::vector<Term> Separation::same_slot(Term difference, const Event& x, const calculus::Substitution& left,
                                        const Event& y, const calculus::Substitution& right) {
  const std::vector<calculus::Monomial> parts = calculus::monomials(difference);
  bool goes_round = false;
  Integer greatest = 0;
  for (const calculus::Monomial& m : parts) {
    const bool quotient = m.product != nullptr && m.product->kind == Kind::floor_div;
    const Integer* c = quotient ? calculus::as_integer(m.product->children[1]) : nullptr;
    if (c == nullptr || *c < 2 || *c > 16) continue;
    goes_round = true;
    // The quotient of slot number p % c = p - c * floor(p / c).
    if (floor_mod(m.coefficient, *c) == 0) greatest = gcd(greatest, Integer(m.coefficient / *c));
  }
  if (!goes_round || greatest <= 1) return {};
  std::vector<Term> facts;
  for (Term fact : x.scope->facts()) facts.push_back(calculus::substitute(fact, left));
  for (Term fact : y.scope->facts()) facts.push_back(calculus::substitute(fact, right));
  const Scope scope = Context::make(facts);
  std::vector<Term> above, below;
  for (const calculus::Monomial& m : parts) {
    const Integer whole = m.product == nullptr ? Integer(0) : Integer(floor_mod(m.coefficient, greatest));
    if (m.product != nullptr && whole == 0)
      above.push_back(calculus::scale(Integer(m.coefficient / greatest), m.product));
    else
      below.push_back(m.product == nullptr ? calculus::integer(m.coefficient)
                                           : calculus::scale(m.coefficient, m.product));
  }
  Term low = calculus::add(below);
  // The constant goes where the rest stays small.
  const Interval range = scope->range(low);
  if (!range.low || !range.high) return {};
  const Integer middle = floor_div(Integer(*range.low + *range.high), Integer(2));
  const Integer turns = floor_div(Integer(middle + greatest / 2), greatest);
  low = calculus::subtract(low, calculus::integer(Integer(turns * greatest)));
  above.push_back(calculus::integer(turns));
  const Term bound = calculus::integer(greatest);
  if (!prover_.rely(
          scope, calculus::both(calculus::less(low, bound), calculus::less(calculus::scale(-1, low), bound))))
    return {};
  const Term zero = calculus::integer(0);
  return {calculus::equal(calculus::add(above), zero), calculus::equal(low, zero)};
}

std::vector<Term> Separation::same_indices(int a, const calculus::Substitution& left, int b,
                                           const calculus::Substitution& right) {
  const Event &x = event(a), &y = event(b);
  if (x.memory < 0 || x.memory != y.memory || x.bytes != y.bytes || symbolic(x.offset) || symbolic(y.offset))
    return {};
  return by_common_shape(a, left, b, right);
}

std::vector<Term> Separation::agree(const std::vector<Term>& m, const calculus::Substitution& left,
                                    const std::vector<Term>& n, const calculus::Substitution& right) {
  std::vector<Term> out;
  for (std::size_t d = 0; d < m.size(); ++d)
    out.push_back(calculus::equal(calculus::substitute(m[d], left), calculus::substitute(n[d], right)));
  return out;
}

std::vector<Term> Separation::by_common_shape(int a, const calculus::Substitution& left, int b,
                                              const calculus::Substitution& right) {
  const Event& x = event(a);
  for (const Shape& shape : shapes_of(trace_.memories[static_cast<std::size_t>(x.memory)], x.offset))
    if (const auto m = digits(a, shape))
      if (const auto n = digits(b, shape)) return agree(*m, left, *n, right);
  return {};
}

Separation::Digits Separation::digits(int id, const Shape& shape) {
  const auto key = std::make_pair(id, shape);
  if (const auto found = known_.find(key); found != known_.end()) {
    for (const Claim& claim : found->second.claims) prover_.log().push_back(claim);
    return found->second.digits;
  }
  Entry entry;
  const std::size_t mark = prover_.mark();
  entry.digits = shape.empty() ? by_own_strides(event(id)) : by_shape(event(id), shape);
  if (!entry.digits) prover_.rewind(mark);
  entry.claims.assign(prover_.log().begin() + static_cast<std::ptrdiff_t>(mark), prover_.log().end());
  known_.emplace(key, entry);
  return entry.digits;
}

Separation::Digits Separation::by_shape(const Event& e, const Shape& extents) {
  std::vector<Term> indices;
  for (std::size_t d = 0; d < extents.size(); ++d)
    indices.push_back(calculus::variable(fmt::format("index.{}", d)));
  const Term flat = calculus::scale(from_u64(e.bytes), flat_index(extents, indices));
  Arithmetic arithmetic(prover_, true);
  for (const InvertOptions& options : {InvertOptions{}, InvertOptions{true, true}}) {
    const std::size_t mark = prover_.mark();
    const auto inverse = invert(flat, indices, {}, e.offset, e.scope, arithmetic, options);
    bool ok =
        inverse && prover_.rely(e.scope, calculus::equal(calculus::substitute(flat, *inverse), e.offset));
    for (std::size_t d = 1; d < extents.size() && ok; ++d)
      ok = prover_.rely(e.scope, calculus::in_range(inverse->at(indices[d]), extents[d]));
    if (ok) {
      std::vector<Term> out;
      for (Term index : indices) out.push_back(inverse->at(index));
      return out;
    }
    prover_.rewind(mark);
  }
  return std::nullopt;
}

// offset = c1*v1 + c2*v2 + ... + uniform, each c_i above the greatest value of what follows it.
Separation::Digits Separation::by_own_strides(const Event& e) {
  struct Part {
    Term leaf, coefficient, symbolic;
    Integer number;
  };
  std::vector<Part> parts;
  std::vector<Term> leaves;
  calculus::for_each_node(e.offset, [&](Term node) {
    bool mine = node->kind == Kind::variable;
    for (int d = 0; d < 3; ++d) mine = mine || node == thread_symbol(d) || node == block_symbol(d);
    if (mine) leaves.push_back(node);
  });
  Term rest = e.offset;
  for (Term leaf : leaves) {
    Term q = nullptr, r = nullptr;
    if (!calculus::affine_in(rest, leaf, q, r)) return std::nullopt;
    const std::vector<calculus::Monomial> monomials = calculus::monomials(q);
    if (monomials.size() != 1 || monomials[0].coefficient <= 0) return std::nullopt;
    for (Term other : leaves) {
      bool inside = false;
      calculus::for_each_node(q, [&](Term node) { inside = inside || node == other; });
      if (inside) return std::nullopt;
    }
    parts.push_back({leaf, q, monomials[0].product, monomials[0].coefficient});
    rest = r;
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    const std::size_t m = factors_of(a.symbolic).size(), n = factors_of(b.symbolic).size();
    if (m != n) return m > n;
    if (a.number != b.number) return a.number > b.number;
    return calculus::compare_terms(a.leaf, b.leaf) < 0;
  });
  std::vector<Term> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Term below = calculus::integer(0);
    for (std::size_t j = i + 1; j < parts.size(); ++j)
      below = calculus::add(below, calculus::multiply(parts[j].leaf, parts[j].coefficient));
    if (i + 1 < parts.size() && !prover_.rely(e.scope, calculus::in_range(below, parts[i].coefficient)))
      return std::nullopt;
    out.push_back(parts[i].leaf);
  }
  return out;
}

}  // namespace hallmark::validator
