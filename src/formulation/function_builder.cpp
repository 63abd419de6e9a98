#include "formulation/function_builder.h"

#include "base/error.h"
#include "formulation/round_constant.h"

namespace hallmark::formulation {

using namespace calculus;

Term FunctionBuilder::number(const Rational& value) const {
  const auto bits = round_to_nearest(value, format_);
  ensure(bits.has_value(), "an elementary function's constant overflows");
  return float_constant(format_, *bits);
}

Term FunctionBuilder::infinity(int sign) const {
  return float_constant(format_, infinity_bits(sign, format_));
}

Term FunctionBuilder::nan() const {
  // The quiet NaN: all exponent bits and the first fraction bit.
  const std::uint64_t first = infinity_bits(1, format_);
  return float_constant(format_, first | std::uint64_t{1} << (significand_bits(format_) - 2));
}

Term FunctionBuilder::polynomial(Term x, const std::vector<double>& coefficients) const {
  Term sum = literal(coefficients.at(0));
  for (std::size_t i = 1; i < coefficients.size(); ++i) sum = fma(sum, x, literal(coefficients[i]));
  return sum;
}

}  // namespace hallmark::formulation
