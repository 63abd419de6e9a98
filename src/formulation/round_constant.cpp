#include "formulation/round_constant.h"

#include "base/error.h"

namespace hallmark::formulation {
namespace {

using calculus::Format;

// Fields of an encoding: sign, exponent, fraction of the stored width. tf32 is stored as an f32 encoding
// whose lowest 13 fraction bits are zero, so its stored fraction is wider than its significand.
struct Layout {
  unsigned fraction_bits, exponent_bits, width;
};

Layout layout(Format format) {
  const unsigned width = calculus::storage_bits(format);
  const unsigned fraction = format == Format::tf32 ? 23 : calculus::significand_bits(format) - 1;
  return {fraction, width - 1 - fraction, width};
}

Integer round_half_even(const Rational& value) {
  const Integer below = floor_div(value.get_num(), value.get_den());
  const Rational rest = value - Rational(below);
  const Rational half(1, 2);
  if (rest > half || (rest == half && floor_mod(below, 2) == 1)) return below + 1;
  return below;
}

Rational scaled(const Rational& value, long exponent) {
  Rational result = value;
  if (exponent >= 0)
    result *= Rational(power_of_two(static_cast<unsigned>(exponent)));
  else
    result /= Rational(power_of_two(static_cast<unsigned>(-exponent)));
  return result;
}

}  // namespace

std::optional<std::uint64_t> round_to_nearest(const Rational& value, Format format) {
  const Layout fields = layout(format);
  if (value == 0) return 0;
  const std::uint64_t sign = value < 0 ? std::uint64_t{1} << (fields.width - 1) : 0;
  const Rational magnitude = abs(value);
  const long precision = static_cast<long>(calculus::significand_bits(format));
  const long least = calculus::minimum_exponent(format);
  // floor(log2(magnitude)), from the sizes of numerator and denominator and one correction.
  long exponent = static_cast<long>(mpz_sizeinbase(magnitude.get_num_mpz_t(), 2)) -
                  static_cast<long>(mpz_sizeinbase(magnitude.get_den_mpz_t(), 2));
  if (scaled(magnitude, -exponent) < 1) --exponent;
  if (exponent < least) exponent = least;
  Integer significand = round_half_even(scaled(magnitude, precision - 1 - exponent));
  if (significand == power_of_two(static_cast<unsigned>(precision))) {
    significand = power_of_two(static_cast<unsigned>(precision - 1));
    ++exponent;
  }
  if (exponent > calculus::maximum_exponent(format)) return std::nullopt;
  const bool subnormal = significand < power_of_two(static_cast<unsigned>(precision - 1));
  const std::uint64_t hidden = std::uint64_t{1} << (precision - 1);
  const std::uint64_t m = *to_u64(significand);
  const std::uint64_t fraction = (subnormal ? m : m - hidden)
                                 << (fields.fraction_bits - static_cast<unsigned>(precision - 1));
  const std::uint64_t biased = subnormal ? 0 : static_cast<std::uint64_t>(exponent - least + 1);
  // f8e4m3: the all-ones encoding is its NaN; 480 would round there.
  if (format == Format::f8e4m3 && biased == 15 && fraction == 7) return std::nullopt;
  return sign | biased << fields.fraction_bits | fraction;
}

std::optional<Rational> exact_value(std::uint64_t bits, Format format) {
  const Layout fields = layout(format);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fields.fraction_bits) - 1);
  const std::uint64_t biased =
      bits >> fields.fraction_bits & ((std::uint64_t{1} << fields.exponent_bits) - 1);
  const std::uint64_t top = (std::uint64_t{1} << fields.exponent_bits) - 1;
  if (format == Format::f8e4m3 ? (biased == top && fraction == 7) : biased == top) return std::nullopt;
  const std::uint64_t hidden = biased == 0 ? 0 : std::uint64_t{1} << fields.fraction_bits;
  const long exponent = calculus::minimum_exponent(format) +
                        (biased == 0 ? 0 : static_cast<long>(biased) - 1) -
                        static_cast<long>(fields.fraction_bits);
  const Rational magnitude = scaled(Rational(from_u64(hidden | fraction)), exponent);
  return (bits >> (fields.width - 1) & 1) != 0 ? Rational(-magnitude) : magnitude;
}

std::uint64_t infinity_bits(int sign, Format format) {
  ensure(format != Format::f8e4m3, "f8e4m3 has no infinity");
  const Layout fields = layout(format);
  const std::uint64_t top = ((std::uint64_t{1} << fields.exponent_bits) - 1) << fields.fraction_bits;
  return sign < 0 ? top | std::uint64_t{1} << (fields.width - 1) : top;
}

}  // namespace hallmark::formulation
