// What is bounded: the rounding error of an expression alone, or its distance from what it stands for; in
// absolute terms, or as a multiple of a tolerance.
#pragma once
#include <optional>

#include "contract/contract.h"
#include "numerics/expression/expression.h"

namespace hallmark::numerics {

// The exact reading of an expression less its specification: one expression without any rounding over the
// same inputs. `specification`: the node of what it stands for.
struct Difference {
  Expression expression;
  int specification = -1;
};
std::optional<Difference> difference_from_specification(const Expression& e);
bool is_identical(const Difference& difference);

struct Goal {
  std::optional<Difference> difference;
  // The difference is 0 by its normal form (real_form.h): only the roundings count. The checker asks again.
  bool identical = false;
  // Then every bound is a multiple of the tolerance at the least exact value of its part; 1 is the tolerance.
  std::optional<contract::Tolerance> tolerance;
  calculus::Format format = calculus::Format::f64;  // of the result, for units in the last place
};

}  // namespace hallmark::numerics
