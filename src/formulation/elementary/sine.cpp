#include "formulation/elementary/elementary.h"
#include "formulation/elementary/wide.h"

namespace hallmark::formulation {

using namespace calculus;

// x 2 / pi = n + f with |f| <= 1/2, for every finite float x. 2 / pi stands as seven parts of 29 bits, down
// to 2^-217, so that each product with the 24 bits of x is exact in f64; what is a multiple of 4 turns falls
// away part by part (Payne and Hanek's idea, with the parts of all sizes at once). The products left, each at
// most 2, are added up in f64 with their rounding errors: f is right to 2^-90 where no float is nearer to a
// multiple of pi / 2 than 2^-33 of one.
Turned turned(const FunctionBuilder& b, Term x) {
  const auto modulo_4 = [&](Term p) { return b.fma(b.round(b.mul(p, b.literal(0.25))), b.number(-4), p); };
  Term sum = nullptr, rest = nullptr;
  for (const double part :
       {0x1.45f306e000000p-1, -0x1.b1bbead000000p-32, -0x1.80f62a1000000p-62, 0x1.1f534de000000p-92,
        -0x1.f924eb5000000p-123, -0x1.9b0ef1c000000p-154, 0x1.07f9459000000p-186}) {
    const Term term = modulo_4(b.mul(x, b.literal(part)));
    if (sum == nullptr) {
      sum = term;
      continue;
    }
    // Knuth's two-sum: total + error = sum + term exactly.
    const Term total = b.add(sum, term), back = b.sub(total, sum);
    const Term error = b.add(b.sub(sum, b.sub(total, back)), b.sub(term, back));
    rest = rest == nullptr ? error : b.add(rest, error);
    sum = total;
  }
  const Term n = b.round(sum);
  const Term f = b.add(b.sub(sum, n), rest);
  return {modulo_4(n), b.mul(f, b.literal(0x1.921fb54442d18p+0))};
}

// On [-pi / 4, pi / 4]; interpolation in 6 Chebyshev points, error below 2^-52.
Term sine_of(const FunctionBuilder& b, Term r) {
  const Term z = b.mul(r, r);
  const Term p = b.polynomial(z, {0x1.5e0a4fc16be59p-33, -0x1.ae6008d114485p-26, 0x1.71de37946ed6dp-19,
                                  -0x1.a01a019e820aep-13, 0x1.1111111110babp-7, -0x1.5555555555555p-3});
  return b.fma(b.mul(r, z), p, r);
}
Term cosine_of(const FunctionBuilder& b, Term r) {
  const Term z = b.mul(r, r);
  const Term p = b.polynomial(z, {-0x1.907cd8ff5ede7p-37, 0x1.1eeb67d026ec6p-29, -0x1.27e4fa16cc2d1p-22,
                                  0x1.a01a019f4ddfdp-16, -0x1.6c16c16c16963p-10, 0x1.5555555555555p-5});
  return b.fma(b.mul(z, z), p, b.fma(z, b.literal(-0.5), b.number(1)));
}

namespace {

// sin(x + shift pi / 2)
Term shifted_sine(Term x, bool shift) {
  const FunctionBuilder b(Format::f64);
  const Turned t = turned(b, cast(x, Sort::floating(Format::f64), Format::f64));
  const Term s = sine_of(b, t.angle), c = cosine_of(b, t.angle);
  const Term near = b.less(b.abs(t.quadrant), b.literal(0.5));        // 0
  const Term opposite = b.less(b.literal(1.5), b.abs(t.quadrant));    // 2
  const Term left = b.less(t.quadrant, b.number(0));                  // -1, where it is not opposite
  const Term on_axis = shift ? c : s, across = shift ? b.neg(s) : c;  // in the quadrants 0 and 1
  const Term out =
      b.choose(near, on_axis, b.choose(opposite, b.neg(on_axis), b.choose(left, b.neg(across), across)));
  return cast(out, Sort::floating(Format::f32), Format::f32);
}

}  // namespace

// sin(0) = 0 with its sign; an infinity or a NaN gives NaN (the products above turn into NaN by themselves).
Function sin_f32() {
  const FunctionBuilder b(Format::f32);
  const Term x = b.parameter("x");
  const Term size = b.abs(x);
  return {"sin_f32", {x}, b.choose(b.less(b.number(0), size), shifted_sine(x, false), x)};
}

Function cos_f32() {
  const FunctionBuilder b(Format::f32);
  const Term x = b.parameter("x");
  return {"cos_f32", {x}, shifted_sine(x, true)};
}

// In the quadrants 0 and 2 sine by cosine, otherwise -cosine by sine; 0 keeps its sign.
Function tan_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x");
  const Turned t = turned(w, widened(x));
  const Term s = sine_of(w, t.angle), c = cosine_of(w, t.angle);
  const Term size = w.abs(t.quadrant);
  const Term across = both(w.less(w.literal(0.5), size), w.less(size, w.literal(1.5)));
  const Term quotient = w.div(w.choose(across, w.neg(c), s), w.choose(across, s, c));
  return {"tan_f32", {x}, b.choose(b.less(b.number(0), b.abs(x)), narrowed(quotient), x)};
}

}  // namespace hallmark::formulation
