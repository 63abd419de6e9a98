// Parts of elementary functions that compute in f64 inside and round once to f32 at the end: relative error
// below 2^-40 in f64, so that the f32 result errs by less than 0.51 units in the last place. Coefficients are
// interpolations in Chebyshev points of ours, made with 60 digits.
//
// nvcc moves absolute values and comparisons of widened floats to the narrow side, and drops what can not be
// of an absolute value. The terms are therefore written so: conditions on the f32 argument, absolute values
// before widening, odd functions as f(|x|) times the sign of x.
#pragma once
#include "calculus/program.h"
#include "formulation/function_builder.h"

namespace hallmark::formulation {

// The builder of f64, and conversions of terms between the formats.
FunctionBuilder wide_builder();
calculus::Term widened(calculus::Term x);
calculus::Term narrowed(calculus::Term x);
// For an odd function: `value`, in f64, for |x|, with the sign of x; x itself where it is 0 or a NaN.
calculus::Term with_sign_of(calculus::Term x, calculus::Term value);

// log x for 1 <= x < 2^258, or, where `below_one` says when x is less, for 2^-160 <= x < 2^258. A NaN stays
// one.
calculus::Term wide_log(calculus::Term x, calculus::Term below_one = nullptr);
// e^x; beyond [-110, 110] as at the ends, which are beyond the range of f32. A NaN stays one.
calculus::Term wide_exp(calculus::Term x);
// asin x for 0 <= x <= 1/2.
calculus::Term wide_arc_sine_near_zero(calculus::Term x);

// x pi / 2 - n for the nearest whole n, modulo 4 (sine.cpp); x an f32 widened to f64.
struct Turned {
  calculus::Term quadrant = nullptr;  // n modulo 4, from -2 to 2; -2 and 2 are one quadrant
  calculus::Term angle = nullptr;     // what is left, times pi / 2
};
Turned turned(const FunctionBuilder& b, calculus::Term x);
// On [-pi / 4, pi / 4].
calculus::Term sine_of(const FunctionBuilder& b, calculus::Term r);
calculus::Term cosine_of(const FunctionBuilder& b, calculus::Term r);

}  // namespace hallmark::formulation
