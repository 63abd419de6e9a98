// The elementary functions of emitted kernels, one a file. Each is a Float term over fma, mul, add, sub, div,
// round_even, comparisons and selects between constants; powers of two are applied by multiplications that
// are exact, so that no bit pattern of a float is ever formed by integer arithmetic (soundness G6) and one
// reading of the term serves formulation, CUDA text and PTX alike.
//
// Coefficients: minimax fits of ours (iteratively reweighted least squares on 4000 Chebyshev points, each
// coefficient rounded to f32 in turn, lowest power first). Error bounds are measured on all 2^32 arguments by
// tests/formulation against double precision; they are stated beside each function.
#pragma once
#include "calculus/program.h"
#include "formulation/function_builder.h"

namespace hallmark::formulation {

// e^x, at most 1 ulp. Overflows to +inf, underflows gradually and then to 0; exp(NaN) is NaN.
calculus::Function exp_f32();
// Natural logarithm, at most 2 ulp. log(0) = -inf, log(x < 0) is NaN, subnormal arguments included.
calculus::Function log_f32();
// At most 2 ulp; odd, -0 included.
calculus::Function tanh_f32();
// At most 2 ulp; odd, -0 included.
calculus::Function erf_f32();

// At most 1 ulp over the whole format, large arguments included (in f64 inside); sin is odd, -0 included. An
// infinity or a NaN gives NaN.
calculus::Function sin_f32();
calculus::Function cos_f32();

// At most 1 ulp, in f64 inside: the tangent over the whole format; asin and acos are NaN beyond [-1, 1]; odd
// functions keep the sign of 0; acosh is NaN below 1, atanh beyond [-1, 1] and infinite at its ends.
calculus::Function tan_f32();
calculus::Function asin_f32();
calculus::Function acos_f32();
calculus::Function atan_f32();
calculus::Function sinh_f32();
calculus::Function cosh_f32();
calculus::Function asinh_f32();
calculus::Function acosh_f32();
calculus::Function atanh_f32();
// x^y, at most 1 ulp, in f64 inside; special cases as in IEEE 754-2019.
calculus::Function pow_f32();

// The parts that they share.
struct ReducedExponential {
  calculus::Term fraction = nullptr;  // e^r with |r| <= ln(2) / 2, so that e^x = fraction * 2^exponent
  calculus::Term exponent = nullptr;  // an integral float
};
ReducedExponential reduced_exponential(const FunctionBuilder& b, calculus::Term x);
// value * 2^exponent for an integral exponent with 0 <= exponent < 2 * highest, or, `downwards`, with
// -2 * highest < exponent <= 0; highest a power of two. One multiplication by an exact power of two for each
// binary digit. No negation is compared with a constant: compilers move the sign to the constant.
calculus::Term times_power_of_two(const FunctionBuilder& b, calculus::Term value, calculus::Term exponent,
                                  int highest, bool downwards);

}  // namespace hallmark::formulation
