#include "formulation/elementary/elementary.h"

namespace hallmark::formulation {

using namespace calculus;

// x = 2^e m with m in [sqrt(1/2), sqrt(2)], found by comparisons and exact multiplications; then
// log x = e ln 2 + f + f^2 q(f) with f = m - 1 (exact). Error of the fit 2^-27.8 relative to log m.
Function log_f32() {
  const FunctionBuilder b(Format::f32);
  const Term x = b.parameter("x");
  // Up to at least 1: from [2^-149, 2^-64) by 2^86, then from [2^-64, 1) by 2^64.
  const Term tiny = b.less(x, b.literal(0x1p-64));
  Term m = b.mul(x, b.choose(tiny, b.literal(0x1p86), b.number(1)));
  Term e = b.choose(tiny, b.number(-86), b.number(0));
  const Term below = b.less(m, b.number(1));
  m = b.mul(m, b.choose(below, b.literal(0x1p64), b.number(1)));
  e = b.add(e, b.choose(below, b.number(-64), b.number(0)));
  // Down into [1, 2), then by one half where that is nearer to 1.
  for (const int digit : {64, 32, 16, 8, 4, 2, 1}) {
    const Rational power(power_of_two(static_cast<unsigned>(digit)));
    const Term taken = b.at_most(b.number(power), m);
    m = b.mul(m, b.choose(taken, b.number(Rational(1 / power)), b.number(1)));
    e = b.add(e, b.choose(taken, b.number(digit), b.number(0)));
  }
  const Term upper = b.less(b.literal(0x1.6a09e6p+0), m);
  m = b.mul(m, b.choose(upper, b.literal(0.5), b.number(1)));
  e = b.add(e, b.choose(upper, b.number(1), b.number(0)));
  const Term f = b.sub(m, b.number(1));
  const Term q =
      b.polynomial(f, {-0x1.39bb56p-4, 0x1.08cd34p-3, -0x1.0f27d6p-3, 0x1.225a9ep-3, -0x1.542650p-3,
                       0x1.99a52ap-3, -0x1.000434p-2, 0x1.55554ep-2, -0x1.fffff8p-2});
  // ln 2 in two parts; the first has 15 significant bits, so its product with e is exact.
  const Term rest = b.fma(e, b.literal(0x1.7f7d1cp-20), b.mul(b.mul(f, f), q));
  const Term inside = b.fma(e, b.literal(0x1.62e400p-1), b.add(f, rest));
  // Below 0 NaN, at 0 -inf; +inf and NaN are their own logarithms.
  const Term special =
      b.choose(b.less(x, b.number(0)), b.nan(), b.choose(b.at_most(x, b.number(0)), b.infinity(-1), x));
  const Term ordinary = both(b.less(b.number(0), x), b.less(x, b.infinity(1)));
  return {"log_f32", {x}, b.choose(ordinary, inside, special)};
}

}  // namespace hallmark::formulation
