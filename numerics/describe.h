// Short text of a term for messages: "div(exp(sub(x[..], m[..])), s[..])", cut off at a depth.
#pragma once
#include <string>

#include "calculus/term.h"

namespace hallmark::numerics {

std::string describe(calculus::Term a, int depth = 3);

// The shortest decimal that names a value of the format.
std::string float_text(const Rational& value, calculus::Format format);

}  // namespace hallmark::numerics
