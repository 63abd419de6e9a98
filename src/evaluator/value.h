// Scalar values of every sort and the conversions between them.
#pragma once
#include <cstdint>
#include <variant>

#include "calculus/term.h"
#include "evaluator/real_operation.h"

namespace hallmark::evaluator {

// How terms of sort Real are evaluated. Float, Int, Bool and Index terms have one meaning whatever this says.
enum class Reals { in_double, exact };

// Index, Int (sign- or zero-extended) and Bool: int64. Float: the double that equals it. Real: double or
// Exact.
using Value = std::variant<std::int64_t, double, Exact>;

// The value of a term of kind `constant`, `extreme` or `truth`.
Value constant_value(calculus::Term constant, Reals reals);
// from_index: integers wrap, floats are rounded to nearest.
Value from_index_value(std::int64_t index, calculus::Sort sort, Reals reals);
// cast: `value` of sort `from` is brought to `format`, then to sort `to`. Into a float format: rounded to
// nearest. From a float into an integer format: truncated, saturated to the format's range, NaN gives 0 (ONNX
// leaves the last two open). Between integer formats: modulo 2^w. Into bool: whether it is not 0. Throws
// Refusal E1003 when an infinity or NaN would have to be exact.
Value cast_value(const Value& value, calculus::Sort from, calculus::Format format, calculus::Sort to,
                 Reals reals);
bool compare_values(calculus::Op op, calculus::Sort sort, const Value& a, const Value& b);
// An operation on operands of the term's own sort (scale2: the second of any number sort).
Value operate(calculus::Term operation, const Value* operands);

}  // namespace hallmark::evaluator
