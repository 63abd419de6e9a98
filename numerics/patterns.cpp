#include "numerics/patterns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "contract/format_values.h"

namespace hallmark::numerics {

using calculus::Format;

namespace {

enum Pattern : std::size_t {
  all_high,
  all_low,
  alternating,
  all_zero,
  stagnation,
  cancellation,
  large_mean,
  one_high,
  decreasing,
  middle,
  cluster_8,
  cluster_11,
  cluster_14,
  cluster_18,
  exponentials_24,
  exponentials_11,
  exponentials_8,
  tiny_products,
  least_values,
  halfway_11,
  halfway_8,
  halfway_4,
  squares_f32,
  squares_own,
  count_of_patterns
};
constexpr std::array<const char*, count_of_patterns> names{
    "all at the upper end",
    "all at the lower end",
    "alternating ends",
    "zeros",
    "one large, the others just below half its spacing",
    "large values that cancel, one small",
    "large mean, small spread",
    "one at the upper end, the others at the lower",
    "halving",
    "all in the middle",
    "a cluster, spread 2^-8 of its place",
    "a cluster, spread 2^-11 of its place",
    "a cluster, spread 2^-14 of its place",
    "a cluster, spread 2^-18 of its place",
    "one at the upper end, the exponentials of the others just below half a spacing of 1 in f32",
    "one at the upper end, the exponentials of the others just below half a spacing of 1 in f16",
    "one at the upper end, the exponentials of the others just below half a spacing of 1 in bf16",
    "a little above the least value, so that products are below the least positive one",
    "all at the least positive value",
    "all just below the middle between two values of 11 bits",
    "all just below the middle between two values of 8 bits",
    "all just below the middle between two values of 4 bits",
    "one large, the squares of the others just below half a spacing of its square in f32",
    "one large, the squares of the others just below half a spacing of its square"};

Rational fraction(std::mt19937_64& random) {
  return Rational(from_u64(random() >> 11), power_of_two(53));
}

}  // namespace

std::size_t pattern_count() {
  return count_of_patterns;
}
bool pattern_singles_out(std::size_t pattern) {
  switch (pattern) {
    case stagnation:
    case cancellation:
    case one_high:
    case exponentials_24:
    case exponentials_11:
    case exponentials_8:
    case squares_f32:
    case squares_own:
      return true;
    default:
      return false;
  }
}
std::string pattern_name(std::size_t pattern) {
  return names.at(pattern);
}

Rational into_box(const Rational& v, const Box& box) {
  return std::clamp(contract::round_down(std::clamp(v, box.low, box.high), box.format), box.low, box.high);
}

Rational random_value(const Box& box, std::mt19937_64& random) {
  const Rational width = box.high - box.low;
  switch (random() % 4) {
    case 0:
      return random() % 2 == 0 ? box.low : box.high;
    case 1: {
      // Every magnitude alike.
      const Rational scaled = (random() % 2 == 0 ? box.low : box.high) *
                              contract::power_of_two_rational(-static_cast<long>(random() % 30)) *
                              fraction(random);
      return into_box(scaled, box);
    }
    default:
      return into_box(box.low + width * fraction(random), box);
  }
}

Rational pattern_value(std::size_t pattern, const Box& box, std::int64_t index, std::int64_t count,
                       std::mt19937_64& random) {
  const Rational large = abs(box.high) >= abs(box.low) ? box.high : box.low;
  const bool is_float = calculus::is_float(box.format);
  const Rational spacing = is_float ? contract::spacing_at(large, box.format) : Rational(1);
  switch (pattern) {
    case all_high:
      return box.high;
    case all_low:
      return box.low;
    case alternating:
      return index % 2 == 0 ? box.high : box.low;
    case all_zero:
      return into_box(0, box);
    case stagnation:
      return index == 0 ? large : into_box(spacing * Rational(127, 256), box);
    case cancellation:
      if (index == 0) return box.high;
      if (index == count - 1) return box.low;
      return into_box(index == 1 ? Rational(1) : Rational(0), box);
    case large_mean: {
      // 40000, 40001, 40002, ... of a box that ends at 65536: a spread of a few units, or of a few spacings.
      const Rational base = large * Rational(5, 8);
      const Rational unit = abs(large) > 64 ? Rational(1) : spacing * 64;
      return into_box(base + unit * Rational(from_i64(index % 4)), box);
    }
    case one_high:
      return index == 0 ? box.high : box.low;
    case decreasing:
      return into_box(
          large * contract::power_of_two_rational(-static_cast<long>(std::min<std::int64_t>(index, 60))),
          box);
    case middle:
      return into_box(box.low + (box.high - box.low) * Rational(1, 2), box);
    case cluster_8:
    case cluster_11:
    case cluster_14:
    case cluster_18: {
      // Variances about as small as what keeps them from 0 in a norm; the place is no round number.
      const long exponent = pattern == cluster_8    ? 8
                            : pattern == cluster_11 ? 11
                            : pattern == cluster_14 ? 14
                                                    : 18;
      const Rational place = box.low + (box.high - box.low) * Rational(61803, 100000);
      return into_box(place + abs(large) * contract::power_of_two_rational(-exponent) * fraction(random),
                      box);
    }
    case exponentials_24:
    case exponentials_11:
    case exponentials_8: {
      // -log 2^-p and a little.
      const Rational below = pattern == exponentials_24   ? Rational(166357, 10000)
                             : pattern == exponentials_11 ? Rational(7626, 1000)
                                                          : Rational(5548, 1000);
      return index == 0 ? box.high : into_box(box.high - below, box);
    }
    case tiny_products:
    case least_values: {
      if (!is_float) return into_box(1, box);
      const long least = static_cast<long>(calculus::minimum_exponent(box.format)) -
                         static_cast<long>(calculus::significand_bits(box.format)) + 1;
      const Rational size = pattern == least_values
                                ? contract::power_of_two_rational(least)
                                : contract::power_of_two_rational(least / 2 - 1) * Rational(5, 4);
      return into_box(box.high > 0 ? size : Rational(-size), box);
    }
    case halfway_11:
    case halfway_8:
    case halfway_4: {
      // Stored in fewer bits all err the same way, by nearly half a spacing of the highest binade.
      const Format narrow = pattern == halfway_11  ? Format::f16
                            : pattern == halfway_8 ? Format::bf16
                                                   : Format::f8e4m3;
      const long bits = static_cast<long>(calculus::significand_bits(narrow));
      if (!is_float || large == 0) return into_box(large, box);
      const Rational size = abs(large),
                     unit = contract::power_of_two_rational(contract::binary_exponent(size) - (bits - 1));
      // Two spacings below the end, in the binade of the end or the one below it.
      Integer whole = Rational(size / unit).get_num() / Rational(size / unit).get_den();
      Rational step = unit;
      if (whole == power_of_two(static_cast<unsigned long>(bits - 1))) {
        step = unit / 2;
        whole *= 2;
      }
      const Rational value = (Rational(whole - 2) + Rational(127, 256)) * step;
      return into_box(large < 0 ? Rational(-value) : value, box);
    }
    case squares_f32:
    case squares_own: {
      // What norms and variances add up stagnates as sums do.
      const Format format = pattern == squares_f32 || !is_float ? Format::f32 : box.format;
      const double half = Rational(contract::spacing_at(large * large, format) / 2).get_d();
      const Rational small = exact_rational(std::sqrt(half * (1 - 0x1p-9)));
      return index == 0 ? large : into_box(large < 0 ? Rational(-small) : small, box);
    }
    default:
      return random_value(box, random);
  }
}

}  // namespace hallmark::numerics
