#include "formulation/elementary/wide.h"

#include "formulation/elementary/elementary.h"

namespace hallmark::formulation {

using namespace calculus;

FunctionBuilder wide_builder() {
  return FunctionBuilder(Format::f64);
}

Term widened(Term x) {
  return cast(x, Sort::floating(Format::f64), Format::f64);
}

Term narrowed(Term x) {
  return cast(x, Sort::floating(Format::f32), Format::f32);
}

Term with_sign_of(Term x, Term value) {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term sign = w.choose(b.less(x, b.number(0)), w.number(-1), w.number(1));
  return b.choose(b.less(b.number(0), b.abs(x)), narrowed(w.mul(value, sign)), x);
}

// x = 2^e m with m in [sqrt(1/2), sqrt(2)], found by comparisons and exact multiplications;
// log m = 2 atanh s with s = (m - 1) / (m + 1), as s g(s^2). Error of the fit 2^-58.
Term wide_log(Term x, Term below_one) {
  const FunctionBuilder b = wide_builder();
  Term m = x, e = b.number(0);
  if (below_one != nullptr) {
    m = b.mul(x, b.choose(below_one, b.literal(0x1p160), b.number(1)));
    e = b.choose(below_one, b.number(-160), b.number(0));
  }
  for (const int digit : {128, 128, 64, 32, 16, 8, 4, 2, 1}) {
    const Rational power(power_of_two(static_cast<unsigned>(digit)));
    const Term taken = b.at_most(b.number(power), m);
    m = b.mul(m, b.choose(taken, b.number(Rational(1 / power)), b.number(1)));
    const Term change = b.choose(taken, b.number(digit), b.number(0));
    e = e == b.number(0) ? change : b.add(e, change);
  }
  const Term upper = b.less(b.literal(0x1.6a09e667f3bcdp+0), m);
  m = b.mul(m, b.choose(upper, b.literal(0.5), b.number(1)));
  e = b.add(e, b.choose(upper, b.number(1), b.number(0)));
  const Term s = b.div(b.sub(m, b.number(1)), b.add(m, b.number(1)));
  const Term g = b.polynomial(
      b.mul(s, s), {0x1.2f4d90d1925b3p-3, 0x1.3999be9c4427ep-3, 0x1.746699567c2adp-3, 0x1.c71c50002d5ccp-3,
                    0x1.249249451420dp-2, 0x1.999999997aea7p-2, 0x1.55555555555aep-1, 0x1.0p+1});
  return b.fma(e, b.literal(0x1.62e42fefa39efp-1), b.mul(s, g));
}

// x = n ln 2 + r with ln 2 as the sum of two floats; error of the fit 2^-51.
Term wide_exp(Term x) {
  const FunctionBuilder b = wide_builder();
  const Term low = b.choose(b.less(x, b.number(-110)), b.number(-110), x);
  const Term inside = b.choose(b.less(b.number(110), low), b.number(110), low);
  const Term n = b.round(b.mul(inside, b.literal(0x1.71547652b82fep+0)));
  const Term r =
      b.fma(n, b.literal(-0x1.abc9e3b39803fp-56), b.fma(n, b.literal(-0x1.62e42fefa39efp-1), inside));
  const Term p = b.polynomial(
      r, {0x1.28a2c0bee04a5p-22, 0x1.72faf04859965p-19, 0x1.a019a66a5f0b6p-16, 0x1.a01978c698b9fp-13,
          0x1.6c16c17f43acbp-10, 0x1.1111112dd6872p-7, 0x1.55555555520afp-5, 0x1.555555554b756p-3,
          0x1.0000000000005p-1, 0x1.000000000001ep+0, 0x1.0p+0});
  return times_power_of_two(b, b.mul(p, b.literal(0x1p-160)), b.add(n, b.number(160)), 256, false);
}

// x + x^3 p(x^2); error of the fit 2^-51.
Term wide_arc_sine_near_zero(Term x) {
  const FunctionBuilder b = wide_builder();
  const Term z = b.mul(x, x);
  const Term p = b.polynomial(
      z, {0x1.02166861d1babp-5, -0x1.7f2d39185e6ffp-7, 0x1.2b1ceadc32f20p-6, 0x1.333f76f95fd9dp-7,
          0x1.d56069922a1c7p-7, 0x1.1baaec87e6848p-6, 0x1.6e9740e94bb1bp-6, 0x1.f1c697a134f0ap-6,
          0x1.6db6dd2b75119p-5, 0x1.33333330316e3p-4, 0x1.55555555575c2p-3});
  return b.fma(b.mul(x, z), p, x);
}

}  // namespace hallmark::formulation
