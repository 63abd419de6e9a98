// FPBench's FPCore (fpbench.org, version 2.0): `(FPCore NAME? (ARGUMENTS) :PROPERTY VALUE ... BODY)`.
//
// Understood: numbers, constants, arithmetic, fma, fmin, fmax, sqrt, pow, hypot, atan2, roundings to integers
// and the library functions of expression.h, if, let, let*, cast, annotations (!) of precision and rounding,
// comparisons, and, or, not; fdim; properties :name, :pre, :spec, :precision, :round (others are read and not
// used). Loops (while, while*, for, for*) whose number of steps is known without the inputs are unrolled;
// arrays (array, tensor, ref, dim, size; arguments with sizes that are numbers, whose elements are inputs
// "A[0]") are taken apart. Refused by name: other loops, tensor*, other functions, infinities and NaN, formats
// with more than 53 bits. Every argument that is looked at needs a range in :pre; what else :pre demands of
// the inputs becomes Expression::demands.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "numerics/expression/expression.h"

namespace hallmark::numerics {

// Throws UserError with line, column and a caret: E8101 parentheses; E8102 not an FPCore; E8103 an unknown
// name; E8104 an argument without a range in :pre; E8105 an empty range; E8106 an unknown precision or
// rounding; E8107 a wrong number of operands. Refusal E8108: a construct that is not understood. An FPCore
// whose result is an array gives an expression for each number in it, "NAME[0][1]".
std::vector<Expression> read_fpcores(std::string_view text, const std::string& file);

}  // namespace hallmark::numerics
