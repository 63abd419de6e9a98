#include "evaluator/real_operation.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace hallmark::evaluator {

using calculus::Op;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(Op op, std::string_view why) {
  throw Refusal("E1001", "'" + std::string(name(op)) + "' " + std::string(why));
}

double python_mod(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0) return std::isnan(b) ? r : std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

double exponent_of(double x) {
  if (x == 0) return 0;
  return std::isfinite(x) ? std::ilogb(x) : std::fabs(x);
}

}  // namespace

double double_operation(Op op, const double* x) {
  switch (op) {
    case Op::neg:
      return -x[0];
    case Op::abs:
      return std::fabs(x[0]);
    case Op::sign:
      return std::isnan(x[0]) ? x[0] : x[0] > 0 ? 1 : x[0] < 0 ? -1 : 0;
    case Op::add:
      return x[0] + x[1];
    case Op::sub:
      return x[0] - x[1];
    case Op::mul:
      return x[0] * x[1];
    case Op::div:
      return x[0] / x[1];
    case Op::mod:
      return python_mod(x[0], x[1]);
    case Op::rem:
      return std::fmod(x[0], x[1]);
    case Op::fma:
      return x[0] * x[1] + x[2];
    case Op::pow:
      return std::pow(x[0], x[1]);
    case Op::sqrt:
      return std::sqrt(x[0]);
    case Op::rsqrt:
      return 1 / std::sqrt(x[0]);
    case Op::reciprocal:
      return 1 / x[0];
    case Op::max:
    case Op::maximum:
      return std::isnan(x[0]) ? x[0] : x[0] > x[1] ? x[0] : x[1];
    case Op::min:
    case Op::minimum:
      return std::isnan(x[0]) ? x[0] : x[0] < x[1] ? x[0] : x[1];
    case Op::maxnum:
      return std::isnan(x[0]) ? x[1] : x[0] < x[1] ? x[1] : x[0];
    case Op::minnum:
      return std::isnan(x[0]) ? x[1] : x[1] < x[0] ? x[1] : x[0];
    case Op::exp:
      return std::exp(x[0]);
    case Op::log:
      return std::log(x[0]);
    case Op::sin:
      return std::sin(x[0]);
    case Op::cos:
      return std::cos(x[0]);
    case Op::tan:
      return std::tan(x[0]);
    case Op::asin:
      return std::asin(x[0]);
    case Op::acos:
      return std::acos(x[0]);
    case Op::atan:
      return std::atan(x[0]);
    case Op::sinh:
      return std::sinh(x[0]);
    case Op::cosh:
      return std::cosh(x[0]);
    case Op::tanh:
      return std::tanh(x[0]);
    case Op::asinh:
      return std::asinh(x[0]);
    case Op::acosh:
      return std::acosh(x[0]);
    case Op::atanh:
      return std::atanh(x[0]);
    case Op::erf:
      return std::erf(x[0]);
    case Op::floor:
      return std::floor(x[0]);
    case Op::ceil:
      return std::ceil(x[0]);
    case Op::trunc:
      return std::trunc(x[0]);
    case Op::round_even:
      return std::nearbyint(x[0]);
    case Op::scale2:
      return std::isnan(x[1]) ? nan_value
                              : std::ldexp(x[0], static_cast<int>(std::fmin(std::fmax(x[1], -5000), 5000)));
    case Op::exponent:
      return exponent_of(x[0]);
    default:
      break;
  }
  throw Refusal("E1002", "the operation '" + std::string(name(op)) + "' has no meaning on reals");
}

namespace {

Integer floor_of(const Rational& x) {
  return floor_div(x.get_num(), x.get_den());
}
Integer trunc_of(const Rational& x) {
  return x.get_num() / x.get_den();  // GMP's division truncates
}

Integer round_even_of(const Rational& x) {
  const Rational shifted = x + Rational(1, 2);
  Integer whole = floor_of(shifted);
  if (shifted == whole && mpz_odd_p(whole.get_mpz_t()) != 0) whole -= 1;
  return whole;
}

Rational divide(const Rational& a, const Rational& b) {
  return sgn(b) == 0 ? Rational(0) : Rational(a / b);
}

Rational whole_power(const Rational& base, unsigned long exponent) {
  Rational result;
  mpz_pow_ui(result.get_num_mpz_t(), base.get_num_mpz_t(), exponent);
  mpz_pow_ui(result.get_den_mpz_t(), base.get_den_mpz_t(), exponent);
  return result;
}

Rational square_root(Op op, const Rational& x) {
  if (sgn(x) < 0 || mpz_perfect_square_p(x.get_num_mpz_t()) == 0 ||
      mpz_perfect_square_p(x.get_den_mpz_t()) == 0)
    refuse(op, "of a number that is not the square of a rational has no exact value");
  return Rational(sqrt(x.get_num()), sqrt(x.get_den()));
}

Rational power(const Rational& base, const Rational& exponent) {
  if (exponent == Rational(1, 2)) return square_root(Op::pow, base);
  if (exponent.get_den() != 1 || abs(exponent.get_num()) > 4096)
    refuse(Op::pow, "with an exponent that is not a small integer has no exact value here");
  const long n = exponent.get_num().get_si();
  if (n >= 0) return whole_power(base, static_cast<unsigned long>(n));
  if (sgn(base) == 0) refuse(Op::pow, "of zero with a negative exponent has no known value");
  return 1 / whole_power(base, static_cast<unsigned long>(-n));
}

long exponent_of(const Rational& x) {
  if (sgn(x) == 0) return 0;
  const Rational size = abs(x);
  long e = static_cast<long>(mpz_sizeinbase(size.get_num_mpz_t(), 2)) -
           static_cast<long>(mpz_sizeinbase(size.get_den_mpz_t(), 2));
  Rational power = 1;
  if (e >= 0)
    mpq_mul_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<mp_bitcnt_t>(e));
  else
    mpq_div_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<mp_bitcnt_t>(-e));
  return size < power ? e - 1 : e;
}

Rational scaled(const Rational& x, const Rational& n) {
  if (n.get_den() != 1 || abs(n.get_num()) > 100000) refuse(Op::scale2, "by this amount is not supported");
  const long by = n.get_num().get_si();
  Rational result;
  if (by >= 0)
    mpq_mul_2exp(result.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(by));
  else
    mpq_div_2exp(result.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(-by));
  return result;
}

int order_of(const Exact& a, const Exact& b) {
  if (a.extreme != 0 || b.extreme != 0) return a.extreme - b.extreme;
  return cmp(a.value, b.value);
}

Rational rational_operation(Op op, const Rational& a, const Exact* x) {
  switch (op) {
    case Op::neg:
      return -a;
    case Op::abs:
      return abs(a);
    case Op::sign:
      return sgn(a);
    case Op::add:
      return a + x[1].value;
    case Op::sub:
      return a - x[1].value;
    case Op::mul:
      return a * x[1].value;
    case Op::div:
      return divide(a, x[1].value);
    case Op::reciprocal:
      return divide(1, a);
    case Op::mod: {
      const Rational& b = x[1].value;
      return sgn(b) == 0 ? Rational(0) : Rational(a - b * floor_of(a / b));
    }
    case Op::rem: {
      const Rational& b = x[1].value;
      return sgn(b) == 0 ? Rational(0) : Rational(a - b * trunc_of(a / b));
    }
    case Op::fma:
      return a * x[1].value + x[2].value;
    case Op::pow:
      return power(a, x[1].value);
    case Op::sqrt:
      return square_root(op, a);
    case Op::rsqrt:
      if (sgn(a) == 0) refuse(op, "of zero has no known value");
      return 1 / square_root(op, a);
    case Op::floor:
      return floor_of(a);
    case Op::ceil:
      return -floor_of(-a);
    case Op::trunc:
      return trunc_of(a);
    case Op::round_even:
      return round_even_of(a);
    case Op::scale2:
      return scaled(a, x[1].value);
    case Op::exponent:
      return exponent_of(a);
    case Op::exp:
    case Op::sin:
    case Op::tan:
    case Op::asin:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::asinh:
    case Op::atanh:
    case Op::erf:
    case Op::cos:
    case Op::cosh:
    case Op::log:
    case Op::acos:
    case Op::acosh: {
      // The only rational points of the elementary functions (Lindemann): f(0) or f(1).
      const bool at_zero = sgn(a) == 0;
      if (op == Op::exp || op == Op::cos || op == Op::cosh) {
        if (at_zero) return 1;
      } else if (op == Op::log || op == Op::acos || op == Op::acosh) {
        if (a == 1) return 0;
      } else if (at_zero) {
        return 0;
      }
      refuse(op, "has no exact value here");
    }
    default:
      break;
  }
  throw Refusal("E1002", "the operation '" + std::string(name(op)) + "' has no meaning on reals");
}

}  // namespace

Exact exact_operation(Op op, const Exact* x) {
  switch (op) {
    case Op::max:
    case Op::maximum:
    case Op::maxnum:
      return order_of(x[0], x[1]) < 0 ? x[1] : x[0];
    case Op::min:
    case Op::minimum:
    case Op::minnum:
      return order_of(x[1], x[0]) < 0 ? x[1] : x[0];
    default:
      break;
  }
  const int operands = op == Op::fma ? 3
                       : op == Op::add || op == Op::sub || op == Op::mul || op == Op::div || op == Op::mod ||
                               op == Op::rem || op == Op::pow || op == Op::scale2
                           ? 2
                           : 1;
  // Before its first term a running maximum is -infinity; less a number it is that still, and e^-infinity is
  // 0 (rescaled sums: online softmax).
  if (op == Op::sub && x[0].extreme != 0 && x[1].extreme == 0) return {0, x[0].extreme};
  if (op == Op::exp && x[0].extreme < 0) return {0, 0};
  for (int i = 0; i < operands; ++i)
    if (x[i].extreme != 0) refuse(op, "of the maximum or minimum of an empty range has no known value");
  Exact result{rational_operation(op, x[0].value, x), 0};
  // A chain of forty squares has more digits than there is memory for.
  constexpr std::size_t most_bits = std::size_t{1} << 18;
  if (mpz_sizeinbase(result.value.get_num_mpz_t(), 2) > most_bits ||
      mpz_sizeinbase(result.value.get_den_mpz_t(), 2) > most_bits)
    refuse(op, "has more than 2^18 bits");
  return result;
}

bool exact_compare(Op op, const Exact& a, const Exact& b) {
  const int order = order_of(a, b);
  return op == Op::lt ? order < 0 : op == Op::le ? order <= 0 : order == 0;
}

}  // namespace hallmark::evaluator
