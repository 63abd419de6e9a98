#include "numerics/interval.h"

#include <mpfi_io.h>

#include <algorithm>

#include "base/error.h"

namespace hallmark::numerics {

Interval::Interval(mpfr_prec_t precision) {
  mpfi_init2(value_, precision);
  mpfi_set_ui(value_, 0);
}
Interval::Interval(const Rational& value, mpfr_prec_t precision) {
  mpfi_init2(value_, precision);
  mpfi_set_q(value_, value.get_mpq_t());
}
Interval::Interval(const Rational& low, const Rational& high, mpfr_prec_t precision) {
  ensure(low <= high, "an interval with its ends exchanged");
  mpfi_init2(value_, precision);
  mpfr_set_q(&value_->left, low.get_mpq_t(), MPFR_RNDD);
  mpfr_set_q(&value_->right, high.get_mpq_t(), MPFR_RNDU);
}
Interval::Interval(const Interval& other) {
  mpfi_init2(value_, other.precision());
  mpfi_set(value_, other.value_);
}
Interval::Interval(Interval&& other) noexcept {
  mpfi_init2(value_, other.precision());
  mpfi_swap(value_, other.value_);
}
Interval& Interval::operator=(const Interval& other) {
  if (this == &other) return *this;
  mpfi_set_prec(value_, other.precision());
  mpfi_set(value_, other.value_);
  return *this;
}
Interval& Interval::operator=(Interval&& other) noexcept {
  mpfi_swap(value_, other.value_);
  return *this;
}
Interval::~Interval() {
  mpfi_clear(value_);
}

Interval Interval::power_of_two(long exponent, mpfr_prec_t precision) {
  Interval out(precision);
  mpfi_set_ui(out.value_, 1);
  mpfi_mul_2si(out.value_, out.value_, exponent);
  return out;
}
Interval Interval::point(mpfr_srcptr value) {
  return ends(value, value);
}
Interval Interval::ends(mpfr_srcptr low, mpfr_srcptr high) {
  ensure(mpfr_number_p(low) != 0 && mpfr_number_p(high) != 0 && mpfr_lessequal_p(low, high) != 0,
         "an interval with NaN, infinite or exchanged ends");
  Interval out(std::max(mpfr_get_prec(low), mpfr_get_prec(high)));
  mpfr_set(&out.value_->left, low, MPFR_RNDD);
  mpfr_set(&out.value_->right, high, MPFR_RNDU);
  return out;
}

namespace {
Rational rational_of(mpfr_srcptr x) {
  Rational out;
  mpfr_get_q(out.get_mpq_t(), x);
  return out;
}

// Ends become fractions (exact_low()), and a fraction of 2^(-10^12) has no room in any memory; e^x of a
// masked row's -10^12 is such a number. Far below every format's least value an end moves outward, to 0 or to
// the least end; far above every format there is no interval.
constexpr mpfr_exp_t least_exponent_of_an_end = -(1L << 15), greatest_exponent_of_an_end = 1L << 22;

void widen_tiny_ends(mpfi_ptr a) {
  const auto tiny = [](mpfr_srcptr x) {
    return mpfr_regular_p(x) != 0 && mpfr_get_exp(x) <= least_exponent_of_an_end;
  };
  if (tiny(&a->left)) {
    const bool positive = mpfr_sgn(&a->left) > 0;
    mpfr_set_si_2exp(&a->left, positive ? 0 : -1, least_exponent_of_an_end, MPFR_RNDD);
  }
  if (tiny(&a->right)) {
    const bool negative = mpfr_sgn(&a->right) < 0;
    mpfr_set_si_2exp(&a->right, negative ? 0 : 1, least_exponent_of_an_end, MPFR_RNDU);
  }
}

// A result with ends that have a fraction, or nothing.
MaybeInterval checked(Interval&& a) {
  if (mpfi_nan_p(a.raw()) != 0 || mpfi_inf_p(a.raw()) != 0 || mpfi_is_empty(a.raw()) != 0)
    return std::nullopt;
  widen_tiny_ends(a.raw());
  for (mpfr_srcptr end : {a.low(), a.high()})
    if (mpfr_regular_p(end) != 0 && mpfr_get_exp(end) > greatest_exponent_of_an_end) return std::nullopt;
  return std::move(a);
}
Interval required(Interval&& a) {
  MaybeInterval out = checked(std::move(a));
  if (!out) throw Refusal("E8101", "a bound is beyond 2^(2^22), where there is no interval arithmetic");
  return std::move(*out);
}
mpfr_prec_t precision_of(const Interval& a, const Interval& b) {
  return std::max(a.precision(), b.precision());
}
using Unary = int (*)(mpfi_ptr, mpfi_srcptr);
using Binary = int (*)(mpfi_ptr, mpfi_srcptr, mpfi_srcptr);
Interval call(Unary f, const Interval& a) {
  Interval out(a.precision());
  f(out.raw(), a.raw());
  return out;
}
Interval call(Binary f, const Interval& a, const Interval& b) {
  Interval out(precision_of(a, b));
  f(out.raw(), a.raw(), b.raw());
  return out;
}
// A function that MPFI lacks and that does not decrease.
Interval increasing(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), const Interval& a) {
  Interval out(a.precision());
  f(&out.raw()->left, a.low(), MPFR_RNDD);
  f(&out.raw()->right, a.high(), MPFR_RNDU);
  return out;
}
int round_to_integer_even(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t) {
  return mpfr_rint_roundeven(out, a, MPFR_RNDN);
}
int floor_of(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t r) {
  return mpfr_rint_floor(out, a, r);
}
int ceil_of(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t r) {
  return mpfr_rint_ceil(out, a, r);
}
int trunc_of(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t r) {
  return mpfr_rint_trunc(out, a, r);
}
bool within(const Interval& a, long low, long high) {
  return mpfr_cmp_si(a.low(), low) >= 0 && mpfr_cmp_si(a.high(), high) <= 0;
}
}  // namespace

MaybeInterval with_ends(Interval a) {
  return checked(std::move(a));
}

Rational Interval::exact_low() const {
  return rational_of(low());
}
Rational Interval::exact_high() const {
  return rational_of(high());
}
bool Interval::contains(const Rational& value) const {
  return mpfr_cmp_q(low(), value.get_mpq_t()) <= 0 && mpfr_cmp_q(high(), value.get_mpq_t()) >= 0;
}
bool Interval::contains(const Interval& other) const {
  return mpfr_lessequal_p(low(), other.low()) != 0 && mpfr_lessequal_p(other.high(), high()) != 0;
}
Interval Interval::magnitude() const {
  const Interval a = abs(*this);
  return a.upper_end();
}
Interval Interval::mignitude() const {
  const Interval a = abs(*this);
  return a.lower_end();
}
Interval Interval::from_zero() const {
  Interval out(precision());
  ensure(mpfr_sgn(high()) >= 0, "a negative error bound");
  mpfr_set(&out.value_->right, high(), MPFR_RNDU);
  return out;
}
Interval Interval::symmetric() const {
  Interval out(precision());
  ensure(mpfr_sgn(high()) >= 0, "a negative error bound");
  mpfr_set(&out.value_->right, high(), MPFR_RNDU);
  mpfr_neg(&out.value_->left, high(), MPFR_RNDD);
  return out;
}

Interval operator+(const Interval& a, const Interval& b) {
  return required(call(mpfi_add, a, b));
}
Interval operator-(const Interval& a, const Interval& b) {
  return required(call(mpfi_sub, a, b));
}
Interval operator-(const Interval& a) {
  return call(mpfi_neg, a);
}
Interval operator*(const Interval& a, const Interval& b) {
  return required(call(mpfi_mul, a, b));
}
Interval operator*(const Interval& a, const Rational& b) {
  return a * Interval(b, a.precision());
}
Interval operator+(const Interval& a, const Rational& b) {
  return a + Interval(b, a.precision());
}
Interval scale2(const Interval& a, long exponent) {
  Interval out(a.precision());
  mpfi_mul_2si(out.raw(), a.raw(), exponent);
  return required(std::move(out));
}
Interval hull(const Interval& a, const Interval& b) {
  return call(mpfi_union, a, b);
}
MaybeInterval intersect(const Interval& a, const Interval& b) {
  if (a.below(b) || b.below(a)) return std::nullopt;
  return checked(call(mpfi_intersect, a, b));
}
Interval max(const Interval& a, const Interval& b) {
  return Interval::ends(mpfr_greater_p(a.low(), b.low()) != 0 ? a.low() : b.low(),
                        mpfr_greater_p(a.high(), b.high()) != 0 ? a.high() : b.high());
}
Interval min(const Interval& a, const Interval& b) {
  return Interval::ends(mpfr_less_p(a.low(), b.low()) != 0 ? a.low() : b.low(),
                        mpfr_less_p(a.high(), b.high()) != 0 ? a.high() : b.high());
}
Interval abs(const Interval& a) {
  return call(mpfi_abs, a);
}
Interval square(const Interval& a) {
  return required(call(mpfi_sqr, a));
}
const Interval& greater_high(const Interval& a, const Interval& b) {
  return mpfr_greater_p(a.high(), b.high()) != 0 ? a : b;
}
const Interval& smaller_high(const Interval& a, const Interval& b) {
  return mpfr_less_p(a.high(), b.high()) != 0 ? a : b;
}
bool high_at_most(const Interval& a, const Interval& b) {
  return mpfr_lessequal_p(a.high(), b.high()) != 0;
}

MaybeInterval divide(const Interval& a, const Interval& b) {
  // MPFI answers [-inf, inf] with return code 0 here.
  if (b.contains_zero()) return std::nullopt;
  return checked(call(mpfi_div, a, b));
}

Interval power(const Interval& a, unsigned long n) {
  Interval out(Rational(1), a.precision());
  // Even powers of an interval around 0 are not negative: the square is taken of the whole, never x * x.
  Interval base = a;
  for (; n != 0; n /= 2) {
    if (n % 2 == 1) out = out * base;
    if (n > 1) base = square(base);
  }
  return out;
}

Interval exp(const Interval& a) {
  return required(call(mpfi_exp, a));
}
MaybeInterval expm1(const Interval& a) {
  return checked(call(mpfi_expm1, a));
}

MaybeInterval unary(calculus::Op op, const Interval& a) {
  using calculus::Op;
  switch (op) {
    case Op::neg:
      return -a;
    case Op::abs:
      return abs(a);
    case Op::sign: {
      const long low = mpfr_sgn(a.low()) < 0 ? -1 : (mpfr_sgn(a.low()) > 0 ? 1 : 0);
      const long high = mpfr_sgn(a.high()) < 0 ? -1 : (mpfr_sgn(a.high()) > 0 ? 1 : 0);
      return Interval(Rational(low), Rational(high), a.precision());
    }
    case Op::sqrt:
      if (!a.is_nonnegative()) return std::nullopt;
      return checked(call(mpfi_sqrt, a));
    case Op::rsqrt: {
      if (!a.is_positive()) return std::nullopt;
      const MaybeInterval root = checked(call(mpfi_sqrt, a));
      return root ? divide(Interval(Rational(1), a.precision()), *root) : std::nullopt;
    }
    case Op::reciprocal:
      return divide(Interval(Rational(1), a.precision()), a);
    case Op::exp:
      return checked(call(mpfi_exp, a));
    case Op::log:
      if (!a.is_positive()) return std::nullopt;
      return checked(call(mpfi_log, a));
    case Op::sin:
      return checked(call(mpfi_sin, a));
    case Op::cos:
      return checked(call(mpfi_cos, a));
    case Op::tan:
      return checked(call(mpfi_tan, a));
    case Op::asin:
      if (!within(a, -1, 1)) return std::nullopt;
      return checked(call(mpfi_asin, a));
    case Op::acos:
      if (!within(a, -1, 1)) return std::nullopt;
      return checked(call(mpfi_acos, a));
    case Op::atan:
      return checked(call(mpfi_atan, a));
    case Op::sinh:
      return checked(call(mpfi_sinh, a));
    case Op::cosh:
      return checked(call(mpfi_cosh, a));
    case Op::tanh:
      return checked(call(mpfi_tanh, a));
    case Op::asinh:
      return checked(call(mpfi_asinh, a));
    case Op::acosh:
      if (mpfr_cmp_ui(a.low(), 1) < 0) return std::nullopt;
      return checked(call(mpfi_acosh, a));
    case Op::atanh:
      if (mpfr_cmp_si(a.low(), -1) <= 0 || mpfr_cmp_si(a.high(), 1) >= 0) return std::nullopt;
      return checked(call(mpfi_atanh, a));
    case Op::erf:
      return checked(increasing(mpfr_erf, a));
    case Op::floor:
      return checked(increasing(floor_of, a));
    case Op::ceil:
      return checked(increasing(ceil_of, a));
    case Op::trunc:
      return checked(increasing(trunc_of, a));
    case Op::round_even:
      return checked(increasing(round_to_integer_even, a));
    default:
      return std::nullopt;
  }
}

namespace {
// a^b: an integer exponent for any base (not 0 to a negative one), any exponent for a positive base, and a
// positive exponent for base 0.
MaybeInterval real_power(const Interval& a, const Interval& b) {
  if (b.is_point() && mpfr_integer_p(b.low()) != 0 && mpfr_fits_slong_p(b.low(), MPFR_RNDN) != 0) {
    const long n = mpfr_get_si(b.low(), MPFR_RNDN);
    if (n > 4096 || n < -4096) return std::nullopt;
    const Interval p = power(a, static_cast<unsigned long>(n < 0 ? -n : n));
    return n >= 0 ? MaybeInterval(p) : divide(Interval(Rational(1), a.precision()), p);
  }
  if (!a.is_nonnegative() || (!a.is_positive() && !b.is_positive())) return std::nullopt;
  if (!a.is_positive()) {
    // 0^b = 0 for b > 0; above, 0 <= x^b, and at most what it is at the upper end.
    if (mpfr_zero_p(a.high()) != 0) return Interval(a.precision());
    const MaybeInterval top = real_power(a.upper_end(), b);
    return top ? MaybeInterval(top->from_zero()) : std::nullopt;
  }
  const MaybeInterval logarithm = unary(calculus::Op::log, a);
  return logarithm ? checked(call(mpfi_exp, b * *logarithm)) : std::nullopt;
}
}  // namespace

MaybeInterval binary(calculus::Op op, const Interval& a, const Interval& b) {
  using calculus::Op;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return divide(a, b);
    case Op::max:
    case Op::maximum:
    case Op::maxnum:
      return max(a, b);
    case Op::min:
    case Op::minimum:
    case Op::minnum:
      return min(a, b);
    case Op::pow:
      return real_power(a, b);
    case Op::mod:
    case Op::rem: {
      // x - y * floor(x / y), or with trunc for rem.
      const MaybeInterval quotient = divide(a, b);
      if (!quotient) return std::nullopt;
      const MaybeInterval whole = unary(op == Op::mod ? Op::floor : Op::trunc, *quotient);
      if (whole->is_point()) return a - b * *whole;
      const Interval size = b.magnitude().symmetric();
      if (op == Op::mod) return b.is_positive() ? MaybeInterval(size.from_zero()) : MaybeInterval(size);
      const Interval limit = smaller_high(size, a.magnitude()).symmetric();
      return a.is_nonnegative() ? limit.from_zero() : limit;
    }
    default:
      return std::nullopt;
  }
}

namespace {
std::string decimal(mpfr_srcptr x, int digits, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(x) != 0) return "0";
  char* out = nullptr;
  mpfr_asprintf(&out, "%.*R*e", digits - 1, rounding, x);
  std::string result(out);
  mpfr_free_str(out);
  return result;
}
// Short where it is exact: small integers as such.
std::string short_text(mpfr_srcptr x, mpfr_rnd_t rounding) {
  if (mpfr_integer_p(x) != 0 && mpfr_cmpabs_ui(x, 1'000'000) < 0)
    return std::to_string(mpfr_get_si(x, MPFR_RNDN));
  return decimal(x, 6, rounding);
}
std::string hexadecimal(mpfr_srcptr x) {
  char* out = nullptr;
  mpfr_asprintf(&out, "%Ra", x);
  std::string result(out);
  mpfr_free_str(out);
  return result;
}
}  // namespace

std::string upper_text(const Interval& a, int digits) {
  return decimal(a.high(), digits, MPFR_RNDU);
}
std::string lower_text(const Interval& a, int digits) {
  return decimal(a.low(), digits, MPFR_RNDD);
}
std::string text(const Interval& a) {
  return "[" + short_text(a.low(), MPFR_RNDD) + ", " + short_text(a.high(), MPFR_RNDU) + "]";
}
std::string exact_text(const Interval& a) {
  return "[" + hexadecimal(a.low()) + ", " + hexadecimal(a.high()) + "]";
}

}  // namespace hallmark::numerics
