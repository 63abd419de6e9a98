#include "calculus/text/literal.h"

#include <algorithm>

#include "base/error.h"

namespace hallmark::calculus::text {
namespace {

// tf32 is stored as an f32 encoding whose last 13 fraction bits are 0.
unsigned stored_fraction_bits(Format format) {
  return format == Format::tf32 ? 23 : significand_bits(format) - 1;
}
std::uint64_t top_exponent(Format format) {
  return (std::uint64_t{1} << (storage_bits(format) - 1 - stored_fraction_bits(format))) - 1;
}

Rational scaled(const Rational& value, long exponent) {
  Rational result;
  if (exponent >= 0)
    mpq_mul_2exp(result.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else
    mpq_div_2exp(result.get_mpq_t(), value.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return result;
}

bool is_power_of_two(const Integer& value) {
  return mpz_popcount(value.get_mpz_t()) == 1;
}

// The exponent e of 2^e <= |value| < 2^(e+1).
long binary_exponent(const Rational& value) {
  long e = static_cast<long>(mpz_sizeinbase(value.get_num_mpz_t(), 2)) -
           static_cast<long>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
  if (abs(value) < scaled(1, e)) --e;
  return e;
}

std::string hexadecimal(const Rational& value) {
  const long e = binary_exponent(value);
  Rational fraction = scaled(value, -e) - 1;
  std::string digits;
  while (sgn(fraction) != 0) {
    fraction *= 16;
    const Integer digit = floor_div(fraction.get_num(), fraction.get_den());
    digits += digit.get_str(16);
    fraction -= digit;
  }
  return "0x1" + (digits.empty() ? "" : "." + digits) + "p" + (e < 0 ? "" : "+") + std::to_string(e);
}

// Decimal digits when the denominator is 2^a 5^b and there are at most 9 of them after the point.
std::optional<std::string> decimal(const Rational& value) {
  Integer ten = 1;
  for (std::size_t places = 0; places <= 9; ++places, ten *= 10) {
    const Rational whole = value * ten;
    if (whole.get_den() != 1) continue;
    std::string digits = whole.get_num().get_str();
    if (places == 0) return digits;
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    return digits.insert(digits.size() - places, ".");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rational> literal_value(const std::string& token) {
  if (token.size() > 10000) return std::nullopt;
  const bool hex = token.size() > 1 && (token[1] == 'x' || token[1] == 'X');
  const std::size_t start = hex ? 2 : 0;
  const std::size_t mark = token.find_first_of(hex ? "pP" : "eE", start);
  std::string digits = token.substr(start, mark == std::string::npos ? mark : mark - start);
  const std::size_t point = digits.find('.');
  long places = 0;
  if (point != std::string::npos) {
    places = static_cast<long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  long exponent = 0;
  if (mark != std::string::npos) {
    const std::string written = token.substr(mark + 1);
    if (written.size() > 6) return std::nullopt;
    exponent = std::stol(written);
    if (exponent > 5000 || exponent < -5000) return std::nullopt;
  }
  Integer whole;
  if (digits.empty() || whole.set_str(digits, hex ? 16 : 10) != 0) return std::nullopt;
  if (hex) return scaled(Rational(whole), exponent - 4 * places);
  const long power = exponent - places;
  Integer ten;
  mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(power < 0 ? -power : power));
  Rational result = power < 0 ? Rational(whole, ten) : Rational(Integer(whole * ten));
  result.canonicalize();
  return result;
}

bool is_whole_literal(const std::string& token) {
  const bool hex = token.size() > 1 && (token[1] == 'x' || token[1] == 'X');
  return token.find_first_of(hex ? ".pP" : ".eE") == std::string::npos;
}

std::optional<std::uint64_t> exact_encoding(Format format, const Rational& value, bool negative) {
  const unsigned fraction = stored_fraction_bits(format);
  const std::uint64_t sign = negative ? std::uint64_t{1} << (storage_bits(format) - 1) : 0;
  const Rational magnitude = abs(value);
  if (sgn(magnitude) == 0) return sign;
  const long e = binary_exponent(magnitude), least = minimum_exponent(format);
  if (e > maximum_exponent(format)) return std::nullopt;
  const long unit = std::max(e, least) - static_cast<long>(significand_bits(format)) + 1;
  if (scaled(magnitude, -unit).get_den() != 1) return std::nullopt;
  const Integer significand = scaled(magnitude, static_cast<long>(fraction) - std::max(e, least)).get_num();
  const std::uint64_t bits = *to_u64(significand) & ((std::uint64_t{1} << fraction) - 1);
  const std::uint64_t exponent = e < least ? 0 : static_cast<std::uint64_t>(e - least + 1);
  if (format == Format::f8e4m3 && exponent == 15 && bits == 7) return std::nullopt;  // the NaN
  return sign | exponent << fraction | bits;
}

std::optional<std::string> nearest_literal(Format format, const Rational& value, bool negative) {
  const Rational magnitude = abs(value);
  if (sgn(magnitude) == 0) return std::nullopt;
  const long e = std::max<long>(binary_exponent(magnitude), minimum_exponent(format));
  const long unit = e - static_cast<long>(significand_bits(format)) + 1;
  const Rational units = scaled(magnitude, -unit);
  Integer whole = floor_div(units.get_num(), units.get_den());
  const Rational rest = units - Rational(whole);
  if (rest > Rational(1, 2) || (rest == Rational(1, 2) && floor_mod(whole, 2) == 1)) ++whole;
  const Rational nearest = scaled(Rational(whole), unit);
  if (!exact_encoding(format, nearest, negative)) return std::nullopt;
  return (negative ? "-" : "") + (whole == 0 ? std::string("0") : hexadecimal(nearest));
}

std::string largest_literal(Format format) {
  const long last = static_cast<long>(significand_bits(format)) - 1;
  const long e = maximum_exponent(format);
  // f8e4m3 gives its last encoding to NaN.
  const Rational steps = format == Format::f8e4m3 ? 2 : 1;
  return *written_literal(scaled(2, e) - steps * scaled(1, e - last));
}

std::uint64_t infinity_encoding(Format format, bool negative) {
  ensure(format != Format::f8e4m3, "f8e4m3 has no infinity");
  return top_exponent(format) << stored_fraction_bits(format) |
         (negative ? std::uint64_t{1} << (storage_bits(format) - 1) : 0);
}

std::uint64_t nan_encoding(Format format) {
  if (format == Format::f8e4m3) return 0x7f;
  return infinity_encoding(format, false) | std::uint64_t{1} << (stored_fraction_bits(format) - 1);
}

std::optional<Rational> decoded(Format format, std::uint64_t bits) {
  const unsigned fraction = stored_fraction_bits(format);
  const std::uint64_t low = bits & ((std::uint64_t{1} << fraction) - 1);
  const std::uint64_t biased = bits >> fraction & top_exponent(format);
  if (biased == top_exponent(format) && (format != Format::f8e4m3 || low == 7)) return std::nullopt;
  const std::uint64_t hidden = biased == 0 ? 0 : std::uint64_t{1} << fraction;
  const long exponent = minimum_exponent(format) - static_cast<long>(fraction) +
                        (biased == 0 ? 0 : static_cast<long>(biased) - 1);
  const Rational magnitude = scaled(Rational(from_u64(hidden | low)), exponent);
  return (bits >> (storage_bits(format) - 1) & 1) != 0 ? Rational(-magnitude) : magnitude;
}

std::optional<std::string> written_literal(const Rational& value) {
  ensure(sgn(value) >= 0, "a negative literal");
  if (const auto text = decimal(value); text && text->size() <= 20) return text;
  if (is_power_of_two(value.get_den()) && sgn(value) != 0 && value.get_den() != 1) {
    const long e = binary_exponent(value);
    if (e > -4000 && e < 4000) return hexadecimal(value);
  }
  if (value.get_den() == 1) return value.get_num().get_str();
  return std::nullopt;
}

}  // namespace hallmark::calculus::text
