#include "validator/symbolic/interval.h"

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/words.h"

namespace hallmark::validator {
namespace {

using calculus::Kind;
using calculus::Term;

std::optional<Integer> plus(const std::optional<Integer>& a, const std::optional<Integer>& b) {
  if (!a || !b) return std::nullopt;
  return Integer(*a + *b);
}

bool is_nonnegative(const Interval& a) {
  return a.low && *a.low >= 0;
}

}  // namespace

bool Interval::contains(const Integer& value) const {
  return (!low || *low <= value) && (!high || value <= *high);
}

Interval point(const Integer& value) {
  return {value, value};
}

Interval intersect(const Interval& a, const Interval& b) {
  Interval out = a;
  if (b.low && (!out.low || *out.low < *b.low)) out.low = b.low;
  if (b.high && (!out.high || *b.high < *out.high)) out.high = b.high;
  return out;
}

Interval hull(const Interval& a, const Interval& b) {
  Interval out;
  if (a.low && b.low) out.low = std::min(*a.low, *b.low);
  if (a.high && b.high) out.high = std::max(*a.high, *b.high);
  return out;
}

Interval sum(const Interval& a, const Interval& b) {
  return {plus(a.low, b.low), plus(a.high, b.high)};
}

Interval scaled(const Integer& factor, const Interval& a) {
  if (factor == 0) return point(0);
  Interval out;
  if (a.low) out.low = Integer(factor * *a.low);
  if (a.high) out.high = Integer(factor * *a.high);
  if (factor < 0) std::swap(out.low, out.high);
  return out;
}

Interval product(const Interval& a, const Interval& b) {
  if (a.low && a.high && b.low && b.high) {
    const Integer corners[4] = {*a.low * *b.low, *a.low * *b.high, *a.high * *b.low, *a.high * *b.high};
    return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  }
  Interval out;
  if (is_nonnegative(a) && is_nonnegative(b)) out.low = Integer(*a.low * *b.low);
  return out;
}

Interval format_range(calculus::Format format) {
  if (format == calculus::Format::boolean) return {Integer(0), Integer(1)};
  const unsigned bits = calculus::storage_bits(format);
  if (calculus::is_signed(format))
    return {Integer(-power_of_two(bits - 1)), Integer(power_of_two(bits - 1) - 1)};
  return {Integer(0), Integer(power_of_two(bits) - 1)};
}

Interval Ranges::structural(Term atom) const {
  switch (atom->kind) {
    case Kind::integer:
      return point(atom->value.get_num());
    case Kind::floor_div: {
      const Interval divisor = of(atom->children[1]);
      const Interval dividend = of(atom->children[0]);
      Interval out;
      const Integer* c = calculus::as_integer(atom->children[1]);
      if (c != nullptr && *c > 0) {
        if (dividend.low) out.low = floor_div(*dividend.low, *c);
        if (dividend.high) out.high = floor_div(*dividend.high, *c);
      } else if (is_nonnegative(divisor) && is_nonnegative(dividend)) {
        out.low = 0;
        out.high = dividend.high;
      }
      return out;
    }
    case Kind::index_min: {
      Interval out = of(atom->children[0]);
      for (Term child : atom->children) {
        const Interval next = of(child);
        if (out.low)
          out.low = next.low ? std::optional<Integer>(std::min(*out.low, *next.low)) : std::nullopt;
        if (next.high && (!out.high || *next.high < *out.high)) out.high = next.high;
      }
      return out;
    }
    case Kind::index_max: {
      Interval out = of(atom->children[0]);
      for (Term child : atom->children) {
        const Interval next = of(child);
        if (out.high)
          out.high = next.high ? std::optional<Integer>(std::max(*out.high, *next.high)) : std::nullopt;
        if (next.low && (!out.low || *out.low < *next.low)) out.low = next.low;
      }
      return out;
    }
    case Kind::index_select:
      return hull(of(atom->children[1]), of(atom->children[2]));
    case Kind::to_index: {
      if (atom->children[0]->sort.kind == calculus::Sort::Kind::boolean) return {Integer(0), Integer(1)};
      const Interval whole = format_range(atom->children[0]->sort.format);
      // A number that fits its word is itself.
      const Term inside = number_in_word(atom);
      if (inside == nullptr) return whole;
      const Interval number = of(inside);
      return number.low && number.high && whole.contains(*number.low) && whole.contains(*number.high) ? number
                                                                                                      : whole;
    }
    default:
      return {};
  }
}

Interval Ranges::of(Term index) const {
  if (index->kind == Kind::polynomial) {
    Interval total = point(0);
    for (std::size_t i = 0; i < index->children.size(); ++i)
      total = sum(total, scaled(index->coefficients[i], of(index->children[i])));
    return intersect(total, with_remainder(index));
  }
  Interval out;
  if (index->kind == Kind::product) {
    out = of(index->children[0]);
    for (std::size_t i = 1; i < index->children.size(); ++i) out = product(out, of(index->children[i]));
  } else {
    out = structural(index);
  }
  if (const auto found = atoms_.find(index); found != atoms_.end()) out = intersect(out, found->second);
  return out;
}

// A polynomial that holds k * (q mod c), written out as k*q - k*c*floor(q/c), is k * 0 .. k * (c-1) and a
// shorter one.
Interval Ranges::with_remainder(Term polynomial) const {
  for (std::size_t i = 0; i < polynomial->children.size(); ++i) {
    const Term floor = polynomial->children[i];
    if (floor->kind != Kind::floor_div) continue;
    const Integer* c = calculus::as_integer(floor->children[1]);
    const Integer& weight = polynomial->coefficients[i];
    if (c == nullptr || *c <= 0 || floor_mod(weight, *c) != 0) continue;
    const Integer k = -weight / *c;
    const Term remainder = calculus::subtract(floor->children[0], calculus::scale(*c, floor));
    const Term rest = calculus::subtract(polynomial, calculus::scale(k, remainder));
    if (calculus::monomials(rest).size() >= polynomial->children.size()) continue;
    return sum(of(rest), scaled(k, {Integer(0), Integer(*c - 1)}));
  }
  return {};
}

bool Ranges::narrow(Term atom, const Interval& interval) {
  const Interval before = of(atom);
  const Interval after = intersect(before, interval);
  if (after.low == before.low && after.high == before.high) return false;
  atoms_[atom] = after;
  return true;
}

bool Ranges::learn_upper(Term polynomial) {
  const std::vector<calculus::Monomial> parts = calculus::monomials(polynomial);
  if (parts.size() > 12) return false;
  const bool has_floor = std::any_of(parts.begin(), parts.end(), [](const calculus::Monomial& m) {
    return m.product != nullptr && m.product->kind == Kind::floor_div && abs(m.coefficient) > 1;
  });
  bool changed = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].product == nullptr) continue;
    Interval rest = point(0);
    for (std::size_t j = 0; j < parts.size(); ++j)
      if (j != i)
        rest = sum(rest, parts[j].product == nullptr ? point(parts[j].coefficient)
                                                     : scaled(parts[j].coefficient, of(parts[j].product)));
    // Remainders written out are narrower than their parts.
    if (has_floor)
      rest = intersect(
          rest, of(calculus::subtract(polynomial, calculus::scale(parts[i].coefficient, parts[i].product))));
    if (!rest.low) continue;
    // c * x <= -rest <= -rest.low
    const Integer& c = parts[i].coefficient;
    Interval bound;
    if (c > 0)
      bound.high = floor_div(Integer(-*rest.low), c);
    else
      bound.low = Integer(-floor_div(Integer(-*rest.low), Integer(-c)));
    changed = narrow(parts[i].product, bound) || changed;
  }
  return changed;
}

bool Ranges::learn(Term fact) {
  if (fact->kind == Kind::at_most_zero) return learn_upper(fact->children[0]);
  if (fact->kind == Kind::is_zero) {
    const bool upper = learn_upper(fact->children[0]);
    return learn_upper(calculus::scale(Integer(-1), fact->children[0])) || upper;
  }
  return false;
}

}  // namespace hallmark::validator
