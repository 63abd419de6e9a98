#include "numerics/expression/rational_function.h"

namespace hallmark::numerics {

namespace {

constexpr std::size_t most_terms = 4'000;

void accumulate(Polynomial& to, const Monomial& monomial, const Rational& coefficient) {
  Rational& own = to[monomial];
  own += coefficient;
  if (own == 0) to.erase(monomial);
  if (to.size() > most_terms) throw TooLarge();
}

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial out = a;
  for (const auto& [atom, exponent] : b) out[atom] += exponent;
  return out;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [m, c] : a)
    for (const auto& [n, d] : b) accumulate(out, product(m, n), c * d);
  return out;
}

Polynomial sum(const Polynomial& a, const Polynomial& b) {
  Polynomial out = a;
  for (const auto& [m, c] : b) accumulate(out, m, c);
  return out;
}

std::string text(const Polynomial& a, const Rational& factor) {
  std::string out;
  for (const auto& [m, c] : a) {
    out += Rational(c * factor).get_str();
    for (const auto& [atom, exponent] : m) out += "." + std::to_string(atom) + "^" + std::to_string(exponent);
    out += "+";
  }
  return out;
}

}  // namespace

std::optional<Rational> RationalFunction::constant() const {
  if (above.empty()) return Rational(0);
  if (above.size() != 1 || below.size() != 1 || !above.begin()->first.empty() ||
      !below.begin()->first.empty())
    return std::nullopt;
  return Rational(above.begin()->second / below.begin()->second);
}

RationalFunction constant_function(const Rational& value) {
  RationalFunction out;
  if (value != 0) out.above[Monomial{}] = value;
  return out;
}

RationalFunction atom_function(int atom) {
  RationalFunction out;
  out.above[Monomial{{atom, 1}}] = 1;
  return out;
}

RationalFunction scaled(const RationalFunction& a, const Rational& by) {
  RationalFunction out = a;
  if (by == 0) out.above.clear();
  for (auto& [m, c] : out.above) c *= by;
  return out;
}

// One square is replaced at a time, until there is none.
RationalFunction FunctionField::reduced(const Polynomial& a) const {
  for (const auto& [m, c] : a)
    for (const auto& [atom, exponent] : m) {
      const auto square = squares_.find(atom);
      if (exponent < 2 || square == squares_.end()) continue;
      // a = with * atom^2 + without
      RationalFunction with, without;
      for (const auto& [n, d] : a) {
        const auto found = n.find(atom);
        if (found == n.end() || found->second < 2) {
          without.above[n] = d;
          continue;
        }
        Monomial rest = n;
        if ((rest[atom] -= 2) == 0) rest.erase(atom);
        with.above[rest] = d;
      }
      return add(multiply(with, square->second), reduced(without.above));
    }
  RationalFunction out;
  out.above = a;
  return out;
}

RationalFunction FunctionField::reduced(const Polynomial& above, const Polynomial& below) const {
  const RationalFunction a = reduced(above), b = reduced(below);
  RationalFunction out;
  out.above = product(a.above, b.below);
  out.below = product(a.below, b.above);
  // A constant denominator is divided out.
  if (out.below.size() == 1 && out.below.begin()->first.empty()) {
    const Rational c = out.below.begin()->second;
    for (auto& [m, d] : out.above) d /= c;
    out.below.begin()->second = 1;
  }
  return out;
}

RationalFunction FunctionField::add(const RationalFunction& a, const RationalFunction& b) const {
  if (a.below == b.below) {
    RationalFunction out;
    out.above = sum(a.above, b.above);
    out.below = a.below;
    return out;
  }
  return reduced(sum(product(a.above, b.below), product(b.above, a.below)), product(a.below, b.below));
}

RationalFunction FunctionField::multiply(const RationalFunction& a, const RationalFunction& b) const {
  return reduced(product(a.above, b.above), product(a.below, b.below));
}

std::optional<RationalFunction> FunctionField::divide(const RationalFunction& a,
                                                      const RationalFunction& b) const {
  if (b.is_zero()) return std::nullopt;
  RationalFunction turned;
  turned.above = b.below;
  turned.below = b.above;
  return multiply(a, turned);
}

RationalFunction FunctionField::power(const RationalFunction& a, unsigned exponent) const {
  RationalFunction out = constant_function(1);
  for (unsigned i = 0; i < exponent; ++i) out = multiply(out, a);
  return out;
}

int leading_sign(const RationalFunction& a) {
  if (a.is_zero()) return 0;
  return sgn(a.above.begin()->second) * sgn(a.below.begin()->second);
}

std::string key(const RationalFunction& a) {
  if (a.is_zero()) return "0";
  const Rational c = a.below.begin()->second;
  return text(a.above, Rational(1 / c)) + "/" + text(a.below, Rational(1 / c));
}

}  // namespace hallmark::numerics
