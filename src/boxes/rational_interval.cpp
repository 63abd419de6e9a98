#include "boxes/rational_interval.h"

#include <algorithm>

namespace hallmark::boxes {
namespace {

constexpr long kept_bits = 48, work_bits = 160;

Rational power_of_two(long e) {
  Rational out(1);
  if (e >= 0)
    mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(e));
  else
    mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-e));
  return out;
}

// About log2 |x|, for x != 0: within one.
long magnitude_bits(const Rational& x) {
  return static_cast<long>(mpz_sizeinbase(x.get_num_mpz_t(), 2)) -
         static_cast<long>(mpz_sizeinbase(x.get_den_mpz_t(), 2));
}

// The multiple of 2^(size of x - bits) next below or above.
Rational shortened(const Rational& x, long bits, bool up) {
  if (x == 0) return x;
  const Rational unit = power_of_two(magnitude_bits(x) - bits);
  const Rational scaled = x / unit;
  Integer whole;
  if (up)
    mpz_cdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  else
    mpz_fdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  return Rational(whole) * unit;
}

Range shortened(const Range& a, long bits) {
  return {shortened(a.low, bits, false), shortened(a.high, bits, true)};
}

// exp of |x| <= 1/2 by Taylor's series: the remainder after the term of degree n is at most twice the next
// one.
Range small_exponential(const Rational& x) {
  constexpr int degree = 40;
  Rational sum = 1, term = 1;
  for (int k = 1; k <= degree; ++k) {
    term *= x / k;
    sum += term;
  }
  const Rational rest = abs(term);
  return {sum - rest, sum + rest};
}

Range exponential_of(const Rational& x) {
  int halvings = 0;
  Rational y = x;
  while (abs(y) > Rational(1, 2)) {
    y /= 2;
    ++halvings;
  }
  Range out = shortened(small_exponential(y), work_bits);
  for (int k = 0; k < halvings; ++k) out = shortened(out * out, work_bits);
  return out;
}

// 2 atanh(z) for 0 <= z <= 1/3: the terms fall by at least 9, so the rest is less than the last one.
Range twice_atanh(const Rational& z) {
  constexpr int terms = 60;
  Rational sum = 0, power = z, last = 0;
  const Rational square = z * z;
  for (int k = 0; k < terms; ++k) {
    last = 2 * power / (2 * k + 1);
    sum += last;
    power *= square;
  }
  return {sum, sum + last};
}

Range logarithm_of(const Rational& x) {
  long e = magnitude_bits(x);
  Rational m = x / power_of_two(e);
  while (m < 1) {
    m *= 2;
    --e;
  }
  while (m >= 2) {
    m /= 2;
    ++e;
  }
  const Range two = shortened(twice_atanh(Rational(1, 3)), work_bits);
  const Range part = shortened(twice_atanh((m - 1) / (m + 1)), work_bits);
  return Range{Rational(e), Rational(e)} * two + part;
}

Range square_root_of(const Rational& x) {
  if (x == 0) return {0, 0};
  // sqrt(n / d) = sqrt(n d 4^k) / (d 2^k)
  constexpr mp_bitcnt_t k = 80;
  Integer scaled = x.get_num() * x.get_den(), root;
  mpz_mul_2exp(scaled.get_mpz_t(), scaled.get_mpz_t(), 2 * k);
  mpz_sqrt(root.get_mpz_t(), scaled.get_mpz_t());
  Integer denominator = x.get_den();
  mpz_mul_2exp(denominator.get_mpz_t(), denominator.get_mpz_t(), k);
  Rational low(root, denominator), high(Integer(root + 1), denominator);
  low.canonicalize();
  high.canonicalize();
  return {low, high};
}

}  // namespace

Rational Range::magnitude() const {
  return std::max(Rational(abs(low)), Rational(abs(high)));
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
Range operator+(const Range& a, const Range& b) {
  return {a.low + b.low, a.high + b.high};
}
Range operator-(const Range& a) {
  return {-a.high, -a.low};
}
Range operator*(const Range& a, const Range& b) {
  const Rational corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}
Range inverse(const Range& a) {
  return {1 / a.high, 1 / a.low};
}
Range shortened(const Range& a) {
  return shortened(a, kept_bits);
}
Range square_root(const Range& a) {
  return {square_root_of(a.low).low, square_root_of(a.high).high};
}
std::optional<Range> exponential(const Range& a) {
  if (a.magnitude() > 1000) return std::nullopt;
  return Range{exponential_of(a.low).low, exponential_of(a.high).high};
}
Range logarithm(const Range& a) {
  return {logarithm_of(a.low).low, logarithm_of(a.high).high};
}

std::optional<Range> rounded(const Range& a, calculus::Format format) {
  const long p = calculus::significand_bits(format);
  // One unit in the last place is more than any rounding moves a value; near zero it is the least normal one.
  const Rational relative = power_of_two(1 - p), least = power_of_two(calculus::minimum_exponent(format));
  const Rational largest = (2 - power_of_two(1 - p)) * power_of_two(calculus::maximum_exponent(format));
  const Range out{a.low - abs(a.low) * relative - least, a.high + abs(a.high) * relative + least};
  if (out.magnitude() > largest) return std::nullopt;
  return out;
}

}  // namespace hallmark::boxes
