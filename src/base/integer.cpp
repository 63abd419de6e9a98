#include "base/integer.h"

#include <cmath>

#include "base/error.h"

namespace hallmark {

Integer floor_div(const Integer& x, const Integer& y) {
  if (y == 0) return 0;
  Integer q;
  mpz_fdiv_q(q.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
  return q;
}

Integer floor_mod(const Integer& x, const Integer& y) {
  return x - y * floor_div(x, y);
}

Integer gcd(const Integer& x, const Integer& y) {
  Integer g;
  mpz_gcd(g.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
  return g;
}

Integer power_of_two(unsigned exponent) {
  return Integer(1) << exponent;
}

Integer from_i64(std::int64_t value) {
  return Integer(static_cast<long>(value));
}
Integer from_u64(std::uint64_t value) {
  return Integer(static_cast<unsigned long>(value));
}

std::optional<std::int64_t> to_i64(const Integer& value) {
  if (!value.fits_slong_p()) return std::nullopt;
  return value.get_si();
}

std::optional<std::uint64_t> to_u64(const Integer& value) {
  if (!value.fits_ulong_p()) return std::nullopt;
  return value.get_ui();
}

Rational exact_rational(double value) {
  ensure(std::isfinite(value), "exact_rational of a value that is not finite");
  Rational out;
  mpq_set_d(out.get_mpq_t(), value);
  return out;
}

}  // namespace hallmark
