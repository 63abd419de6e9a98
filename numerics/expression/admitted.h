// Which inputs an expression is about: its ranges, open ends and precondition, in both models of inputs.
#pragma once
#include <optional>
#include <vector>

#include "numerics/expression/expression.h"

namespace hallmark::numerics {

// With inputs that are values of their formats: the same expression over the least and the greatest such
// value of each range, so that the value next to an open end is the end. Nothing where a range holds no
// value. With inputs that are rounded first they are reals, and the expression stays as it is: an open end is
// next to any of them.
std::optional<Expression> over_values(const Expression& e, const ExpressionModel& model);

// Whether the precondition holds for these inputs, which the model admits as well. Where an enclosure does
// not decide that, no.
bool is_admitted(const Expression& e, const ExpressionModel& model, const std::vector<Rational>& inputs);

// x, or where it is an open end a real next to it in the range: by less than rounding it changes.
Rational off_open_end(const ExpressionInput& input, const Rational& x);

}  // namespace hallmark::numerics
