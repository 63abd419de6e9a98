#include "numerics/expression/expression.h"

#include <array>

#include "contract/number.h"

namespace hallmark::numerics {

std::string_view name(Operation operation) {
  static constexpr std::array<std::string_view, 44> names{
      "variable",  "constant", "+",     "-",     "*",     "/",     "fma",   "neg",   "fabs",
      "fmin",      "fmax",     "sqrt",  "if",    "cast",  "floor", "ceil",  "trunc", "round",
      "nearbyint", "pow",      "hypot", "atan2", "exp",   "exp2",  "expm1", "log",   "log2",
      "log10",     "log1p",    "sin",   "cos",   "tan",   "asin",  "acos",  "atan",  "sinh",
      "cosh",      "tanh",     "asinh", "acosh", "atanh", "erf",   "erfc",  "cbrt"};
  return names.at(static_cast<std::size_t>(operation));
}

bool is_call(Operation operation) {
  return operation >= Operation::pow;
}

bool is_step(Operation operation) {
  return operation >= Operation::floor && operation <= Operation::nearbyint;
}

std::string text(const ExpressionModel& model) {
  return std::string(model.inputs_rounded ? "inputs are reals and rounded first" : "inputs are exact") +
         "; error at most half a unit of the result's binade; constants rounded; equal subexpressions "
         "shared; "
         "library calls within " +
         contract::print_number(model.call_ulps) + " ulp";
}

std::vector<int> compared_nodes(const Expression& e, int condition) {
  const Condition& c = e.conditions[static_cast<std::size_t>(condition)];
  std::vector<int> out;
  if (c.left >= 0) out = {c.left, c.right};
  for (const int child : c.children)
    for (const int node : compared_nodes(e, child)) out.push_back(node);
  return out;
}

}  // namespace hallmark::numerics
