#include "contract/format_values.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::contract {

using calculus::Format;

Rational power_of_two_rational(long exponent) {
  const Integer p = power_of_two(static_cast<unsigned>(exponent < 0 ? -exponent : exponent));
  return exponent < 0 ? Rational(1, p) : Rational(p);
}

long binary_exponent(const Rational& value) {
  ensure(value != 0, "the binary exponent of zero");
  const Rational magnitude = abs(value);
  long e = static_cast<long>(mpz_sizeinbase(magnitude.get_num().get_mpz_t(), 2)) -
           static_cast<long>(mpz_sizeinbase(magnitude.get_den().get_mpz_t(), 2));
  // The quotient of two numbers of a and b bits lies in (2^(a-b-1), 2^(a-b+1)).
  if (power_of_two_rational(e) > magnitude) --e;
  return e;
}

Rational largest_value(Format format) {
  if (format == Format::boolean) return 1;
  if (calculus::is_integer(format)) {
    const unsigned bits = calculus::storage_bits(format) - (calculus::is_signed(format) ? 1 : 0);
    return Rational(power_of_two(bits) - 1);
  }
  // OCP 8-bit floats: e4m3 gives the top encoding of its last binade to NaN.
  if (format == Format::f8e4m3) return 448;
  const long p = calculus::significand_bits(format);
  return (2 - power_of_two_rational(1 - p)) * power_of_two_rational(calculus::maximum_exponent(format));
}

Rational least_value(Format format) {
  if (calculus::is_float(format)) return -largest_value(format);
  if (calculus::is_integer(format) && calculus::is_signed(format))
    return -Rational(power_of_two(calculus::storage_bits(format) - 1));
  return 0;
}

Rational spacing_at(const Rational& value, Format format) {
  const long least = calculus::minimum_exponent(format);
  const long e = value == 0 ? least : std::max(binary_exponent(value), least);
  return power_of_two_rational(e - static_cast<long>(calculus::significand_bits(format)) + 1);
}

Rational round_down(const Rational& value, Format format) {
  Rational quantum = 1;
  if (calculus::is_float(format)) quantum = spacing_at(value, format);
  const Rational steps = value / quantum;
  Integer whole;
  mpz_fdiv_q(whole.get_mpz_t(), steps.get_num().get_mpz_t(), steps.get_den().get_mpz_t());
  return Rational(whole) * quantum;
}

}  // namespace hallmark::contract
