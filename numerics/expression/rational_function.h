// Quotients of polynomials with rational coefficients over numbered atoms.
//
// Nothing is cancelled but constants: where the denominators of what is put together are not 0, that of the
// result is not. A square of an atom may have a value (sqrt(u)^2 = u).
#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/integer.h"

namespace hallmark::numerics {

// Atom -> exponent, at least 1.
using Monomial = std::map<int, int>;
using Polynomial = std::map<Monomial, Rational>;

struct RationalFunction {
  Polynomial above, below{{Monomial{}, Rational(1)}};
  bool is_zero() const { return above.empty(); }
  // Its value, if it holds no atom.
  std::optional<Rational> constant() const;
};

class TooLarge {};  // thrown beyond 4,000 terms

RationalFunction constant_function(const Rational& value);
RationalFunction atom_function(int atom);

// Arithmetic with the squares of atoms replaced by their values.
class FunctionField {
 public:
  void set_square(int atom, const RationalFunction& value) { squares_[atom] = value; }
  RationalFunction add(const RationalFunction& a, const RationalFunction& b) const;
  RationalFunction multiply(const RationalFunction& a, const RationalFunction& b) const;
  // Nothing when b is 0 as a function.
  std::optional<RationalFunction> divide(const RationalFunction& a, const RationalFunction& b) const;
  RationalFunction power(const RationalFunction& a, unsigned exponent) const;

 private:
  RationalFunction reduced(const Polynomial& a) const;
  RationalFunction reduced(const Polynomial& above, const Polynomial& below) const;
  std::map<int, RationalFunction> squares_;
};

RationalFunction scaled(const RationalFunction& a, const Rational& by);
// Text that is equal for functions written with equal coefficients up to a common factor.
std::string key(const RationalFunction& a);
// The sign of the coefficient that the key starts with; 0 for 0.
int leading_sign(const RationalFunction& a);

}  // namespace hallmark::numerics
