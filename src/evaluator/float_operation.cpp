#include "evaluator/float_operation.h"

#include <mpfr.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "evaluator/float_format.h"

namespace hallmark::evaluator {

using calculus::Format;
using calculus::Op;
using calculus::Rounding;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

mpfr_rnd_t mpfr_mode(Rounding rounding) {
  switch (rounding) {
    case Rounding::toward_zero:
      return MPFR_RNDZ;
    case Rounding::down:
      return MPFR_RNDD;
    case Rounding::up:
      return MPFR_RNDU;
    default:
      return MPFR_RNDN;
  }
}

// The exact result rounded to f64 by `mode`, with gradual underflow; `inexact` gets the sign of
// (result - exact).
double by_mpfr(Op op, const double* x, mpfr_rnd_t mode, int& inexact) {
  mpfr_t r, a, b, c;
  mpfr_inits2(53, r, a, b, c, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(a, x[0], MPFR_RNDN);
  const auto second = [&]() -> mpfr_ptr {
    mpfr_set_d(b, x[1], MPFR_RNDN);
    return b;
  };
  const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  bool known = true;
  switch (op) {
    case Op::add:
      inexact = mpfr_add(r, a, second(), mode);
      break;
    case Op::sub:
      inexact = mpfr_sub(r, a, second(), mode);
      break;
    case Op::mul:
      inexact = mpfr_mul(r, a, second(), mode);
      break;
    case Op::div:
      inexact = mpfr_div(r, a, second(), mode);
      break;
    case Op::fma:
      mpfr_set_d(c, x[2], MPFR_RNDN);
      inexact = mpfr_fma(r, a, second(), c, mode);
      break;
    case Op::pow:
      inexact = mpfr_pow(r, a, second(), mode);
      break;
    case Op::rem:
      inexact = mpfr_fmod(r, a, second(), mode);
      break;
    case Op::sqrt:
      inexact = mpfr_sqrt(r, a, mode);
      break;
    case Op::rsqrt:
      inexact = mpfr_rec_sqrt(r, a, mode);
      break;
    case Op::reciprocal:
      inexact = mpfr_ui_div(r, 1, a, mode);
      break;
    case Op::exp:
      inexact = mpfr_exp(r, a, mode);
      break;
    case Op::log:
      inexact = mpfr_log(r, a, mode);
      break;
    case Op::sin:
      inexact = mpfr_sin(r, a, mode);
      break;
    case Op::cos:
      inexact = mpfr_cos(r, a, mode);
      break;
    case Op::tan:
      inexact = mpfr_tan(r, a, mode);
      break;
    case Op::asin:
      inexact = mpfr_asin(r, a, mode);
      break;
    case Op::acos:
      inexact = mpfr_acos(r, a, mode);
      break;
    case Op::atan:
      inexact = mpfr_atan(r, a, mode);
      break;
    case Op::sinh:
      inexact = mpfr_sinh(r, a, mode);
      break;
    case Op::cosh:
      inexact = mpfr_cosh(r, a, mode);
      break;
    case Op::tanh:
      inexact = mpfr_tanh(r, a, mode);
      break;
    case Op::asinh:
      inexact = mpfr_asinh(r, a, mode);
      break;
    case Op::acosh:
      inexact = mpfr_acosh(r, a, mode);
      break;
    case Op::atanh:
      inexact = mpfr_atanh(r, a, mode);
      break;
    case Op::erf:
      inexact = mpfr_erf(r, a, mode);
      break;
    case Op::scale2:
      inexact = mpfr_set(r, a, mode);
      inexact = mpfr_mul_2si(
          r, r, std::isnan(x[1]) ? 0 : static_cast<long>(std::fmin(std::fmax(x[1], -5000), 5000)), mode);
      break;
    default:
      known = false;
      break;
  }
  if (known) inexact = mpfr_subnormalize(r, inexact, mode);
  const double result = known ? mpfr_get_d(r, MPFR_RNDN) : 0;
  mpfr_set_emin(least);
  mpfr_set_emax(greatest);
  mpfr_clears(r, a, b, c, static_cast<mpfr_ptr>(nullptr));
  if (!known)
    throw Refusal("E1002", "the operation '" + std::string(name(op)) + "' has no meaning on floats");
  return std::isnan(result) ? nan_value : result;
}

// The exact a + b rounded to odd. The operands' magnitudes keep the sum far from overflow.
double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  return to_odd(sum, (a - (sum - b_part)) + (b - b_part));
}

// An exact zero of a sum: -0 when both addends are -0, or of opposite signs when rounding down.
double with_zero_sign(double sum, double a, double b, Rounding rounding) {
  if (sum != 0) return sum;
  if (std::signbit(a) == std::signbit(b)) return a;  // both zeros of one sign
  return rounding == Rounding::down ? -0.0 : 0.0;
}

// Formats of at most 24 digits: a double holds products exactly, sums, quotients and roots rounded to odd.
bool narrow_operation(Op op, Rounding rounding, const double* x, double& sticky) {
  switch (op) {
    case Op::add:
      sticky = with_zero_sign(add_to_odd(x[0], x[1]), x[0], x[1], rounding);
      return true;
    case Op::sub:
      sticky = with_zero_sign(add_to_odd(x[0], -x[1]), x[0], -x[1], rounding);
      return true;
    case Op::mul:
      sticky = x[0] * x[1];
      return true;
    case Op::fma: {
      const double product = x[0] * x[1];
      sticky = with_zero_sign(add_to_odd(product, x[2]), product, x[2], rounding);
      return true;
    }
    case Op::div:
    case Op::reciprocal: {
      const double a = op == Op::div ? x[0] : 1.0, b = op == Op::div ? x[1] : x[0];
      const double quotient = a / b;
      if (!std::isfinite(quotient) || quotient == 0 || std::isinf(b)) {
        sticky = quotient;
      } else {
        const double rest = std::fma(-quotient, b, a);
        sticky = to_odd(quotient, b > 0 ? rest : -rest);
      }
      return true;
    }
    case Op::sqrt: {
      const double root = std::sqrt(x[0]);
      sticky = !std::isfinite(root) || root == 0 ? root : to_odd(root, std::fma(-root, root, x[0]));
      return true;
    }
    case Op::scale2:
      sticky = std::isnan(x[1]) ? nan_value
                                : std::ldexp(x[0], static_cast<int>(std::fmin(std::fmax(x[1], -600), 600)));
      return true;
    default:
      return false;
  }
}

double extremum(const double* x, bool greatest, bool number_wins) {
  const double a = x[0], b = x[1];
  if (std::isnan(a) || std::isnan(b)) {
    if (!number_wins) return nan_value;
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == greatest ? b : a;  // -0 is below +0
  return (a > b) == greatest ? a : b;
}

double exponent_of(double x) {
  if (x == 0) return 0;
  if (std::isnan(x)) return nan_value;
  if (std::isinf(x)) return infinity;
  return std::ilogb(x);
}

// Results that need no rounding (in range of the format by nature). False when the operation is another.
bool exact_operation(Op op, const double* x, double& result) {
  switch (op) {
    case Op::neg:
      result = -x[0];
      return true;
    case Op::abs:
      result = std::fabs(x[0]);
      return true;
    case Op::sign:
      result = std::isnan(x[0]) || x[0] == 0 ? x[0] : x[0] > 0 ? 1 : -1;
      return true;
    case Op::max:
    case Op::maximum:
      result = extremum(x, true, false);
      return true;
    case Op::min:
    case Op::minimum:
      result = extremum(x, false, false);
      return true;
    case Op::maxnum:
      result = extremum(x, true, true);
      return true;
    case Op::minnum:
      result = extremum(x, false, true);
      return true;
    case Op::floor:
      result = std::floor(x[0]);
      return true;
    case Op::ceil:
      result = std::ceil(x[0]);
      return true;
    case Op::trunc:
      result = std::trunc(x[0]);
      return true;
    case Op::round_even:
      result = std::nearbyint(x[0]);
      return true;
    case Op::exponent:
      result = exponent_of(x[0]);
      return true;
    default:
      return false;
  }
}

double rounded(Op op, Format format, Rounding rounding, const double* x) {
  double result = 0;
  if (exact_operation(op, x, result)) return round_to(format, result, rounding);
  if (op == Op::mod) {
    // The remainder is exact; adding the divisor may round.
    const double remainder = std::fmod(x[0], x[1]);
    if (remainder == 0) return std::isnan(x[1]) ? nan_value : std::copysign(0.0, x[1]);
    if (std::isnan(remainder) || (remainder < 0) == (x[1] < 0)) return remainder;
    const double sum[2] = {remainder, x[1]};
    return rounded(Op::add, format, rounding, sum);
  }
  if (format != Format::f64) {
    if (narrow_operation(op, rounding, x, result)) return round_to(format, result, rounding);
    int inexact = 0;
    const double close = by_mpfr(op, x, MPFR_RNDZ, inexact);  // stays finite on overflow
    return round_to(format, to_odd(close, -inexact), rounding);
  }
  if (rounding == Rounding::nearest) {
    switch (op) {
      case Op::add:
        return x[0] + x[1];
      case Op::sub:
        return x[0] - x[1];
      case Op::mul:
        return x[0] * x[1];
      case Op::div:
        return x[0] / x[1];
      case Op::reciprocal:
        return 1 / x[0];
      case Op::fma:
        return std::fma(x[0], x[1], x[2]);
      case Op::sqrt:
        return std::sqrt(x[0]);
      default:
        break;
    }
  }
  int inexact = 0;
  return by_mpfr(op, x, mpfr_mode(rounding), inexact);
}

int operand_count(Op op) {
  switch (op) {
    case Op::fma:
      return 3;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::mod:
    case Op::rem:
    case Op::pow:
    case Op::max:
    case Op::min:
    case Op::maximum:
    case Op::minimum:
    case Op::maxnum:
    case Op::minnum:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

double float_operation(Op op, Format format, Rounding rounding, bool ftz, const double* operands) {
  if (!ftz) return rounded(op, format, rounding, operands);
  double flushed[3] = {operands[0], 0, 0};
  if (op == Op::scale2) flushed[1] = operands[1];
  for (int i = 0; i < operand_count(op); ++i) flushed[i] = flush(format, operands[i]);
  return flush(format, rounded(op, format, rounding, flushed));
}

bool float_compare(Op op, double a, double b) {
  return op == Op::lt ? a < b : op == Op::le ? a <= b : a == b;
}

}  // namespace hallmark::evaluator
