#include "numerics/expression/real_form.h"

#include <vector>

#include "numerics/expression/node_format.h"
#include "numerics/expression/rational_function.h"

namespace hallmark::numerics {

namespace {

using Function = RationalFunction;

class NoForm {};     // thrown: no rule
struct SignNeeded {  // thrown: which sign the form depends on
  std::string of;
};

class Former {
 public:
  Former(const Expression& e, const std::map<std::string, int>& signs) : e_(e), signs_(signs) {}

  bool equal(int a, int b) { return field_.add(form(a), scaled(form(b), -1)).is_zero(); }

 private:
  Function form(int node) {
    const auto found = forms_.find(node);
    if (found != forms_.end()) return found->second;
    const Function out = compute(e_.nodes[static_cast<std::size_t>(node)]);
    return forms_.emplace(node, out).first->second;
  }

  Function sum(const Function& a, const Function& b) const { return field_.add(a, b); }
  Function product(const Function& a, const Function& b) const { return field_.multiply(a, b); }
  Function quotient(const Function& a, const Function& b) const {
    std::optional<Function> out = field_.divide(a, b);
    if (!out) throw NoForm();
    return *out;
  }
  static Function number(const Rational& x) { return constant_function(x); }

  int atom(const std::string& name) {
    const auto [found, fresh] = atoms_.emplace(name, static_cast<int>(atoms_.size()));
    if (fresh) exponents_.emplace_back();
    return found->second;
  }
  Function named(const std::string& name) { return atom_function(atom(name)); }

  Function compute(const ExpressionNode& n) {
    const auto c = [&](std::size_t k) { return form(n.children[k]); };
    switch (n.operation) {
      case Operation::variable:
        return named("x" + std::to_string(n.variable));
      case Operation::constant:
        return n.constant.empty() ? number(n.value) : constant(n.constant);
      case Operation::add:
        return sum(c(0), c(1));
      case Operation::sub:
        return sum(c(0), scaled(c(1), -1));
      case Operation::mul:
        return product(c(0), c(1));
      case Operation::fma:
        return sum(product(c(0), c(1)), c(2));
      case Operation::div:
        return quotient(c(0), c(1));
      case Operation::neg:
        return scaled(c(0), -1);
      case Operation::cast:
        return c(0);
      case Operation::abs:
        return sign(c(0)) >= 0 ? c(0) : scaled(c(0), -1);
      case Operation::min:
      case Operation::max: {
        const int s = sign(sum(c(0), scaled(c(1), -1)));
        return c((s >= 0) == (n.operation == Operation::max) ? 0 : 1);
      }
      case Operation::choose:
        return c(holds(n.condition) ? 0 : 1);
      case Operation::pow:
        return power(n);
      case Operation::hypot:
        return root(sum(product(c(0), c(0)), product(c(1), c(1))));
      case Operation::atan2:
        return named("atan2 " + key(c(0)) + " " + key(c(1)));
      default:
        return call(n.operation, c(0));
    }
  }

  Function constant(const std::string& name) {
    const Rational half(1, 2);
    if (name == "E") return exponential(number(1));
    if (name == "LOG2E") return quotient(number(1), named("LN2"));
    if (name == "LOG10E") return quotient(number(1), named("LN10"));
    if (name == "PI_2") return scaled(named("PI"), half);
    if (name == "PI_4") return scaled(named("PI"), half * half);
    if (name == "M_1_PI") return quotient(number(1), named("PI"));
    if (name == "M_2_PI") return quotient(number(2), named("PI"));
    if (name == "M_2_SQRTPI") return quotient(number(2), root(named("PI")));
    if (name == "SQRT2") return root(number(2));
    if (name == "SQRT1_2") return scaled(root(number(2)), half);
    return named(name);
  }

  Function power(const ExpressionNode& n) {
    const Function base = form(n.children[0]);
    const std::optional<long> k = integer_exponent(e_, n);
    if (k && *k >= 0) return field_.power(base, static_cast<unsigned>(*k));
    if (k) return quotient(number(1), field_.power(base, static_cast<unsigned>(-*k)));
    const Function exponent = form(n.children[1]);
    if (exponent.constant() == std::optional<Rational>(Rational(1, 2))) return root(base);
    return named("pow " + key(base) + " " + key(exponent));
  }

  Function root(const Function& of) {
    const int a = atom("sqrt " + key(of));
    field_.set_square(a, of);
    return atom_function(a);
  }

  // e^(c m / d) for each term c m of a polynomial over a denominator d with 1 as its first coefficient, as a
  // power of the atom e^(m / (q d)), c = p / q.
  Function exponential(const Function& of) {
    Function out = number(1);
    const Rational leading = of.below.begin()->second;
    for (const auto& [monomial, coefficient] : of.above) {
      const Rational c = coefficient / leading;
      if (abs(c.get_num()) > 64) return named("exp " + key(of));
      Function part;
      part.above[monomial] = Rational(1) / Rational(c.get_den());
      for (auto& [m, below] : part.below = of.below) below /= leading;
      const int a = atom("exp " + key(part));
      exponents_[static_cast<std::size_t>(a)] = part;
      const long p = c.get_num().get_si();
      const Function factor = field_.power(atom_function(a), static_cast<unsigned>(std::abs(p)));
      out = p >= 0 ? product(out, factor) : quotient(out, factor);
    }
    return out;
  }

  // Powers of exponentials that are common to all terms of the numerator, and a denominator that is one term
  // of them, leave the logarithm.
  Function logarithm(Function of) {
    Function out = number(0);
    if (of.is_zero()) throw NoForm();
    for (const bool above : {true, false}) {
      Polynomial& p = above ? of.above : of.below;
      Monomial common = p.begin()->first;
      for (const auto& [m, c] : p)
        for (auto at = common.begin(); at != common.end();) {
          const auto found = m.find(at->first);
          at->second = found == m.end() ? 0 : std::min(at->second, found->second);
          at = at->second == 0 ? common.erase(at) : std::next(at);
        }
      for (const auto& [a, power] : common) {
        const std::optional<Function>& exponent = exponents_[static_cast<std::size_t>(a)];
        if (!exponent) continue;
        out = sum(out, scaled(*exponent, above ? power : -power));
        Polynomial rest;
        for (const auto& [m, c] : p) {
          Monomial less = m;
          if ((less[a] -= power) == 0) less.erase(a);
          rest[less] = c;
        }
        p = rest;
      }
    }
    if (of.constant() == std::optional<Rational>(1)) return out;
    return sum(out, named("log " + key(of)));
  }

  Function call(Operation operation, const Function& x) {
    const Function one = number(1);
    const auto e = [&](const Rational& times) { return exponential(scaled(x, times)); };
    switch (operation) {
      case Operation::sqrt:
        return root(x);
      case Operation::exp:
        return exponential(x);
      case Operation::exp2:
        return exponential(product(x, named("LN2")));
      case Operation::expm1:
        return sum(exponential(x), number(-1));
      case Operation::log:
        return logarithm(x);
      case Operation::log2:
        return quotient(logarithm(x), named("LN2"));
      case Operation::log10:
        return quotient(logarithm(x), named("LN10"));
      case Operation::log1p:
        return logarithm(sum(x, one));
      case Operation::sinh:
        return scaled(sum(e(1), scaled(e(-1), -1)), Rational(1, 2));
      case Operation::cosh:
        return scaled(sum(e(1), e(-1)), Rational(1, 2));
      case Operation::tanh:
        return quotient(sum(e(2), number(-1)), sum(e(2), one));
      case Operation::tan:
        return quotient(call(Operation::sin, x), call(Operation::cos, x));
      case Operation::erfc:
        return sum(one, scaled(call(Operation::erf, x), -1));
      case Operation::sin:
      case Operation::erf:
      case Operation::asin:
      case Operation::atan:
      case Operation::asinh:
      case Operation::atanh:
      case Operation::cbrt:
        if (leading_sign(x) < 0) return scaled(call(operation, scaled(x, -1)), -1);
        break;
      case Operation::cos:
        if (leading_sign(x) < 0) return call(operation, scaled(x, -1));
        break;
      default:
        break;
    }
    return named(std::string(name(operation)) + " " + key(x));
  }

  int sign(const Function& of) {
    const std::optional<Rational> value = of.constant();
    if (value) return sgn(*value);
    const int leading = leading_sign(of);
    const std::string k = key(scaled(of, leading));
    const auto found = signs_.find(k);
    if (found == signs_.end()) throw SignNeeded{k};
    return leading * found->second;
  }

  bool holds(int condition) {
    const Condition& c = e_.conditions[static_cast<std::size_t>(condition)];
    if (c.left >= 0) {
      const int s = sign(sum(form(c.left), scaled(form(c.right), -1)));
      return c.kind == Condition::Kind::less ? s < 0 : c.kind == Condition::Kind::at_most ? s <= 0 : s == 0;
    }
    if (c.kind == Condition::Kind::truth) return c.truth;
    if (c.kind == Condition::Kind::negation) return !holds(c.children[0]);
    const bool all = c.kind == Condition::Kind::conjunction;
    for (const int child : c.children)
      if (holds(child) != all) return !all;
    return all;
  }

  const Expression& e_;
  const std::map<std::string, int>& signs_;
  FunctionField field_;
  std::map<std::string, int> atoms_;
  std::vector<std::optional<Function>> exponents_;  // of e^m by atom: m
  std::map<int, Function> forms_;
};

// For every combination of the signs that come up; at most four of them.
bool equal_for_all(const Expression& e, int a, int b, std::map<std::string, int>& signs) {
  std::string needed;
  try {
    return Former(e, signs).equal(a, b);
  } catch (const SignNeeded& sign) {
    needed = sign.of;
  }
  if (signs.size() >= 4) return false;
  for (const int s : {1, 0, -1}) {
    signs[needed] = s;
    if (!equal_for_all(e, a, b, signs)) return false;
  }
  signs.erase(needed);
  return true;
}

}  // namespace

bool same_over_the_reals(const Expression& e, int a, int b) {
  std::map<std::string, int> signs;
  try {
    return a == b || equal_for_all(e, a, b, signs);
  } catch (const NoForm&) {
    return false;
  } catch (const TooLarge&) {
    return false;
  }
}

}  // namespace hallmark::numerics
