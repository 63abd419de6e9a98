#include "formulation/elementary/elementary.h"

namespace hallmark::formulation {

using namespace calculus;

// |x| < 0.55: x (1 + x^2 p(x^2)), error of the fit 2^-29.7. Otherwise 1 - 2 / (e^(2|x|) + 1), and from 9.25
// on 1 exactly.
Function tanh_f32() {
  const FunctionBuilder b(Format::f32);
  const Term x = b.parameter("x");
  const Term size = b.abs(x), square = b.mul(x, x);
  const Term p =
      b.polynomial(square, {-0x1.99565ep-8, 0x1.58ec78p-6, -0x1.b91f20p-5, 0x1.110cf0p-3, -0x1.55554ap-2});
  // As a product, so that tanh(-0) = -0.
  const Term near = b.mul(x, b.fma(square, p, b.number(1)));
  const Term clamped = b.choose(b.less(b.literal(9.25), size), b.literal(9.25), size);
  const ReducedExponential e = reduced_exponential(b, b.add(clamped, clamped));
  const Term power = times_power_of_two(b, e.fraction, e.exponent, 16, false);
  const Term far = b.sub(b.number(1), b.div(b.number(2), b.add(power, b.number(1))));
  const Term with_sign = b.mul(far, b.choose(b.less(x, b.number(0)), b.number(-1), b.number(1)));
  return {"tanh_f32", {x}, b.choose(b.less(size, b.literal(0.55f)), near, with_sign)};
}

}  // namespace hallmark::formulation
