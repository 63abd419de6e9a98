// sinh, cosh and the inverses of the hyperbolic functions.
#include "formulation/elementary/elementary.h"
#include "formulation/elementary/wide.h"

namespace hallmark::formulation {

using namespace calculus;

// |x| < 1: x + x^3 p(x^2), error of the fit 2^-52; otherwise (e^|x| - e^-|x|) / 2.
Function sinh_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Term size = widened(b.abs(x)), z = w.mul(size, size);
  const Term p = w.polynomial(z, {0x1.6712f2e298972p-33, 0x1.ae53fbcbba646p-26, 0x1.71de50a983cefp-19,
                                  0x1.a01a0180d218ap-13, 0x1.1111111125edbp-7, 0x1.5555555555407p-3});
  const Term near = w.fma(w.mul(size, z), p, size);
  const Term e = wide_exp(size);
  const Term far = w.mul(w.sub(e, w.div(w.number(1), e)), w.literal(0.5));
  return {"sinh_f32", {x}, with_sign_of(x, w.choose(b.less(b.abs(x), b.number(1)), near, far))};
}

Function cosh_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Term e = wide_exp(widened(b.abs(x)));
  return {"cosh_f32", {x}, narrowed(w.mul(w.add(e, w.div(w.number(1), e)), w.literal(0.5)))};
}

// log(|x| + sqrt(x^2 + 1)); near 0 the first three terms of the series, which err by x^6 / 22 of the result.
Function asinh_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Term size = widened(b.abs(x)), z = w.mul(size, size);
  const Term near = w.fma(w.mul(size, z), w.polynomial(z, {0.075, -0x1.5555555555555p-3}), size);
  const Term far = wide_log(w.add(size, w.sqrt(w.add(z, w.number(1)))));
  const Term value = w.choose(b.less(b.abs(x), b.literal(0x1p-10)), near, far);
  return {"asinh_f32", {x}, with_sign_of(x, w.choose(b.less(b.abs(x), b.infinity(1)), value, size))};
}

// x^2 - 1 is exact up to one rounding near 1; below 1 NaN.
Function acosh_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Term wide = widened(x);
  const Term value = narrowed(wide_log(w.add(wide, w.sqrt(w.fma(wide, wide, w.number(-1))))));
  return {"acosh_f32",
          {x},
          b.choose(b.less(x, b.number(1)), b.nan(), b.choose(b.less(x, b.infinity(1)), value, x))};
}

// log((1 + |x|) / (1 - |x|)) / 2: infinite at 1, NaN beyond it; near 0 the first three terms of the series.
Function atanh_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Term size = widened(b.abs(x)), z = w.mul(size, size);
  const Term near = w.fma(w.mul(size, z), w.polynomial(z, {0.2, 0x1.5555555555555p-2}), size);
  const Term far = w.mul(wide_log(w.div(w.add(w.number(1), size), w.sub(w.number(1), size))), w.literal(0.5));
  const Term inside = w.choose(b.less(b.abs(x), b.literal(0x1p-10)), near, far);
  const Term beyond = w.choose(b.less(b.number(1), b.abs(x)), w.nan(), w.infinity(1));
  return {"atanh_f32", {x}, with_sign_of(x, w.choose(b.less(b.abs(x), b.number(1)), inside, beyond))};
}

}  // namespace hallmark::formulation
