#include "validator/interpreter/float_round.h"

#include <bit>
#include <cmath>

#include "base/error.h"

namespace hallmark::validator::interpreter {

namespace {

struct Format {
  int precision;  // with the implicit bit
  int minimum_exponent, maximum_exponent;
};

Format format_of(ir::Type type) {
  switch (type) {
    case ir::Type::f16:
      return {11, -14, 15};
    case ir::Type::bf16:
      return {8, -126, 127};
    case ir::Type::f32:
      return {24, -126, 127};
    case ir::Type::f64:
      return {53, -1022, 1023};
    default:
      throw InternalError("an integer type has no float format");
  }
}

// floor(log2(n / d)) for positive n, d.
int exponent_of(const Integer& n, const Integer& d) {
  const int estimate =
      static_cast<int>(mpz_sizeinbase(n.get_mpz_t(), 2)) - static_cast<int>(mpz_sizeinbase(d.get_mpz_t(), 2));
  // 2^(estimate - 1) < n / d < 2^(estimate + 1)
  const Integer left = estimate < 0 ? Integer(n << -estimate) : n;
  const Integer right = estimate > 0 ? Integer(d << estimate) : d;
  return left >= right ? estimate : estimate - 1;
}

// `twice` = floor(2 * |value| / quantum), `inexact` = whether that lost something.
std::uint64_t finish(const Format& f, ir::Type type, bool negative, int exponent, const Integer& twice,
                     bool inexact, ir::Rounding rounding) {
  Integer whole = twice >> 1;
  const bool half = mpz_odd_p(twice.get_mpz_t()) != 0;
  bool up = false;
  switch (rounding) {
    case ir::Rounding::none:
    case ir::Rounding::nearest_even:
      up = half && (inexact || mpz_odd_p(whole.get_mpz_t()) != 0);
      break;
    case ir::Rounding::nearest_away:
      up = half;
      break;
    case ir::Rounding::toward_zero:
      break;
    case ir::Rounding::down:
      up = negative && (half || inexact);
      break;
    case ir::Rounding::up:
      up = !negative && (half || inexact);
      break;
  }
  if (up) ++whole;
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(exponent - f.minimum_exponent) << (f.precision - 1)) + *to_u64(whole);
  const std::uint64_t limit = infinity(type, false);
  if (magnitude >= limit) {
    const bool to_infinity = rounding == ir::Rounding::none || rounding == ir::Rounding::nearest_even ||
                             rounding == ir::Rounding::nearest_away ||
                             (rounding == ir::Rounding::down && negative) ||
                             (rounding == ir::Rounding::up && !negative);
    return (to_infinity ? limit : limit - 1) | (negative ? sign_bit(type) : 0);
  }
  return magnitude | (negative ? sign_bit(type) : 0);
}

}  // namespace

std::uint64_t sign_bit(ir::Type type) {
  return std::uint64_t{1} << (ir::bits_of(type) - 1);
}
std::uint64_t infinity(ir::Type type, bool negative) {
  const Format f = format_of(type);
  const auto field =
      static_cast<std::uint64_t>(f.maximum_exponent) - static_cast<std::uint64_t>(f.minimum_exponent) + 2;
  return (field << (f.precision - 1)) | (negative ? sign_bit(type) : 0);
}
std::uint64_t zero(ir::Type type, bool negative) {
  return negative ? sign_bit(type) : 0;
}
std::uint64_t canonical_nan(ir::Type type) {
  return type == ir::Type::f64 ? 0x7ff8000000000000 : sign_bit(type) - 1;
}

FloatParts classify(ir::Type type, std::uint64_t bits) {
  FloatParts parts;
  parts.negative = (bits & sign_bit(type)) != 0;
  const std::uint64_t magnitude = bits & (sign_bit(type) - 1), limit = infinity(type, false);
  parts.kind = magnitude == 0       ? FloatParts::Kind::zero
               : magnitude < limit  ? FloatParts::Kind::finite
               : magnitude == limit ? FloatParts::Kind::infinite
                                    : FloatParts::Kind::nan;
  return parts;
}

bool is_subnormal(ir::Type type, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & (sign_bit(type) - 1);
  return magnitude != 0 && magnitude < std::uint64_t{1} << (format_of(type).precision - 1);
}

Rational exact_value(ir::Type type, std::uint64_t bits) {
  const Format f = format_of(type);
  const std::uint64_t magnitude = bits & (sign_bit(type) - 1);
  const std::uint64_t field = magnitude >> (f.precision - 1);
  std::uint64_t fraction = magnitude & ((std::uint64_t{1} << (f.precision - 1)) - 1);
  int exponent = f.minimum_exponent - (f.precision - 1);
  if (field != 0) {
    fraction |= std::uint64_t{1} << (f.precision - 1);
    exponent += static_cast<int>(field) - 1;
  }
  Rational value(from_u64(fraction));
  if (exponent > 0) value *= Rational(power_of_two(static_cast<unsigned>(exponent)));
  if (exponent < 0) value /= Rational(power_of_two(static_cast<unsigned>(-exponent)));
  return (bits & sign_bit(type)) != 0 ? Rational(-value) : value;
}

double to_double(ir::Type type, std::uint64_t bits) {
  switch (type) {
    case ir::Type::f64:
      return std::bit_cast<double>(bits);
    case ir::Type::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ir::Type::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    default: {
      const FloatParts parts = classify(type, bits);
      if (parts.kind == FloatParts::Kind::nan) return std::nan("");
      if (parts.kind == FloatParts::Kind::infinite) return parts.negative ? -HUGE_VAL : HUGE_VAL;
      const double magnitude = exact_value(type, bits & ~sign_bit(type)).get_d();
      return parts.negative ? -magnitude : magnitude;
    }
  }
}

std::uint64_t round_to(ir::Type type, const Rational& value, ir::Rounding rounding) {
  ensure(value != 0, "rounding of an unsigned zero");
  const Format f = format_of(type);
  const bool negative = value < 0;
  const Integer n = abs(value.get_num());
  const Integer& d = value.get_den();
  const int exponent = std::max(exponent_of(n, d), f.minimum_exponent);
  if (exponent > f.maximum_exponent + 1)  // only the direction matters
    return finish(f, type, negative, f.maximum_exponent + 1, Integer(1) << f.precision, true, rounding);
  const int shift = exponent - (f.precision - 1) - 1;  // quantum / 2 = 2^shift
  const Integer left = shift < 0 ? Integer(n << -shift) : n;
  const Integer right = shift > 0 ? Integer(d << shift) : d;
  Integer twice, rest;
  mpz_fdiv_qr(twice.get_mpz_t(), rest.get_mpz_t(), left.get_mpz_t(), right.get_mpz_t());
  return finish(f, type, negative, exponent, twice, rest != 0, rounding);
}

std::uint64_t round_square_root(ir::Type type, const Rational& value, ir::Rounding rounding) {
  ensure(value > 0, "square root of a non-positive value");
  const Format f = format_of(type);
  const Integer &n = value.get_num(), &d = value.get_den();
  const int square = exponent_of(n, d);
  const int exponent = square >= 0 ? square / 2 : -((-square + 1) / 2);  // floor
  const int shift = 2 * (exponent - (f.precision - 1) - 1);
  const Integer left = shift < 0 ? Integer(n << -shift) : n;
  const Integer right = shift > 0 ? Integer(d << shift) : d;
  Integer quotient, rest, root, remainder;
  mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), left.get_mpz_t(), right.get_mpz_t());
  mpz_sqrtrem(root.get_mpz_t(), remainder.get_mpz_t(), quotient.get_mpz_t());
  return finish(f, type, false, exponent, root, rest != 0 || remainder != 0, rounding);
}

std::uint64_t round_double(ir::Type type, double value) {
  if (std::isnan(value)) return canonical_nan(type);
  if (std::isinf(value)) return infinity(type, value < 0);
  if (value == 0) return zero(type, std::signbit(value));
  if (type == ir::Type::f64) return std::bit_cast<std::uint64_t>(value);
  if (type == ir::Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return round_to(type, exact_rational(value), ir::Rounding::nearest_even);
}

}  // namespace hallmark::validator::interpreter
