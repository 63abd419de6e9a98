#include "numerics/expression/admitted.h"

#include <algorithm>

#include "contract/format_values.h"
#include "numerics/expression/execution.h"
#include "numerics/expression/point.h"

namespace hallmark::numerics {

namespace {

// The greatest value of the format that is at most x, or below it.
Rational value_below(const Rational& x, bool strictly, calculus::Format format) {
  const Rational at_most = contract::round_down(std::min(x, contract::largest_value(format)), format);
  if (!strictly || at_most != x) return at_most;
  return contract::round_down(Rational(x - contract::spacing_at(0, format)), format);
}

}  // namespace

std::optional<Expression> over_values(const Expression& e, const ExpressionModel& model) {
  Expression out = e;
  if (model.inputs_rounded) return out;
  for (ExpressionInput& input : out.inputs) {
    input.high = value_below(input.high, input.open_high, input.format);
    input.low = -value_below(Rational(-input.low), input.open_low, input.format);
    input.open_low = input.open_high = false;
    if (input.low > input.high) return std::nullopt;
  }
  return out;
}

bool is_admitted(const Expression& e, const ExpressionModel& model, const std::vector<Rational>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ExpressionInput& input = e.inputs[i];
    const Rational& x = inputs[i];
    if (input.open_low ? x <= input.low : x < input.low) return false;
    if (input.open_high ? x >= input.high : x > input.high) return false;
    const std::optional<double> held = nearest_in(input.format, x);
    if (!held || (!model.inputs_rounded && exact_rational(*held) != x)) return false;
  }
  return e.demands.empty() || ExactPoint(e, inputs).admissible();
}

Rational off_open_end(const ExpressionInput& input, const Rational& x) {
  const bool low = input.open_low && x <= input.low, high = input.open_high && x >= input.high;
  if (!low && !high) return x;
  const Rational step =
      std::min(Rational(contract::spacing_at(x, input.format) / 16), Rational((input.high - input.low) / 4));
  return low ? Rational(input.low + step) : Rational(input.high - step);
}

}  // namespace hallmark::numerics
