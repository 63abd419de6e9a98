// asin, acos, atan.
#include "formulation/elementary/elementary.h"
#include "formulation/elementary/wide.h"

namespace hallmark::formulation {

using namespace calculus;

namespace {

constexpr double half_pi = 0x1.921fb54442d18p+0;

// 2 asin(sqrt((1 - |x|) / 2)) = acos |x|; NaN beyond 1.
Term arc_cosine_of_size(const FunctionBuilder& w, Term size) {
  const Term root = w.sqrt(w.mul(w.sub(w.number(1), size), w.literal(0.5)));
  const Term angle = wide_arc_sine_near_zero(root);
  return w.add(angle, angle);
}

// Of |x|: up to 1/2 by a polynomial, beyond it pi / 2 - acos |x|.
Term arc_sine_of_size(const FunctionBuilder& b, const FunctionBuilder& w, Term x) {
  const Term size = widened(b.abs(x));
  const Term far = w.sub(w.literal(half_pi), arc_cosine_of_size(w, size));
  return w.choose(b.at_most(b.abs(x), b.literal(0.5)), wide_arc_sine_near_zero(size), far);
}

}  // namespace

Function asin_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  return {"asin_f32", {x}, with_sign_of(x, arc_sine_of_size(b, w, x))};
}

// pi / 2 - asin x: near 1 the difference still has 41 digits.
Function acos_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Term sign = w.choose(b.less(x, b.number(0)), w.number(-1), w.number(1));
  return {"acos_f32", {x}, narrowed(w.sub(w.literal(half_pi), w.mul(arc_sine_of_size(b, w, x), sign)))};
}

// |x| > 1: pi / 2 - atan(1 / |x|). Above tan(pi / 8): pi / 4 + atan((t - 1) / (t + 1)). Error of the fit
// 2^-49.
Function atan_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Term one = b.number(1);
  const Term t = w.div(widened(b.minnum(b.abs(x), one)), widened(b.maxnum(b.abs(x), one)));
  const Term upper = w.less(w.literal(0x1.a827999fcef32p-2), t);
  const Term s =
      w.div(w.choose(upper, w.sub(t, w.number(1)), t), w.choose(upper, w.add(t, w.number(1)), w.number(1)));
  const Term z = w.mul(s, s);
  const Term p = w.polynomial(z, {-0x1.9ec8f10924acbp-6, 0x1.9ba0dfaaaf232p-5, -0x1.0a7c2c0d3b6c4p-4,
                                  0x1.3a4ed9a7ebd69p-4, -0x1.744ea12bfc3c4p-4, 0x1.c71bcaa7f63f5p-4,
                                  -0x1.249246f68e47ep-3, 0x1.999999922cfc3p-3, -0x1.5555555550697p-2});
  const Term inner = w.add(w.choose(upper, w.literal(half_pi / 2), w.number(0)), w.fma(w.mul(s, z), p, s));
  const Term large = b.less(one, b.abs(x));
  return {"atan_f32", {x}, with_sign_of(x, w.choose(large, w.sub(w.literal(half_pi), inner), inner))};
}

}  // namespace hallmark::formulation
