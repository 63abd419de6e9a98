#include "formulation/elementary/elementary.h"

namespace hallmark::formulation {

using namespace calculus;

Term times_power_of_two(const FunctionBuilder& b, Term value, Term exponent, int highest, bool downwards) {
  for (int digit = highest; digit >= 1; digit /= 2) {
    const Term taken =
        downwards ? b.at_most(exponent, b.number(-digit)) : b.at_most(b.number(digit), exponent);
    // 2^128 is no float: it is 2^64 twice.
    const int parts = digit == 128 ? 2 : 1;
    const Rational power(power_of_two(static_cast<unsigned>(digit / parts)));
    const Term factor = b.choose(taken, b.number(downwards ? Rational(1 / power) : power), b.number(1));
    for (int part = 0; part < parts; ++part) value = b.mul(value, factor);
    if (digit == 1) break;
    const Term change = b.choose(taken, b.number(digit), b.number(0));
    exponent = downwards ? b.add(exponent, change) : b.sub(exponent, change);
  }
  return value;
}

// Cody and Waite's reduction x = n ln 2 + r with ln 2 as the sum of two floats; fma makes the first
// subtraction exact up to one rounding. e^r = 1 + r + r^2 q(r), error of the fit 2^-33.
ReducedExponential reduced_exponential(const FunctionBuilder& b, Term x) {
  const Term n = b.round(b.mul(x, b.literal(0x1.715476p+0)));
  const Term r = b.fma(n, b.literal(0x1.05c610p-29), b.fma(n, b.literal(-0x1.62e430p-1), x));
  const Term q = b.polynomial(
      r, {0x1.9dfbaep-13, 0x1.6d4cbcp-10, 0x1.11130ep-7, 0x1.5554e8p-5, 0x1.555554p-3, 0x1.0p-1});
  return {b.add(b.fma(b.mul(r, r), q, r), b.number(1)), n};
}

// Beyond [-104, 89] the result is 0 or +inf already at the ends. A NaN passes through every comparison
// unchanged. The result is fraction * 2^-20 * 2^(n + 20), the ups one by one and exact, and for n < -20 one
// last factor 2^-130, the only multiplication that can round.
Function exp_f32() {
  const FunctionBuilder b(Format::f32);
  const Term x = b.parameter("x");
  const Term low = b.choose(b.less(x, b.number(-104)), b.number(-104), x);
  const Term inside = b.choose(b.less(b.number(89), low), b.number(89), low);
  const ReducedExponential e = reduced_exponential(b, inside);
  const Term small = b.less(e.exponent, b.number(-20));
  const Term count = b.add(e.exponent, b.choose(small, b.number(150), b.number(20)));
  const Term scaled = times_power_of_two(b, b.mul(e.fraction, b.literal(0x1p-20)), count, 128, false);
  const Term last = b.choose(small, b.literal(0x1p-130), b.number(1));
  return {"exp_f32", {x}, b.mul(scaled, last)};
}

}  // namespace hallmark::formulation
