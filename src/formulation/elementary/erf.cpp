#include "formulation/elementary/elementary.h"

namespace hallmark::formulation {

using namespace calculus;

// |x| < 0.927734375: x + x p(x^2), error of the fit 2^-30. Otherwise 1 - e^(-|x| + |x| q(|x|)), where the
// exponent approximates log(erfc |x|) with an effect of 2^-30 on the result; from 4 on the result rounds
// to 1.
Function erf_f32() {
  const FunctionBuilder b(Format::f32);
  const Term x = b.parameter("x");
  const Term size = b.abs(x), square = b.mul(x, x);
  const Term p = b.polynomial(square, {0x1.4f58d2p-14, -0x1.a6072cp-11, 0x1.5449e8p-8, -0x1.b80118p-6,
                                       0x1.ce2d64p-4, -0x1.812740p-2, 0x1.06eba8p-3});
  const Term near = b.fma(x, p, x);
  const Term clamped = b.choose(b.less(b.number(4), size), b.number(4), size);
  const Term q = b.polynomial(clamped, {-0x1.82af48p-17, 0x1.5590fep-12, -0x1.defecap-9, 0x1.85bbecp-6,
                                        -0x1.b34476p-4, -0x1.453034p-1, -0x1.077b2ep-3});
  // The exponent lies in [-18, -1.6], so 2^n has n in [-26, -2].
  const ReducedExponential e = reduced_exponential(b, b.fma(clamped, q, b.neg(clamped)));
  const Term complement = times_power_of_two(b, e.fraction, e.exponent, 16, true);
  const Term far = b.sub(b.number(1), complement);
  const Term with_sign = b.mul(far, b.choose(b.less(x, b.number(0)), b.number(-1), b.number(1)));
  return {"erf_f32", {x}, b.choose(b.less(size, b.literal(0.927734375)), near, with_sign)};
}

}  // namespace hallmark::formulation
