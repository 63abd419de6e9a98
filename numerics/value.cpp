#include "numerics/value.h"

#include "base/error.h"

namespace hallmark::numerics {

Value exact_value(const Interval& v) {
  Value out;
  out.exact = v;
  out.rounded = v;
  return out;
}

Value unknown_truth(bool same) {
  Value out;
  out.same = same;
  return out;
}

double as_double(const Interval& upper) {
  return mpfr_get_d(upper.high(), MPFR_RNDU);
}

void add_shares(Value& to, const Value& from, double factor) {
  for (const auto& [label, amount] : from.shares) to.shares[label] += amount * factor;
}

void add_share(Value& to, const std::string& label, const Interval& amount) {
  const double d = as_double(amount);
  if (d > 0) to.shares[label] += d;
}

void forget_form(Value& v) {
  v.own_sum.reset();
  v.weighted.reset();
}

void unbound(Value& v) {
  forget_form(v);
  v.units.reset();
  v.bounded = false;
  v.shares.clear();
}

void settle(Value& v) {
  if (!v.bounded) return;
  const Interval size = v.exact.magnitude();
  const Interval other = (v.relative * size + v.rest).from_zero();
  // Two values are never further apart than their ranges.
  const Interval apart = (v.rounded - v.exact).magnitude();
  const double before = as_double(v.absolute);
  v.absolute = smaller_high(smaller_high(v.absolute, other), apart).from_zero();
  const double after = as_double(v.absolute);
  if (before > 0 && after < before)
    for (auto& [label, amount] : v.shares) amount *= after / before;
  // |error| <= absolute is the mixed bound (0, absolute); it dominates when `rest` alone is no smaller.
  if (high_at_most(v.absolute, v.rest)) {
    v.relative = Interval();
    v.rest = v.absolute;
  }
  const Interval around = v.absolute.symmetric();
  const MaybeInterval rounded = intersect(v.rounded, v.exact + around);
  const MaybeInterval exact = intersect(v.exact, v.rounded + around);
  ensure(rounded && exact, "an exact and a rounded range further apart than their error bound");
  v.rounded = *rounded;
  v.exact = *exact;
}

}  // namespace hallmark::numerics
