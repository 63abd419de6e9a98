#include "numerics/expression/leaf_rounding.h"

#include <algorithm>

#include "contract/format_values.h"
#include "numerics/expression/library_function.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

namespace {

constexpr mpfr_prec_t bits = checked_bits;

Interval number(long x) {
  return Interval(Rational(x), bits);
}

// Of a constant: encloses what it stands for and what is stored, and how far they are apart. They are the
// same in every leaf.
Interval coarse(const Interval& a) {
  Interval out(bits);
  mpfi_set(out.raw(), a.raw());
  return out;
}
bool within_factor_two(const Interval& a, const Interval& b) {
  if (a.is_negative() && b.is_negative()) return within_factor_two(-a, -b);
  return a.is_positive() && b.is_positive() && b.upper_end().at_most(scale2(a.lower_end(), 1)) &&
         a.upper_end().at_most(scale2(b.lower_end(), 1));
}

}  // namespace

std::optional<StoredConstant> stored_constant(const ExpressionNode& n, const NodeFacts& facts) {
  if (n.operation != Operation::constant) return std::nullopt;
  const Interval exact = n.constant.empty() ? Interval(n.value, 256) : named_constant(n.constant, 256);
  if (!facts.rounds) return StoredConstant{coarse(exact), number(0)};
  if (!facts.constant) return std::nullopt;
  const Interval stored(*facts.constant, 256);
  return StoredConstant{coarse(hull(exact, stored)), coarse((exact - stored).magnitude())};
}

MaybeInterval rounding_error(const ExpressionNode& n, const NodeFacts& f, const ExpressionModel& model,
                             const Interval& exact, const Interval* left, const Interval* right) {
  if (!f.rounds) return number(0);
  const long p = f.precision, least = f.minimum_exponent;
  const Interval m = exact.magnitude();
  if (m.is_zero()) return number(0);
  if (mpfr_cmp_d(m.high(), f.largest) > 0) return std::nullopt;
  // 2^(top - 1) <= m < 2^top
  const long top = mpfr_get_exp(m.high());
  if (is_call(n.operation) && model.call_ulps != Rational(1, 2))
    return Interval::power_of_two(std::max(top - 1, least) - p + 1, bits) * model.call_ulps;
  const bool is_power = mpfr_cmp_ui_2exp(m.high(), 1, top - 1) == 0;
  const long directed = n.direction == calculus::Rounding::nearest ? 0 : 1;
  Interval bound = Interval::power_of_two(std::max(top - 1 - (is_power ? 1 : 0), least) - p + directed, bits);
  // To nearest, just above a power of two: that is a value of the format, and no farther away than m.
  if (directed == 0 && !is_power && top - 1 > least) {
    const Interval above = (m.upper_end() - Interval::power_of_two(top - 1, bits)).from_zero();
    const Interval half = Interval::power_of_two(top - 2 - p, bits);
    bound = smaller_high(bound, greater_high(half, above)).upper_end();
  }
  if (f.only_scales) {
    if (Interval::power_of_two(least, bits).at_most(exact.mignitude())) return number(0);
    const Interval subnormal = Interval::power_of_two(least - p + directed, bits);
    return high_at_most(subnormal, bound) ? subnormal : bound;
  }
  if (f.sterbenz && left != nullptr && right != nullptr && within_factor_two(*left, *right)) return number(0);
  return bound;
}

Interval executed_range(const ExpressionNode& n, const ExpressionModel& model, const Interval& exact,
                        const Interval& error) {
  if (error.is_zero()) return exact;
  const bool call = is_call(n.operation) && model.call_ulps != Rational(1, 2);
  if (call) {
    // For every v >= low > 0, v - c ulp(v) is at least low - 2 c ulp(low): the unit doubles no sooner than
    // v does.
    const auto near = [&](mpfr_srcptr end) {
      const long p = static_cast<long>(calculus::significand_bits(*n.rounding));
      const long binade = std::max<long>(mpfr_get_exp(end) - 1, calculus::minimum_exponent(*n.rounding));
      return (Interval::power_of_two(binade - p + 2, bits) * model.call_ulps).symmetric();
    };
    const Interval wide = exact + error.symmetric();
    const Rational units =
        model.call_ulps *
        contract::power_of_two_rational(1 - static_cast<long>(calculus::significand_bits(*n.rounding)));
    if (units >= 1) return wide;
    if (exact.is_positive()) {
      const Interval low = exact.lower_end() + near(exact.low());
      return Interval::ends(mpfr_greater_p(low.low(), wide.low()) != 0 ? low.low() : wide.low(), wide.high());
    }
    if (exact.is_negative()) {
      const Interval high = exact.upper_end() + near(exact.high());
      return Interval::ends(wide.low(),
                            mpfr_less_p(high.high(), wide.high()) != 0 ? high.high() : wide.high());
    }
    return wide;
  }
  const MaybeInterval rounded = round_to_format(exact, {*n.rounding, n.direction, false});
  return rounded ? hull(exact, *rounded) : exact + error.symmetric();
}

}  // namespace hallmark::numerics
