// The specification's values over the reals, with a first-order bound for a computation that rounds.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "validator/checks/match.h"
#include "validator/checks/reference.h"

namespace hallmark::validator {

using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

[[noreturn]] void outside() {
  throw Refusal("E4020",
                "an operation outside its domain, or so near to its edge that roundings may leave it");
}

}  // namespace

bool Reference::real_comparison(Op op, const Value& a, const Value& b) const {
  if (a.pole || b.pole) outside();
  if (a.error + b.error > 0 && std::fabs(a.real - b.real) <= a.error + b.error)
    throw Refusal("E4020", "a comparison of numbers that roundings may turn round");
  return op == Op::lt ? a.real < b.real : op == Op::le ? a.real <= b.real : a.real == b.real;
}

// To an integer towards 0, where roundings leave no doubt which one it is.
Reference::Value Reference::converted_real(Term t, const Value& v) const {
  if (t->sort.kind == Sort::Kind::real) return v;
  if (t->sort.kind != Sort::Kind::integer)
    throw Refusal("E4020", "no concrete meaning for a conversion of a real");
  const double whole = std::trunc(v.real);
  if (v.pole || !(std::fabs(whole) < std::ldexp(1, 62)) || std::trunc(v.real - v.error) != whole ||
      std::trunc(v.real + v.error) != whole)
    outside();
  Value out;
  out.number = Integer(whole);
  const unsigned bits = calculus::storage_bits(t->sort.format);
  const Integer high = power_of_two(calculus::is_signed(t->sort.format) ? bits - 1 : bits);
  if (out.number >= high || out.number < (calculus::is_signed(t->sort.format) ? Integer(-high) : Integer(0)))
    outside();
  return out;
}

Reference::Value Reference::real_operation(Term t) {
  std::vector<Value> operands;
  for (Term child : t->children) operands.push_back(evaluate(child));
  const auto x = [&](std::size_t i) { return operands[i].real; };
  const auto e = [&](std::size_t i) { return operands[i].error; };
  const bool pole = std::any_of(operands.begin(), operands.end(), [](const Value& v) { return v.pole; });
  // A result, the error that it inherits, and units of its own rounding.
  const auto out = [&](double value, double inherited, double units = 1) {
    Value v;
    v.real = value;
    v.error = inherited + units * unit_ * std::fabs(value);
    v.pole = pole;
    return v;
  };
  const auto exact_zero = [&](std::size_t i) { return x(i) == 0 && e(i) == 0; };
  const auto product_error = [&] {
    if (exact_zero(0) || exact_zero(1)) return 0.0;
    return std::fabs(x(0)) * e(1) + std::fabs(x(1)) * e(0) + e(0) * e(1) + least_;
  };
  const auto total = [] {
    Value v;
    v.pole = true;
    return v;
  };
  const auto nonzero = [&](std::size_t i) {
    if (!(std::fabs(x(i)) > 4 * e(i))) outside();
  };
  const auto positive = [&](std::size_t i) {
    if (!(x(i) > 4 * e(i))) outside();
  };
  constexpr double call = 4;  // units of a call of a library's function
  switch (t->op) {
    case Op::add:
      return out(x(0) + x(1), e(0) + e(1), exact_zero(0) || exact_zero(1) ? 0 : 1);
    case Op::sub:
      return out(x(0) - x(1), e(0) + e(1), exact_zero(0) || exact_zero(1) ? 0 : 1);
    case Op::mul:
      return out(x(0) * x(1), product_error());
    case Op::fma:
      return out(x(0) * x(1) + x(2), product_error() + unit_ * std::fabs(x(0) * x(1)) + e(2));
    case Op::div:
      if (exact_zero(1)) return total();
      nonzero(1);
      return out(x(0) / x(1), (e(0) + std::fabs(x(0) / x(1)) * e(1)) / (std::fabs(x(1)) - e(1)) + least_);
    case Op::reciprocal:
      if (exact_zero(0)) return total();
      nonzero(0);
      return out(1 / x(0), e(0) / (std::fabs(x(0)) * (std::fabs(x(0)) - e(0))) + least_);
    case Op::neg:
      return out(-x(0), e(0), 0);
    case Op::abs:
      return out(std::fabs(x(0)), e(0), 0);
    case Op::max:
    case Op::maximum:
    case Op::maxnum:
      return out(std::max(x(0), x(1)), std::max(e(0), e(1)), 0);
    case Op::min:
    case Op::minimum:
    case Op::minnum:
      return out(std::min(x(0), x(1)), std::max(e(0), e(1)), 0);
    case Op::exp:
      return out(std::exp(x(0)), std::exp(x(0)) * std::expm1(e(0)) + least_, call);
    case Op::tanh:
      return out(std::tanh(x(0)), e(0), call);
    case Op::erf:
      return out(std::erf(x(0)), 1.2 * e(0), call);
    case Op::sin:
      return out(std::sin(x(0)), e(0) + unit_, call);
    case Op::cos:
      return out(std::cos(x(0)), e(0) + unit_, call);
    case Op::atan:
      return out(std::atan(x(0)), e(0), call);
    case Op::sinh:
      return out(std::sinh(x(0)), std::cosh(x(0)) * std::expm1(e(0)), call);
    case Op::cosh:
      return out(std::cosh(x(0)), std::cosh(x(0)) * std::expm1(e(0)), call);
    case Op::asinh:
      return out(std::asinh(x(0)), e(0), call);
    case Op::pow: {
      positive(0);
      const double value = std::pow(x(0), x(1)), logarithm = std::fabs(std::log(x(0)));
      return out(value, value * std::expm1(2 * std::fabs(x(1)) * e(0) / x(0) + logarithm * e(1)) + least_,
                 call * (1 + std::fabs(x(1)) * logarithm));
    }
    case Op::sqrt:
      if (exact_zero(0)) return out(0, 0);
      positive(0);
      return out(std::sqrt(x(0)), e(0) / std::sqrt(x(0)));
    case Op::rsqrt:
      positive(0);
      return out(1 / std::sqrt(x(0)), e(0) / (x(0) * std::sqrt(x(0))), call);
    case Op::log:
      positive(0);
      return out(std::log(x(0)), e(0) / (x(0) - e(0)), call);
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round_even: {
      const auto whole = [&](double v) {
        return t->op == Op::floor   ? std::floor(v)
               : t->op == Op::ceil  ? std::ceil(v)
               : t->op == Op::trunc ? std::trunc(v)
                                    : std::nearbyint(v);
      };
      if (whole(x(0) - e(0)) != whole(x(0)) || whole(x(0) + e(0)) != whole(x(0))) outside();
      return out(whole(x(0)), 0, 0);
    }
    default:
      throw Refusal("E4020", "no concrete meaning for " + brief(t, 1));
  }
}

}  // namespace hallmark::validator
