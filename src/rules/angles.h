// Laws of odd, even and circular functions for the sum normal form:
//   PARITY  f(-x) = -f(x) for sin, tan, atan, sinh, asinh, tanh, erf; f(-x) = f(x) for cos, cosh, abs
//   ANGLE   sin(a + b) = sin a cos b + cos a sin b, cos(a + b) = cos a cos b - sin a sin b, sin^2 = 1 - cos^2
// A polynomial in the sines and cosines of sums has one form by them.
#pragma once
#include <functional>
#include <optional>

#include "rules/normal_form.h"

namespace hallmark::rules {

// Of x, whose form is given, and -x the one that comes first. Nothing for other functions.
std::optional<NormalForm> parity_form(calculus::Op op, const NormalForm& inside, LawLog& laws);

struct SineAndCosine {
  NormalForm sine, cosine;
};
using Product = std::function<NormalForm(const NormalForm&, const NormalForm&)>;
// Of a sum, from those of its summands.
SineAndCosine of_angle(const NormalForm& angle, LawLog& laws, const Product& product);

// The summand without squares of sines among its factors.
NormalForm without_squared_sines(Summand s, LawLog& laws);

}  // namespace hallmark::rules
