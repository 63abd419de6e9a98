#include "lowering/range.h"

#include <algorithm>

namespace hallmark::lowering {
namespace {

using namespace calculus;

Range times(const Range& a, const Range& b) {
  if (a.non_negative() && b.non_negative()) {
    Range out{Integer(*a.low * *b.low), std::nullopt};
    if (a.high && b.high) out.high = Integer(*a.high * *b.high);
    return out;
  }
  if (!a.low || !a.high || !b.low || !b.high) return {};
  const Integer products[] = {*a.low * *b.low, *a.low * *b.high, *a.high * *b.low, *a.high * *b.high};
  return {*std::min_element(std::begin(products), std::end(products)),
          *std::max_element(std::begin(products), std::end(products))};
}

Range times(const Integer& c, const Range& a) {
  Range out;
  const std::optional<Integer>&low = c < 0 ? a.high : a.low, &high = c < 0 ? a.low : a.high;
  if (low) out.low = Integer(c * *low);
  if (high) out.high = Integer(c * *high);
  return out;
}

Range plus(const Range& a, const Range& b) {
  Range out;
  if (a.low && b.low) out.low = Integer(*a.low + *b.low);
  if (a.high && b.high) out.high = Integer(*a.high + *b.high);
  return out;
}

Range quotient(const Range& p, const Range& q) {
  // Division by zero is 0, so a divisor that may be 0 only adds 0 to the outcomes.
  if (!q.low || *q.low < 0) return {};
  const Integer least = *q.low > 0 ? *q.low : Integer(1);
  Range out;
  if (p.low) {
    if (*p.low < 0)
      out.low = floor_div(*p.low, least);
    else
      out.low = q.high && *q.high > 0 && *q.low > 0 ? floor_div(*p.low, *q.high) : Integer(0);
  }
  if (p.high) out.high = *p.high >= 0 ? floor_div(*p.high, least) : Integer(*q.low > 0 ? -1 : 0);
  return out;
}

Range of_format(Format format) {
  if (format == Format::boolean) return {Integer(0), Integer(1)};
  const unsigned bits = storage_bits(format);
  if (is_signed(format)) return {Integer(-power_of_two(bits - 1)), Integer(power_of_two(bits - 1) - 1)};
  return {Integer(0), Integer(power_of_two(bits) - 1)};
}

Range of_atom(Term a, const RangeMap& known) {
  if (const auto found = known.find(a); found != known.end()) return found->second;
  switch (a->kind) {
    case Kind::integer:
      return {*as_integer(a), *as_integer(a)};
    case Kind::floor_div:
      return quotient(range_of(a->children[0], known), range_of(a->children[1], known));
    case Kind::index_min:
    case Kind::index_max: {
      // min: the low end needs every operand, the high end the best of those known; max the other way round.
      const bool minimum = a->kind == Kind::index_min;
      Range out = range_of(a->children[0], known);
      for (std::size_t i = 1; i < a->children.size(); ++i) {
        const Range r = range_of(a->children[i], known);
        std::optional<Integer>&all = minimum ? out.low : out.high, &any = minimum ? out.high : out.low;
        const std::optional<Integer>&r_all = minimum ? r.low : r.high, &r_any = minimum ? r.high : r.low;
        if (all && r_all)
          all = minimum ? std::min(*all, *r_all) : std::max(*all, *r_all);
        else
          all.reset();
        if (any && r_any)
          any = minimum ? std::min(*any, *r_any) : std::max(*any, *r_any);
        else if (r_any)
          any = r_any;
      }
      return out;
    }
    case Kind::index_select: {
      const Range x = range_of(a->children[1], known), y = range_of(a->children[2], known);
      Range out;
      if (x.low && y.low) out.low = std::min(*x.low, *y.low);
      if (x.high && y.high) out.high = std::max(*x.high, *y.high);
      return out;
    }
    case Kind::to_index:
      return of_format(a->children[0]->sort.kind == Sort::Kind::boolean ? Format::boolean
                                                                        : a->children[0]->sort.format);
    default:
      return {};
  }
}

// The coefficient of a monomial in a sum; 0 when it is not there.
Integer coefficient_of(const std::vector<Monomial>& sum, Term product) {
  for (const Monomial& m : sum)
    if (m.product == product) return m.coefficient;
  return 0;
}

}  // namespace

std::vector<Summand> summands(Term term) {
  std::vector<Summand> out;
  for (bool again = true; again;) {
    again = false;
    const std::vector<Monomial> sum = monomials(term);
    for (const Monomial& m : sum) {
      if (m.product == nullptr || m.product->kind != Kind::floor_div) continue;
      const Integer* divisor = as_integer(m.product->children[1]);
      if (divisor == nullptr || floor_mod(m.coefficient, *divisor) != 0) continue;
      const Integer k = -m.coefficient / *divisor;
      const Term dividend = m.product->children[0];
      if (k == 0) continue;
      bool fits = true;
      for (const Monomial& part : monomials(dividend))
        if (part.product != nullptr && coefficient_of(sum, part.product) != k * part.coefficient)
          fits = false;
      if (!fits) continue;
      out.push_back({k, {}, dividend, m.product->children[1], true, 0});
      term = subtract(term, scale(k, mod(dividend, m.product->children[1])));
      again = true;
      break;
    }
  }
  for (const Monomial& m : monomials(term)) {
    Summand part{m.coefficient, {}, nullptr, nullptr, false, 0};
    if (m.product != nullptr)
      part.atoms = m.product->kind == Kind::product ? m.product->children : std::vector<Term>{m.product};
    out.push_back(std::move(part));
  }
  return out;
}

Range range_of(const Summand& part, const RangeMap& known) {
  if (part.dividend != nullptr && !part.remainder) {
    Range out = quotient(range_of(part.dividend, known), range_of(part.divisor, known));
    for (std::optional<Integer>* end : {&out.low, &out.high})
      if (*end) **end += part.shift;
    return out;
  }
  if (part.dividend != nullptr) {
    Range out{Integer(0), Integer(*as_integer(part.divisor) - 1)};
    const Range dividend = range_of(part.dividend, known);
    if (dividend.non_negative() && dividend.high && *dividend.high < *out.high) out.high = dividend.high;
    return out;
  }
  Range out{Integer(1), Integer(1)};
  for (Term atom : part.atoms) out = times(out, of_atom(atom, known));
  return out;
}

Range range_of(Term term, const RangeMap& known) {
  if (const auto found = known.find(term); found != known.end()) return found->second;
  if (term->kind != Kind::polynomial && term->kind != Kind::product) return of_atom(term, known);
  Range out{Integer(0), Integer(0)};
  for (const Summand& part : summands(term)) out = plus(out, times(part.coefficient, range_of(part, known)));
  return out;
}

}  // namespace hallmark::lowering
