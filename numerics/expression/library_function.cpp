#include "numerics/expression/library_function.h"

#include <map>

#include "base/error.h"

namespace hallmark::numerics {

namespace {

using Mpfi = int (*)(mpfi_ptr, mpfi_srcptr);

// Increasing functions that MPFI lacks: the ends by directed rounding.
Interval increasing(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), const Interval& x) {
  Interval out(x.precision());
  f(&out.raw()->left, x.low(), MPFR_RNDD);
  f(&out.raw()->right, x.high(), MPFR_RNDU);
  return out;
}
Interval decreasing(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), const Interval& x) {
  Interval out(x.precision());
  f(&out.raw()->left, x.high(), MPFR_RNDD);
  f(&out.raw()->right, x.low(), MPFR_RNDU);
  return out;
}

Interval number(long value, const Interval& like) {
  return Interval(Rational(value), like.precision());
}

}  // namespace

MaybeInterval library_function(Operation operation, const Interval& x) {
  static const std::map<Operation, Mpfi> table{
      {Operation::exp, mpfi_exp},     {Operation::exp2, mpfi_exp2},   {Operation::expm1, mpfi_expm1},
      {Operation::log, mpfi_log},     {Operation::log2, mpfi_log2},   {Operation::log10, mpfi_log10},
      {Operation::log1p, mpfi_log1p}, {Operation::sin, mpfi_sin},     {Operation::cos, mpfi_cos},
      {Operation::tan, mpfi_tan},     {Operation::asin, mpfi_asin},   {Operation::acos, mpfi_acos},
      {Operation::atan, mpfi_atan},   {Operation::sinh, mpfi_sinh},   {Operation::cosh, mpfi_cosh},
      {Operation::tanh, mpfi_tanh},   {Operation::asinh, mpfi_asinh}, {Operation::acosh, mpfi_acosh},
      {Operation::atanh, mpfi_atanh}, {Operation::cbrt, mpfi_cbrt},   {Operation::sqrt, mpfi_sqrt}};
  if (operation == Operation::erf) return with_ends(increasing(mpfr_erf, x));
  if (operation == Operation::erfc) return with_ends(decreasing(mpfr_erfc, x));
  // MPFI returns ends without meaning outside a domain: what is on its border or beyond has no value here.
  const auto outside = [&](long low, long high) {
    return mpfr_cmp_si(x.low(), low) < 0 || mpfr_cmp_si(x.high(), high) > 0;
  };
  switch (operation) {
    case Operation::log:
    case Operation::log2:
    case Operation::log10:
      if (!x.is_positive()) return std::nullopt;
      break;
    case Operation::log1p:
      if (mpfr_cmp_si(x.low(), -1) <= 0) return std::nullopt;
      break;
    case Operation::sqrt:
      if (!x.is_nonnegative()) return std::nullopt;
      break;
    case Operation::asin:
    case Operation::acos:
      if (outside(-1, 1)) return std::nullopt;
      break;
    case Operation::acosh:
      if (mpfr_cmp_si(x.low(), 1) < 0) return std::nullopt;
      break;
    case Operation::atanh:
      if (mpfr_cmp_si(x.low(), -1) <= 0 || mpfr_cmp_si(x.high(), 1) >= 0) return std::nullopt;
      break;
    default:
      break;
  }
  const auto found = table.find(operation);
  ensure(found != table.end(), "a library function of one argument");
  Interval out(x.precision());
  found->second(out.raw(), x.raw());
  return with_ends(std::move(out));
}

MaybeInterval library_function(Operation operation, const Interval& x, const Interval& y) {
  Interval out(x.precision());
  if (operation == Operation::hypot) {
    mpfi_hypot(out.raw(), x.raw(), y.raw());
  } else {
    // x is the ordinate, y the abscissa.
    if (x.contains_zero() && !y.is_positive()) return std::nullopt;
    mpfi_atan2(out.raw(), x.raw(), y.raw());
  }
  return with_ends(std::move(out));
}

Interval step_function(Operation operation, const Interval& x) {
  // They do not decrease, so the ends of x give the ends of the result. The results are exact: an integer
  // below 2^precision, or the argument itself.
  const auto apply = [&](mpfr_ptr out, mpfr_srcptr in) {
    switch (operation) {
      case Operation::floor:
        mpfr_rint_floor(out, in, MPFR_RNDN);
        return;
      case Operation::ceil:
        mpfr_rint_ceil(out, in, MPFR_RNDN);
        return;
      case Operation::trunc:
        mpfr_rint_trunc(out, in, MPFR_RNDN);
        return;
      case Operation::round:
        mpfr_rint_round(out, in, MPFR_RNDN);
        return;
      default:
        mpfr_rint_roundeven(out, in, MPFR_RNDN);
        return;
    }
  };
  Interval out(x.precision());
  apply(&out.raw()->left, x.low());
  apply(&out.raw()->right, x.high());
  return out;
}

MaybeInterval library_derivative(Operation operation, const Interval& x, const Interval& value) {
  const Interval one = number(1, x), two = number(2, x);
  const auto reciprocal = [&](const Interval& a) { return divide(one, a); };
  const auto reciprocal_root = [&](const Interval& a) -> MaybeInterval {
    const MaybeInterval root = library_function(Operation::sqrt, a);
    if (!root) return std::nullopt;
    return reciprocal(*root);
  };
  switch (operation) {
    case Operation::sqrt:
      return reciprocal(two * value);
    case Operation::exp:
      return value;
    case Operation::exp2:
      return value * named_constant("LN2", x.precision());
    case Operation::expm1:
      return library_function(Operation::exp, x);
    case Operation::log:
      return reciprocal(x);
    case Operation::log2:
      return reciprocal(x * named_constant("LN2", x.precision()));
    case Operation::log10:
      return reciprocal(x * named_constant("LN10", x.precision()));
    case Operation::log1p:
      return reciprocal(one + x);
    case Operation::sin:
      return library_function(Operation::cos, x);
    case Operation::cos: {
      const MaybeInterval s = library_function(Operation::sin, x);
      if (!s) return std::nullopt;
      return -*s;
    }
    case Operation::tan:
      return one + square(value);
    case Operation::asin:
      return reciprocal_root(one - square(x));
    case Operation::acos: {
      const MaybeInterval d = reciprocal_root(one - square(x));
      if (!d) return std::nullopt;
      return -*d;
    }
    case Operation::atan:
      return reciprocal(one + square(x));
    case Operation::sinh:
      return library_function(Operation::cosh, x);
    case Operation::cosh:
      return library_function(Operation::sinh, x);
    case Operation::tanh:
      return one - square(value);
    case Operation::asinh:
      return reciprocal_root(one + square(x));
    case Operation::acosh:
      return reciprocal_root(square(x) - one);
    case Operation::atanh:
      return reciprocal(one - square(x));
    case Operation::erf: {
      // 2 / sqrt(pi) * e^(-x^2)
      const MaybeInterval e = library_function(Operation::exp, -square(x));
      if (!e) return std::nullopt;
      return *e * named_constant("M_2_SQRTPI", x.precision());
    }
    case Operation::erfc: {
      const MaybeInterval d = library_derivative(Operation::erf, x, value);
      if (!d) return std::nullopt;
      return -*d;
    }
    case Operation::cbrt:
      return reciprocal(number(3, x) * square(value));
    default:
      throw InternalError("a derivative of no library function");
  }
}

bool is_named_constant(const std::string& name) {
  for (const char* known : {"PI", "E", "LN2", "LN10", "LOG2E", "LOG10E", "PI_2", "PI_4", "M_1_PI", "M_2_PI",
                            "M_2_SQRTPI", "SQRT2", "SQRT1_2"})
    if (name == known) return true;
  return false;
}

Interval named_constant(const std::string& name, mpfr_prec_t precision) {
  const Interval one(Rational(1), precision), two(Rational(2), precision);
  const auto pi = [&] {
    Interval out(precision);
    mpfi_const_pi(out.raw());
    return out;
  };
  const auto log = [&](long x) {
    return *library_function(Operation::log, Interval(Rational(x), precision));
  };
  const auto root = [&](const Interval& x) { return *library_function(Operation::sqrt, x); };
  if (name == "PI") return pi();
  if (name == "E") return *library_function(Operation::exp, one);
  if (name == "LN2") return log(2);
  if (name == "LN10") return log(10);
  if (name == "LOG2E") return *divide(one, log(2));
  if (name == "LOG10E") return *divide(one, log(10));
  if (name == "PI_2") return scale2(pi(), -1);
  if (name == "PI_4") return scale2(pi(), -2);
  if (name == "M_1_PI") return *divide(one, pi());
  if (name == "M_2_PI") return *divide(two, pi());
  if (name == "M_2_SQRTPI") return *divide(two, root(pi()));
  if (name == "SQRT2") return root(two);
  if (name == "SQRT1_2") return root(Interval(Rational(1, 2), precision));
  throw InternalError("no constant is named " + name);
}

}  // namespace hallmark::numerics
