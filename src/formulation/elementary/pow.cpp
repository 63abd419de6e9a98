#include "formulation/elementary/elementary.h"
#include "formulation/elementary/wide.h"

namespace hallmark::formulation {

using namespace calculus;

// e^(y log |x|), with the special cases of IEEE 754-2019, 9.2.1: x^0 and 1^y are 1 even where the other is
// NaN; a negative x has a power where y is whole, and its sign where y is odd.
Function pow_f32() {
  const FunctionBuilder b(Format::f32), w = wide_builder();
  const Term x = b.parameter("x"), y = b.parameter("y");
  const Term size = b.abs(x), zero = b.at_most(size, b.number(0));
  const Term wide_size = widened(size);
  const Term at_ends = w.choose(zero, w.infinity(-1), wide_size);
  const Term logarithm = w.choose(both(negation(zero), b.less(size, b.infinity(1))),
                                  wide_log(wide_size, b.less(size, b.number(1))), at_ends);
  const Term magnitude = narrowed(wide_exp(w.mul(widened(y), logarithm)));

  const Term half = b.mul(y, b.literal(0.5));
  const Term whole = compare(Op::eq, b.round(y), y);
  const Term odd = both(whole, negation(compare(Op::eq, b.round(half), half)));
  const Term negative = b.less(x, b.number(0));
  const Term with_sign = b.mul(magnitude, b.choose(both(negative, odd), b.number(-1), b.number(1)));
  // Below 0 and above -infinity a fractional exponent has no value.
  const Term none = both(both(negative, b.less(b.infinity(-1), x)), negation(whole));
  const Term value = b.choose(none, b.nan(), with_sign);

  const Term of_zero = b.choose(b.less(b.number(0), y), x, b.div(b.number(1), x));
  const Term infinite = compare(Op::eq, b.abs(y), b.infinity(1));
  const Term one = either(either(compare(Op::eq, y, b.number(0)), compare(Op::eq, x, b.number(1))),
                          both(compare(Op::eq, x, b.number(-1)), infinite));
  return {"pow_f32", {x, y}, b.choose(one, b.number(1), b.choose(both(zero, odd), of_zero, value))};
}

}  // namespace hallmark::formulation
